// check, its repair, and compact over whole archives, in memory.
#include <chrono>
#include <fstream>
#include <mutex>

#include <fmt/format.h>

#include "archive/item.h"
#include "base/log.h"
#include "ops/archive_writer.h"
#include "ops/archives.h"
#include "ops/check.h"
#include "ops/compact.h"
#include "ops/repository_cache.h"
#include "repo/test_repository.h"

namespace cairn::ops {
namespace {

using repo::testing::noise;
using repo::testing::TestRepository;

struct Quiet final : CheckObserver, CompactObserver {
  void progress(CheckObserver::Phase, std::uint64_t, std::uint64_t) override {}
  void progress(CompactObserver::Phase, std::uint64_t, std::uint64_t) override {}
};

class MaintenanceTest : public repo::testing::HomeTest {
 protected:
  MaintenanceTest() {
    set_log_level(Level::Info);
    set_log_sink([this](const LogRecord& record) {
      const std::lock_guard lock(mutex_);
      said_ += std::string(record.message) + "\n";
    });
  }
  ~MaintenanceTest() override {
    set_log_sink({});
    set_log_level(Level::Warning);
  }
  std::unique_ptr<repo::Repository> open() {
    auto opened = made_.open();
    CAIRN_CHECK(opened, "open");
    return std::move(*opened);
  }
  // An archive of these files.
  ChunkId create(const std::string& name, const std::vector<std::string>& contents, const std::string& time) {
    auto repository = open();
    CAIRN_CHECK(repository->load_index(repo::BadFragments::Error, pool_), "index");
    auto writer = ArchiveWriter::make(*repository, pool_, compress::Spec{});
    CAIRN_CHECK(writer, "writer");
    exec::Worker& main = pool_.main_worker();
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < contents.size(); ++i) {
      const auto chunk = (*writer)->chunks().store(main, 'F', bytes_of(contents[i]));
      CAIRN_CHECK(chunk, "store");
      archive::Item item{.path = "file" + std::to_string(i), .mode = 0100644};
      item.chunks = {{chunk->id, chunk->size}};
      item.size = contents[i].size();
      bytes += contents[i].size();
      Buffer encoded;
      archive::encode(item, encoded);
      CAIRN_CHECK((*writer)->add_item(main, encoded), "item");
    }
    archive::Metadata metadata;
    metadata.name = name;
    metadata.time = time;
    metadata.start = metadata.end = time;
    const auto committed = (*writer)->commit(main, std::move(metadata), bytes);
    CAIRN_CHECK(committed, "commit");
    return committed->id;
  }
  void remove_archive(const ChunkId& id) { CAIRN_CHECK(open()->delete_archive(id), "delete"); }
  // True if something is lost or could not be repaired.
  bool repair(CheckRequest request = {}) {
    request.repair = true;
    return problems(request);
  }
  std::vector<archive::ArchiveSummary> archives() {
    auto repository = open();
    CAIRN_CHECK(repository->load_index(repo::BadFragments::Error, pool_), "index");
    auto all = load_archives(*repository, pool_);
    CAIRN_CHECK(all, "archives");
    return std::move(*all);
  }
  bool problems(CheckRequest request = {}) {
    said_.clear();
    auto repository = open();
    const auto result = check(*repository, pool_, request, quiet_);
    CAIRN_CHECK(result, "check");
    return result->problems;
  }
  CompactResult run_compact(CompactRequest request = {.threshold = 0}) {
    said_.clear();
    auto repository = open();
    const auto result = compact(*repository, pool_, request, quiet_);
    CAIRN_CHECK(result, "compact");
    return *result;
  }
  bool said(std::string_view text) const { return said_.find(text) != std::string::npos; }
  std::size_t count(std::string_view space, store::Which which = store::Which::Live) {
    return made_.store()->list_names(space, which)->size();
  }
  repo::Location place_of(const ChunkId& id) {
    auto repository = open();
    CAIRN_CHECK(repository->load_index(repo::BadFragments::Error, pool_), "index");
    const auto place = repository->index().find(id);
    CAIRN_CHECK(place, "place");
    return *place;
  }
  // Hits the last byte of an object.
  void damage(const ChunkId& id) {
    const repo::Location place = place_of(id);
    TestRepository::flip_byte(*made_.store(), "packs/" + place.pack.hex(), place.offset + place.size - 1);
  }
  void lose_pack_of(const ChunkId& id) {
    CAIRN_CHECK(made_.store()->remove("packs/" + place_of(id).pack.hex()), "remove");
  }
  std::vector<ChunkId> objects_of_type(char type) {
    auto repository = open();
    CAIRN_CHECK(repository->load_index(repo::BadFragments::Error, pool_), "index");
    const auto reader = repository->make_reader();
    Buffer object;
    std::vector<ChunkId> found;
    repository->index().for_each([&](const repo::ChunkIndex::Entry& entry) {
      const auto place = repository->index().find(entry.id);
      const auto loaded =
          repository->store().load_range("packs/" + place->pack.hex(), place->offset, place->size, object);
      CAIRN_CHECK(loaded, "load");
      const auto head = reader->read_head(object);
      if (head && head->meta.type == type) found.push_back(entry.id);
    });
    return found;
  }
  // Takes an object out of the index and damages it, as if it had been lost.
  void forget(const ChunkId& id) {
    damage(id);
    unindex(id);
  }
  void unindex(const ChunkId& id) {
    auto repository = open();
    CAIRN_CHECK(repository->load_index(repo::BadFragments::Error, pool_), "index");
    CAIRN_CHECK(repository->index().erase(id), "erase");
    CAIRN_CHECK(repository->fragments().write_full(repository->index(), repository->fragments().list().value()),
                "write");
  }
  ChunkId id_of(const std::string& text) { return open()->id_hash()(bytes_of(text)); }

  std::mutex mutex_;
  std::string said_;
  TestRepository made_;
  exec::Pool pool_{2};
  Quiet quiet_;
  static constexpr const char* kTime = "2025-05-04T08:00:00+00:00";
  static constexpr const char* kLater = "2025-06-04T08:00:00.500000+00:00";
};

TEST_F(MaintenanceTest, ASoundRepositoryIsSaidToBe) {
  create("first", {noise(2000, 1), noise(2000, 2)}, kTime);
  create("second", {noise(2000, 1), noise(2000, 3)}, kLater);
  EXPECT_FALSE(problems({.verify_data = true}));
  EXPECT_TRUE(said("Analyzing archive first Sun, 2025-05-04"));
  EXPECT_TRUE(said("(2/2)\nArchive consistency check complete, no problems found.\n"));
  EXPECT_FALSE(problems({.repository = false}));
  EXPECT_FALSE(said("repository check"));
  EXPECT_FALSE(problems({.archives = false}));
  EXPECT_FALSE(said("Archive consistency"));
}

TEST_F(MaintenanceTest, MissingContentIsListedByChunkFileAndArchives) {
  const std::string lost = noise(2000, 1);
  create("first", {lost, noise(2000, 2)}, kTime);
  create("second", {noise(2000, 3), lost}, kLater);
  const std::string id = id_of(lost).hex();
  forget(id_of(lost));
  EXPECT_TRUE(problems());
  EXPECT_TRUE(said("Missing chunk detected: " + id + ", 2.00 kB.\n"));
  EXPECT_TRUE(said("The following chunks are missing in the repository:\n- Chunk " + id +
                   ", 2.00 kB\n    - file0: first\n    - file1: second\n"));
  EXPECT_TRUE(said("Archive consistency check complete, problems found."));
  const CompactResult compacted = run_compact();
  EXPECT_TRUE(compacted.errors);
  EXPECT_TRUE(said("Repository has 1 missing objects!"));
}

TEST_F(MaintenanceTest, OfTheFilesThatMissAChunkTheFirstAreListed) {
  create("first", std::vector<std::string>(12, noise(2000, 1)), kTime);
  forget(id_of(noise(2000, 1)));
  EXPECT_TRUE(problems());
  EXPECT_TRUE(said("    - file9: first"));
  EXPECT_FALSE(said("file10"));
  EXPECT_TRUE(said("    - ... (only the first 10 files are listed)"));
}

TEST_F(MaintenanceTest, AMissingArchiveObjectIsAProblemAndNothingIsDeleted) {
  const ChunkId broken = create("first", {noise(2000, 1)}, kTime);
  const ChunkId other = create("second", {noise(2000, 2)}, kLater);
  remove_archive(other);
  forget(broken);
  EXPECT_TRUE(problems());
  EXPECT_TRUE(said("Archive metadata block " + broken.hex() + " is missing!"));
  const std::size_t packs = count("packs");
  EXPECT_TRUE(run_compact().errors);
  EXPECT_EQ(count("packs"), packs);
  EXPECT_EQ(count("archives", store::Which::Deleted), 1U);
}

// What an archive with a damaged item stream needs is not known.
TEST_F(MaintenanceTest, DamagedMetadataKeepsCompactFromDeleting) {
  create("first", {noise(2000, 1)}, kTime);
  const ChunkId other = create("second", {noise(2000, 2)}, kLater);
  remove_archive(other);
  for (const ChunkId& id : objects_of_type('S')) damage(id);
  EXPECT_TRUE(problems({.repository = false}));
  EXPECT_TRUE(said("item metadata chunk 0"));
  const std::size_t packs = count("packs");
  EXPECT_TRUE(run_compact().errors);
  EXPECT_TRUE(said("nothing is deleted"));
  EXPECT_EQ(count("packs"), packs);
}

TEST_F(MaintenanceTest, CompactFreesWhatDeletedArchivesNeeded) {
  create("first", {noise(200'000, 1)}, kTime);
  const ChunkId other = create("second", {noise(200'000, 2)}, kLater);
  remove_archive(other);
  const CompactResult dry = run_compact({.dry_run = true, .threshold = 0});
  EXPECT_FALSE(dry.errors || dry.warnings);
  EXPECT_TRUE(said("Would free "));
  EXPECT_EQ(count("archives", store::Which::Deleted), 1U);
  EXPECT_FALSE(made_.store()->info("cache/referenced-by-archive." + other.hex())->exists);
  run_compact({.stats = true, .threshold = 10});
  EXPECT_TRUE(said("Analyzing archive first 2025-05-04"));
  EXPECT_TRUE(said("Deleting 4 unused objects, freeing "));
  EXPECT_TRUE(said("considering all 1 archives"));
  EXPECT_TRUE(
      said("Source data size was 200 kB in 1 files.\nDeduplicated size is 200 kB.\nDeduplication factor is 1.00.\n"));
  EXPECT_TRUE(said(" in 4 objects."));
  EXPECT_EQ(count("archives", store::Which::Deleted), 0U);
  EXPECT_FALSE(problems({.verify_data = true}));
  EXPECT_EQ(made_.store()->list_names("index")->size(), 1U);
}

TEST_F(MaintenanceTest, ReferencesAreRememberedAndForgotten) {
  const ChunkId first = create("first", {noise(2000, 1)}, kTime);
  const std::string name = "cache/referenced-by-archive." + first.hex();
  run_compact();
  ASSERT_TRUE(made_.store()->info(name)->exists);
  // A damaged table is not believed, and made again.
  TestRepository::flip_byte(*made_.store(), name, 60);
  const CompactResult again = run_compact();
  EXPECT_FALSE(again.errors || again.warnings);
  EXPECT_TRUE(said("Ignoring corrupted references cache of archive " + first.hex() + "."));
  EXPECT_FALSE(problems({.verify_data = true}));
  remove_archive(first);
  run_compact();
  EXPECT_FALSE(made_.store()->info(name)->exists);
  EXPECT_EQ(count("packs"), 0U);
}

TEST_F(MaintenanceTest, FilesCachesOfVanishedSeriesGo) {
  create("kept", {noise(2000, 1)}, kTime);
  const RepositoryId id = open()->id();
  const auto suffix = [](std::string_view name) { return hash::blake3(bytes_of(name)).hex(); };
  const std::string kept[] = {"files." + suffix("kept"), "files.mine", "config"};
  const std::string gone = "files." + suffix("gone");
  const std::string half = "files." + suffix("kept") + ".aB3xYz", old_half = "files." + suffix("kept") + ".Qw9rTy";
  for (const std::string& directory : {own_cache_path(id), repository_cache_path(id)}) {
    std::filesystem::create_directories(directory);
    for (const auto& name : {half, old_half}) std::ofstream(directory + "/" + name) << "x";
    std::filesystem::last_write_time(directory + "/" + old_half,
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(25));
    for (const auto& name : kept) std::ofstream(directory + "/" + name) << "x";
    std::ofstream(directory + "/" + gone) << "x";
  }
  run_compact();
  EXPECT_TRUE(said("Removed 4 unused files cache files."));
  for (const std::string& directory : {own_cache_path(id), repository_cache_path(id)}) {
    for (const auto& name : kept) EXPECT_TRUE(std::filesystem::exists(directory + "/" + name)) << name;
    EXPECT_FALSE(std::filesystem::exists(directory + "/" + gone));
    EXPECT_FALSE(std::filesystem::exists(directory + "/" + old_half)) << "what a killed run has left";
    EXPECT_TRUE(std::filesystem::exists(directory + "/" + half)) << "somebody may be writing it";
  }
}

TEST_F(MaintenanceTest, OnlySelectedArchivesAreChecked) {
  create("first", {noise(2000, 1)}, kTime);
  create("second", {noise(2000, 2)}, kLater);
  CheckRequest request;
  request.selection.last = 1;
  request.describe = [](const archive::ArchiveSummary& summary) { return "<" + summary.name + ">"; };
  EXPECT_FALSE(problems(request));
  EXPECT_FALSE(said("<first>"));
  EXPECT_TRUE(said("Analyzing archive <second> (1/1)"));
}

TEST_F(MaintenanceTest, ForgedDefaultsAreAProblem) {
  TestRepository::flip_byte(*made_.store(), "config/defaults", 30);
  EXPECT_TRUE(problems());
  EXPECT_TRUE(said("Repository defaults object config/defaults fails the authentication."));
  EXPECT_FALSE(repair());
  EXPECT_TRUE(said("storing empty defaults"));
  EXPECT_FALSE(problems());
}

// Nobody else would ever free it, and the next backup would store it again.
TEST_F(MaintenanceTest, CompactFindsWhatInterruptedBackupsLeft) {
  create("first", {noise(2000, 1)}, kTime);
  {
    auto repository = open();
    std::vector<repo::testing::PlacedObject> left;
    left.push_back(TestRepository::make_object(*repository, noise(3000, 2)));
    TestRepository::put_pack(*repository, left, {false});
  }
  const std::size_t packs = count("packs");
  EXPECT_FALSE(run_compact({.dry_run = true, .threshold = 0}).warnings);
  EXPECT_TRUE(said("Found 1 objects that were not indexed, "));
  EXPECT_EQ(count("packs"), packs);
  run_compact();
  EXPECT_EQ(count("packs"), packs - 1);
  EXPECT_FALSE(problems({.verify_data = true}));
  run_compact();
  EXPECT_FALSE(said("not indexed"));
}

TEST_F(MaintenanceTest, CompactFindsWhatAnArchiveNeedsAndTheIndexLost) {
  create("first", {noise(2000, 1), noise(2000, 2)}, kTime);
  unindex(id_of(noise(2000, 1)));
  EXPECT_TRUE(problems());
  EXPECT_FALSE(run_compact().errors);
  EXPECT_FALSE(problems({.verify_data = true}));
}

TEST_F(MaintenanceTest, CompactSaysWhatOfDeletedArchivesCannotBeKept) {
  const std::string shared = noise(2000, 1);
  create("live", {shared}, kTime);
  const ChunkId whole = create("whole", {noise(2000, 2)}, kTime);
  const ChunkId torn = create("torn", {shared, noise(2000, 3)}, kTime);
  const ChunkId gone = create("gone", {noise(2000, 4)}, kTime);
  for (const ChunkId& id : {whole, torn, gone}) remove_archive(id);
  lose_pack_of(gone);  // the archive object has a pack of its own
  forget(id_of(shared));
  EXPECT_TRUE(run_compact().errors);
  EXPECT_TRUE(
      said(fmt::format("Soft-deleted archive archive-does-not-exist {0} cannot be fully preserved: "
                       "Archive {0} does not exist",
                       gone.hex())));
  EXPECT_TRUE(
      said(fmt::format("Soft-deleted archive torn {}: 1 objects missing from the index; "
                       "\"borg undelete\" may not fully recover it.",
                       torn.hex())));
  EXPECT_FALSE(said("Soft-deleted archive whole"));
  EXPECT_EQ(count("archives", store::Which::Deleted), 3U);
}

TEST_F(MaintenanceTest, OnlyAWritingCompactDoesWithoutASoundIndex) {
  create("first", {noise(2000, 1)}, kTime);
  const std::string fragment = "index/" + made_.store()->list_names("index")->front();
  TestRepository::flip_byte(*made_.store(), fragment, 40);
  {
    auto repository = open();
    const auto refused = compact(*repository, pool_, {.dry_run = true, .threshold = 0}, quiet_);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Code::CorruptIndexFragment);
  }
  EXPECT_FALSE(run_compact().errors);
  EXPECT_TRUE(said(fragment + " is corrupt, rebuilding the chunk index from the packs."));
  EXPECT_FALSE(problems({.verify_data = true}));
}

TEST_F(MaintenanceTest, RepairOfASoundRepositoryChangesNothing) {
  create("first", {noise(2000, 1)}, kTime);
  const auto files = [this] {
    std::vector<std::string> names;
    for (const char* space : {"archives", "index", "packs"}) {
      const auto listed = made_.store()->list_names(space);
      names.insert(names.end(), listed->begin(), listed->end());
    }
    return names;
  };
  const auto before = files();
  EXPECT_FALSE(repair({.verify_data = true, .find_lost_archives = true}));
  EXPECT_EQ(files(), before);
}

TEST_F(MaintenanceTest, RepairTellsWhichChunkOfWhichFileInWhichArchiveIsLost) {
  const std::string lost = noise(2000, 1);
  create("first", {noise(2000, 2), lost}, kTime);
  create("second", {lost}, kLater);
  damage(id_of(lost));
  const std::string id = id_of(lost).hex();
  EXPECT_TRUE(repair());
  EXPECT_TRUE(said("Chunk " + id + " is lost, it was in pack "));
  EXPECT_TRUE(said("- Chunk " + id + ", 2.00 kB\n    - file1: first\n    - file0: second\n"));
  EXPECT_FALSE(problems({.archives = false}));
  EXPECT_TRUE(problems());
  // The same data again is what heals it.
  create("third", {lost}, kLater);
  EXPECT_FALSE(problems({.verify_data = true}));
}

TEST_F(MaintenanceTest, RepairWritesAnArchiveAgainWithWhatIsLeft) {
  const ChunkId old = create("first", {noise(2000, 1)}, kTime);
  damage(objects_of_type('S').front());
  EXPECT_TRUE(repair());
  EXPECT_TRUE(said("Archive first: 0 of "));
  const auto left = archives();
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].name, "first");
  EXPECT_NE(left[0].id, old);
  EXPECT_EQ(left[0].nfiles, 0U);
  EXPECT_EQ(count("archives", store::Which::Deleted), 1U);
  EXPECT_FALSE(problems({.verify_data = true}));
}

TEST_F(MaintenanceTest, RepairDeletesTheEntryOfAnArchiveThatIsGone) {
  const ChunkId gone = create("first", {noise(2000, 1)}, kTime);
  create("second", {noise(2000, 2)}, kLater);
  lose_pack_of(gone);
  EXPECT_TRUE(repair());
  EXPECT_TRUE(said("Archive metadata block " + gone.hex() + " is missing!\nDeleting broken archive"));
  EXPECT_EQ(archives().size(), 1U);
  EXPECT_FALSE(problems({.verify_data = true}));
}

TEST_F(MaintenanceTest, LostArchivesAreListedAgain) {
  const ChunkId lost = create("first", {noise(2000, 1)}, kTime);
  const ChunkId deleted = create("second", {noise(2000, 2)}, kLater);
  remove_archive(deleted);
  ASSERT_TRUE(made_.store()->remove("archives/" + lost.hex()));
  EXPECT_TRUE(problems({.find_lost_archives = true}));
  EXPECT_TRUE(said("Would create archives directory entry for first " + lost.hex() + "."));
  EXPECT_TRUE(archives().empty());
  EXPECT_FALSE(repair({.find_lost_archives = true}));
  EXPECT_TRUE(said("Creating archives directory entry for first"));
  ASSERT_EQ(archives().size(), 1U);
  EXPECT_EQ(archives()[0].id, lost);
  EXPECT_EQ(count("archives", store::Which::Deleted), 1U);
}

// What cannot be read now may be there tomorrow.
TEST_F(MaintenanceTest, NoArchiveIsTouchedWhileAPackCannotBeRead) {
  const ChunkId first = create("first", {noise(2000, 1)}, kTime);
  for (const ChunkId& id : {first, objects_of_type('S').front()}) {
    auto repository = repo::Repository::open(
        std::make_unique<repo::testing::Unloadable>(made_.store(), "packs/" + place_of(id).pack.hex()),
        repo::testing::test_access(), {.lock = repo::LockMode::Exclusive});
    ASSERT_TRUE(repository);
    const auto result = check(**repository, pool_, {.repair = true}, quiet_);
    ASSERT_TRUE(result);
    EXPECT_TRUE(result->problems);
    EXPECT_TRUE(said("could not be read completely"));
    repository->reset();
    EXPECT_EQ(archives()[0].id, first);
    EXPECT_FALSE(problems({.verify_data = true}));
  }
}

TEST_F(MaintenanceTest, WithoutTheKeyNothingIsRepaired) {
  const TestRepository plain("authenticated-blake3");
  ::setenv("BORG_WORKAROUNDS", "authenticated_no_key", 1);
  auto repository = plain.open();
  ASSERT_TRUE(repository);
  const auto result = check(**repository, pool_, {.repair = true}, quiet_);
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().message().starts_with("A repair needs the key"));
}

}  // namespace
}  // namespace cairn::ops

#include "repo/compact.h"

#include "repo/checked_packs.h"

#include <atomic>
#include "repo/pack_check.h"
#include "repo/test_repository.h"
#include "repo/verify_data.h"

namespace cairn::repo {
namespace {

using testing::noise;
using testing::PlacedObject;
using testing::TestRepository;

class CompactTest : public testing::HomeTest {
 protected:
  std::unique_ptr<Repository> open() {
    auto repository = made_.open();
    EXPECT_TRUE(repository);
    return std::move(*repository);
  }
  // Ids that an archive would need.
  std::vector<ChunkId> used_;

  Result<CompactReport> compact(Repository& repository, std::uint64_t threshold = 0,
                                std::uint64_t pack_max = 50'000'000, bool dry_run = false) {
    CAIRN_CHECKED(repository.load_index(BadFragments::Rebuild, pool_));
    for (const ChunkId& id : used_) EXPECT_TRUE(repository.index().mark_used(id, 1));
    return compact_packs(repository, pool_, {.threshold = threshold, .dry_run = dry_run, .pack_max_size = pack_max});
  }
  // Every used object reads back, nothing is wrong, and the index matches the packs.
  void expect_clean(std::size_t objects) {
    auto repository = open();
    ASSERT_TRUE(repository->load_index(BadFragments::Error, pool_));
    EXPECT_EQ(repository->index().size(), objects);
    const auto packs = check_packs(*repository, pool_, {});
    ASSERT_TRUE(packs);
    EXPECT_FALSE(packs->problems());
    const auto data = verify_data(*repository, pool_);
    ASSERT_TRUE(data);
    EXPECT_EQ(data->errors, 0U);
    for (const ChunkId& id : used_) EXPECT_TRUE(repository->index().contains(id));
  }
  std::size_t count(std::string_view space) { return made_.store()->list_names(space)->size(); }

  TestRepository made_;
  exec::Pool pool_{2};
};

TEST_F(CompactTest, DropsUnusedPacksAndRewritesMixedOnes) {
  PackId mixed;
  {
    auto repository = open();
    std::vector<PlacedObject> first;
    for (unsigned i = 0; i < 4; ++i) first.push_back(TestRepository::make_object(*repository, noise(3'000'000, i)));
    std::vector<PlacedObject> second;
    second.push_back(TestRepository::make_object(*repository, "unused"));
    used_ = {first[1].id, first[3].id};
    mixed = TestRepository::put_pack(*repository, first, {true, true, true, true});
    TestRepository::put_pack(*repository, second, {true});
    const auto report = compact(*repository);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->dropped, 1U);
    EXPECT_EQ(report->rewritten, 1U);
    EXPECT_FALSE(report->warnings);
    EXPECT_EQ(report->size_before - report->size_after, report->to_free);
    EXPECT_EQ(repository->index().size(), 2U);
  }
  EXPECT_EQ(count("packs"), 1U);
  EXPECT_FALSE(made_.store()->info("packs/" + mixed.hex())->exists);
  EXPECT_FALSE(made_.store()->info(kInvalidMarker)->exists);
  expect_clean(2);
}

TEST_F(CompactTest, DryRunChangesNothing) {
  auto repository = open();
  std::vector<PlacedObject> objects;
  objects.push_back(TestRepository::make_object(*repository, "unused"));
  TestRepository::put_pack(*repository, objects, {true});
  const auto before = made_.store()->list_names("index");
  const auto report = compact(*repository, 0, 50'000'000, true);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->to_free, objects[0].bytes.size());
  EXPECT_EQ(count("packs"), 1U);
  EXPECT_EQ(*before, *made_.store()->list_names("index"));
}

TEST_F(CompactTest, MergesTinyPacksInBatches) {
  {
    auto repository = open();
    for (unsigned i = 0; i < 6; ++i) {
      std::vector<PlacedObject> objects;
      objects.push_back(TestRepository::make_object(*repository, noise(20'000, i)));
      used_.push_back(objects[0].id);
      TestRepository::put_pack(*repository, objects, {true});
    }
    const auto report = compact(*repository, 10, 70'000);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->merged, 6U);
  }
  EXPECT_EQ(count("packs"), 2U);
  expect_clean(6);
}

// Torture T1: the surviving object of a damaged pack must not get a valid name.
TEST_F(CompactTest, DamagedObjectsAreNeverCopied) {
  auto repository = open();
  std::vector<PlacedObject> objects;
  objects.push_back(TestRepository::make_object(*repository, noise(5000, 1)));
  objects.push_back(TestRepository::make_object(*repository, noise(5000, 2)));
  used_ = {objects[1].id};
  const PackId pack = TestRepository::put_pack(*repository, objects, {true, true});
  TestRepository::flip_byte(repository->store(), "packs/" + pack.hex(), objects[0].bytes.size() + 3000);
  const auto report = compact(*repository);
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->warnings);
  EXPECT_EQ(report->rewritten, 0U);
  EXPECT_EQ(made_.store()->list_names("packs"), std::vector{pack.hex()});
  const auto check = check_packs(*repository, pool_, {});
  ASSERT_TRUE(check);
  EXPECT_EQ(check->corrupt, std::vector{pack});
}

TEST_F(CompactTest, DamageInWhatIsDroppedDoesNotMatter) {
  {
    auto repository = open();
    std::vector<PlacedObject> objects;
    objects.push_back(TestRepository::make_object(*repository, noise(5000, 1)));
    objects.push_back(TestRepository::make_object(*repository, noise(5000, 2)));
    used_ = {objects[1].id};
    const PackId pack = TestRepository::put_pack(*repository, objects, {true, true});
    TestRepository::flip_byte(repository->store(), "packs/" + pack.hex(), 3000);
    const auto report = compact(*repository);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->rewritten, 1U);
    EXPECT_FALSE(report->warnings);
  }
  expect_clean(1);
}

TEST_F(CompactTest, RecordedCorruptPacksAreLeftAlone) {
  auto repository = open();
  std::vector<PlacedObject> objects;
  objects.push_back(TestRepository::make_object(*repository, noise(5000, 1)));
  objects.push_back(TestRepository::make_object(*repository, noise(5000, 2)));
  used_ = {objects[1].id};
  const PackId pack = TestRepository::put_pack(*repository, objects, {true, true});
  CheckedPacks records(repository->store(), repository->objects());
  records.record(pack, {.timestamp = 1, .intact = false});
  ASSERT_TRUE(records.save());
  const auto report = compact(*repository);
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->warnings);
  EXPECT_EQ(made_.store()->list_names("packs"), std::vector{pack.hex()});
}

// Two clients stored the same chunks at the same time: one copy is in no index.
TEST_F(CompactTest, SupersededPacksAreDropped) {
  {
    auto repository = open();
    std::vector<PlacedObject> copies;
    std::vector<PlacedObject> again;
    for (unsigned i = 0; i < 3; ++i) {
      copies.push_back(TestRepository::make_object(*repository, noise(9000, i)));
      again.push_back(TestRepository::make_object(*repository, noise(9000, i)));
      used_.push_back(copies.back().id);
    }
    TestRepository::put_pack(*repository, copies, {true, true, true});
    TestRepository::put_pack(*repository, again, {false, false, false});
    const auto report = compact(*repository);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->dropped, 1U);
    EXPECT_EQ(report->unindexed_bytes, 0U);
  }
  EXPECT_EQ(count("packs"), 1U);
  expect_clean(3);
}

TEST_F(CompactTest, SupersededCopiesStayIfTheIndexedOneIsDamaged) {
  auto repository = open();
  std::vector<PlacedObject> copies;
  std::vector<PlacedObject> again;
  copies.push_back(TestRepository::make_object(*repository, noise(9000, 1)));
  again.push_back(TestRepository::make_object(*repository, noise(9000, 1)));
  used_ = {copies[0].id};
  const PackId indexed = TestRepository::put_pack(*repository, copies, {true});
  TestRepository::put_pack(*repository, again, {false});
  TestRepository::flip_byte(repository->store(), "packs/" + indexed.hex(), 5000);
  const auto report = compact(*repository);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->dropped, 0U);
  EXPECT_TRUE(report->warnings);
  EXPECT_EQ(count("packs"), 2U);
}

TEST_F(CompactTest, UnindexedObjectsAreKeptWhenTheirPackIsRewritten) {
  std::size_t gap = 0;
  {
    auto repository = open();
    std::vector<PlacedObject> objects;
    for (unsigned i = 0; i < 3; ++i) objects.push_back(TestRepository::make_object(*repository, noise(4000, i)));
    used_ = {objects[0].id};
    gap = objects[1].bytes.size();
    TestRepository::put_pack(*repository, objects, {true, false, true});
    const auto report = compact(*repository);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->rewritten, 1U);
    EXPECT_EQ(report->unindexed_bytes, gap);
    EXPECT_EQ(report->size_after, objects[0].bytes.size() + gap);
  }
  expect_clean(1);
}

TEST_F(CompactTest, WholeUnindexedPacksStay) {
  auto repository = open();
  std::vector<PlacedObject> objects;
  objects.push_back(TestRepository::make_object(*repository, "from a backup that crashed"));
  TestRepository::put_pack(*repository, objects, {false});
  const auto report = compact(*repository);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->unindexed_bytes, objects[0].bytes.size());
  EXPECT_EQ(count("packs"), 1U);
}

TEST_F(CompactTest, OverlappingEntriesAreAnErrorAndTouchNothing) {
  auto repository = open();
  std::vector<PlacedObject> objects;
  objects.push_back(TestRepository::make_object(*repository, noise(4000, 1)));
  objects.push_back(TestRepository::make_object(*repository, noise(4000, 2)));
  const PackId pack = TestRepository::put_pack(*repository, objects, {true, false});
  Buffer rows;
  append_row({objects[1].id, {pack, 100, static_cast<std::uint32_t>(objects[1].bytes.size())}}, rows);
  ASSERT_TRUE(repository->fragments().write_new(rows));
  const auto report = compact(*repository);
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->errors);
  EXPECT_EQ(made_.store()->list_names("packs"), std::vector{pack.hex()});
}

TEST_F(CompactTest, EntriesOfAMissingPackStayAndAreReported) {
  auto repository = open();
  std::vector<PlacedObject> objects;
  objects.push_back(TestRepository::make_object(*repository, "lost"));
  used_ = {objects[0].id};
  const PackId pack = TestRepository::put_pack(*repository, objects, {true});
  ASSERT_TRUE(repository->store().remove("packs/" + pack.hex()));
  const auto report = compact(*repository);
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->warnings);
  EXPECT_TRUE(report->errors);
  EXPECT_TRUE(repository->index().contains(objects[0].id));
}

TEST_F(CompactTest, StoppedBeforeItStartsItChangesNothing) {
  auto repository = open();
  std::vector<PlacedObject> objects;
  objects.push_back(TestRepository::make_object(*repository, "unused"));
  TestRepository::put_pack(*repository, objects, {true});
  ASSERT_TRUE(repository->load_index(BadFragments::Rebuild, pool_));
  const std::atomic<bool> interrupted{true};
  const auto report = compact_packs(*repository, pool_, {.threshold = 0, .interrupted = &interrupted});
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->interrupted);
  EXPECT_EQ(count("packs"), 1U);
  EXPECT_FALSE(made_.store()->info(kInvalidMarker)->exists);
}

TEST_F(CompactTest, StoppedBetweenPacksItStillWritesTheIndex) {
  std::atomic<bool> interrupted{false};
  {
    auto repository = open();
    for (unsigned i = 0; i < 8; ++i) {
      std::vector<PlacedObject> objects;
      objects.push_back(TestRepository::make_object(*repository, noise(100, i)));
      TestRepository::put_pack(*repository, objects, {true});
    }
    exec::Pool one(1);
    ASSERT_TRUE(repository->load_index(BadFragments::Rebuild, one));
    const auto report =
        compact_packs(*repository, one,
                      {.threshold = 0, .interrupted = &interrupted, .progress = [&](std::uint64_t done, std::uint64_t) {
                         interrupted = done == 3;
                       }});
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->interrupted);
    EXPECT_EQ(report->dropped, 3U);
  }
  EXPECT_EQ(count("packs"), 5U);
  EXPECT_FALSE(made_.store()->info(kInvalidMarker)->exists);
  expect_clean(5);
}

// The process stops at every operation that changes the store, before or after it; power may be lost as well.
TEST_F(CompactTest, DyingAnywhereLosesNothing) {
  using Kind = store::Fault::Kind;
  const std::string texts[] = {noise(30'000, 1), noise(30'000, 2), noise(30'000, 3), noise(30'000, 4)};
  for (const Kind kind : {Kind::DieBefore, Kind::DieAfter}) {
    std::atomic<bool> died{true};
    for (std::uint64_t at = 1; died; ++at) {
      made_ = TestRepository();
      used_.clear();
      std::vector<ChunkId> ids;
      {
        auto repository = open();
        for (unsigned p = 0; p < 3; ++p) {
          std::vector<PlacedObject> objects;
          for (const std::string& text : texts) {
            objects.push_back(TestRepository::make_object(*repository, text + std::to_string(p)));
          }
          for (const auto& object : objects) ids.push_back(object.id);
          TestRepository::put_pack(*repository, objects, {true, true, true, true});
        }
        ASSERT_TRUE(repository->store().sync());
      }
      used_ = {ids[0], ids[3], ids[5]};
      died = false;
      {
        // Everything after the chosen operation fails too: a dead process does nothing more.
        auto repository = made_.open({.kind = kind, .at = at + 1, .lasting = true, .die = [&] { died = true; }});
        if (repository) (void)compact(**repository);
      }
      made_.break_locks();
      SCOPED_TRACE(at);
      made_.disk->lose_power(at);
      auto repository = open();
      ASSERT_TRUE(repository->load_index(BadFragments::Error, pool_));
      for (const ChunkId& id : used_) ASSERT_TRUE(repository->index().contains(id));
      const auto data = verify_data(*repository, pool_);
      ASSERT_TRUE(data);
      EXPECT_EQ(data->errors, 0U);
      ASSERT_LT(at, 100U);
    }
  }
}

TEST_F(CompactTest, NeedsPermissionToDelete) {
  EXPECT_TRUE(check_compact_permissions(*made_.store()));
  class NoDelete final : public store::Store {
   public:
    Status create() override { return {}; }
    Status destroy() override { return {}; }
    Status open() override { return {}; }
    std::string location() const override { return {}; }
    Result<std::vector<store::Entry>> list(std::string_view, store::Which) override { return {}; }
    Result<store::Info> info(std::string_view) override { return {}; }
    Status load(std::string_view, Buffer&) override { return {}; }
    Status load_range(std::string_view, std::uint64_t, std::uint64_t, Buffer&) override { return {}; }
    Status put(std::string_view, Bytes) override { return {}; }
    Status remove(std::string_view) override { return {}; }
    Status move(std::string_view, std::string_view) override { return {}; }
    Result<Digest256> hash(std::string_view) override { return {}; }
    Status sync() override { return {}; }
    std::string granted(std::string_view) const override { return "lrw"; }
  };
  const auto status = check_compact_permissions(NoDelete());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), Code::PermissionDenied);
  EXPECT_EQ(status.error().message(),
            "Repository permission denied: compaction needs write (w/W) and delete (D) permissions on packs/, but only "
            "'lrw' is granted (BORG_REPO_PERMISSIONS).");
}

}  // namespace
}  // namespace cairn::repo

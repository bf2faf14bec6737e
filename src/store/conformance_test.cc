// What every store must do, run against each of them.

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hash/blake3.h"
#include "store/counted.h"
#include "store/faulty.h"
#include "store/memory.h"
#include "store/posix.h"
#include "store/temporary_directory_for_test.h"

namespace cairn::store {
namespace {

const std::string kPack = "packs/" + std::string(64, '5');
const std::string kArchive = "archives/" + std::string(64, 'a');

struct Subject {
  const char* name;
  std::unique_ptr<Store> (*make)(const std::string& directory);
};

class Conformance : public testing::TestWithParam<Subject> {
 protected:
  void SetUp() override {
    store_ = GetParam().make(directory_.path() + "/repo");
    ASSERT_TRUE(store_->create());
    ASSERT_TRUE(store_->open());
  }
  std::string text_at(std::string_view name) {
    Buffer out;
    const Status status = store_->load(name, out);
    return status ? std::string(text_of(out)) : "error: " + status.error().message();
  }
  std::string range_at(std::string_view name, std::uint64_t offset, std::uint64_t size) {
    Buffer out;
    out.append(bytes_of("stale bytes of an earlier use"));
    const Status status = store_->load_range(name, offset, size, out);
    return status ? std::string(text_of(out)) : "error: " + status.error().message();
  }
  Status put(std::string_view name, std::string_view value) { return store_->put(name, bytes_of(value)); }
  Code code_of_load(std::string_view name) {
    Buffer out;
    const Status status = store_->load(name, out);
    return status ? Code::Internal : status.error().code();
  }

  TemporaryDirectoryForTest directory_;
  std::unique_ptr<Store> store_;
};

TEST_P(Conformance, CreatedStoreIsEmptyInEveryNamespace) {
  for (const std::string_view space : kNamespaces) {
    const Result<std::vector<Entry>> entries = store_->list(space);
    ASSERT_TRUE(entries) << space;
    EXPECT_TRUE(entries->empty()) << space;
  }
}

TEST_P(Conformance, SecondCreateIsRefused) {
  EXPECT_EQ(store_->create().error().code(), Code::RepositoryAlreadyExists);
}

TEST_P(Conformance, DestroyedStoreDoesNotExist) {
  ASSERT_TRUE(put("config/config", "x"));
  ASSERT_TRUE(put(kPack, "y"));
  ASSERT_TRUE(store_->destroy());
  EXPECT_EQ(store_->open().error().code(), Code::RepositoryDoesNotExist);
  EXPECT_EQ(store_->destroy().error().code(), Code::RepositoryDoesNotExist);
}

TEST_P(Conformance, ValuesOfAllSizesComeBack) {
  std::mt19937 random(1);
  for (const std::size_t size : {0u, 1u, 4095u, 4096u, 4097u, 1u << 20, (4u << 20) + 1, 9u << 20}) {
    std::string value(size, '\0');
    for (std::size_t i = 0; i < size; i += 997) value[i] = static_cast<char>(random());
    ASSERT_TRUE(put(kPack, value));
    EXPECT_TRUE(text_at(kPack) == value) << size;
    EXPECT_EQ(*store_->hash(kPack), hash::blake3(bytes_of(value))) << size;
    const Result<Info> info = store_->info(kPack);
    ASSERT_TRUE(info);
    EXPECT_TRUE(info->exists);
    EXPECT_FALSE(info->directory);
    EXPECT_EQ(info->size, size);
    EXPECT_GT(info->mtime, 1e9);
  }
}

TEST_P(Conformance, PutReplaces) {
  ASSERT_TRUE(put("config/config", "a longer first value"));
  ASSERT_TRUE(put("config/config", "second"));
  EXPECT_EQ(text_at("config/config"), "second");
  EXPECT_EQ(store_->list("config")->size(), 1u);
}

TEST_P(Conformance, PackIsReplacedForRangeReadersToo) {
  ASSERT_TRUE(put(kPack, "first"));
  EXPECT_EQ(range_at(kPack, 0, 5), "first");
  ASSERT_TRUE(put(kPack, "other"));
  EXPECT_EQ(range_at(kPack, 0, 5), "other");
}

TEST_P(Conformance, RangesGiveWhatExists) {
  for (const std::string& name : {kPack, std::string("config/config")}) {
    ASSERT_TRUE(put(name, "0123456789"));
    EXPECT_EQ(range_at(name, 0, 10), "0123456789");
    EXPECT_EQ(range_at(name, 0, 0), "");
    EXPECT_EQ(range_at(name, 3, 4), "3456");
    EXPECT_EQ(range_at(name, 9, 1), "9");
    EXPECT_EQ(range_at(name, 8, 100), "89");
    EXPECT_EQ(range_at(name, 10, 1), "");
    EXPECT_EQ(range_at(name, 1000, 1000), "");
    EXPECT_EQ(range_at(name, 2, UINT64_MAX), "23456789");
    EXPECT_EQ(range_at(name, UINT64_MAX, UINT64_MAX), "");
  }
}

TEST_P(Conformance, MissingObjectsAreNotFound) {
  EXPECT_EQ(code_of_load(kPack), Code::NotFound);
  EXPECT_EQ(code_of_load("config/config"), Code::NotFound);
  Buffer out;
  EXPECT_EQ(store_->load_range(kPack, 0, 1, out).error().code(), Code::NotFound);
  EXPECT_EQ(store_->remove(kPack).error().code(), Code::NotFound);
  EXPECT_EQ(store_->hash(kPack).error().code(), Code::NotFound);
  EXPECT_EQ(store_->move(kPack, kPack + ".del").error().code(), Code::NotFound);
  EXPECT_FALSE(store_->info(kPack)->exists);
  EXPECT_NE(text_at(kPack).find(std::string(64, '5')), std::string::npos);
}

TEST_P(Conformance, FailedLoadLeavesNoStaleBytes) {
  Buffer out;
  out.append(bytes_of("stale"));
  EXPECT_FALSE(store_->load("keys/none", out));
  EXPECT_TRUE(out.empty());
}

TEST_P(Conformance, RemovedPackIsGoneForRangeReadersToo) {
  ASSERT_TRUE(put(kPack, "value"));
  EXPECT_EQ(range_at(kPack, 0, 2), "va");
  ASSERT_TRUE(store_->remove(kPack));
  Buffer out;
  EXPECT_EQ(store_->load_range(kPack, 0, 2, out).error().code(), Code::NotFound);
  EXPECT_TRUE(store_->list("packs")->empty());
}

TEST_P(Conformance, SoftDeleteAndBack) {
  ASSERT_TRUE(put(kArchive, ""));
  ASSERT_TRUE(store_->move(kArchive, kArchive + ".del"));
  EXPECT_TRUE(store_->list("archives", Which::Live)->empty());
  const std::vector<Entry> deleted = *store_->list("archives", Which::Deleted);
  ASSERT_EQ(deleted.size(), 1u);
  EXPECT_EQ(deleted[0].name, std::string(64, 'a'));
  EXPECT_EQ(*store_->list_names("archives", Which::Deleted), std::vector<std::string>{std::string(64, 'a')});
  EXPECT_FALSE(store_->info(kArchive)->exists);
  EXPECT_TRUE(store_->info(kArchive + ".del")->exists);
  ASSERT_TRUE(store_->move(kArchive + ".del", kArchive));
  EXPECT_EQ(store_->list("archives", Which::Live)->size(), 1u);
  EXPECT_TRUE(store_->list("archives", Which::Deleted)->empty());
}

TEST_P(Conformance, MoveReplacesItsTarget) {
  ASSERT_TRUE(put("cache/a", "new"));
  ASSERT_TRUE(put("cache/b", "old"));
  ASSERT_TRUE(store_->move("cache/a", "cache/b"));
  EXPECT_EQ(text_at("cache/b"), "new");
  EXPECT_EQ(store_->list("cache")->size(), 1u);
  ASSERT_TRUE(store_->move("cache/b", "cache/b"));
  EXPECT_EQ(text_at("cache/b"), "new");
}

TEST_P(Conformance, ListsAreSortedAndComplete) {
  std::mt19937_64 random(2);
  std::vector<std::string> expected;
  for (std::size_t i = 0; i < 300; ++i) {
    std::string key;
    for (int word = 0; word < 4; ++word) key += fmt::format("{:016x}", random());
    ASSERT_TRUE(put("packs/" + key, key.substr(0, i % 60)));
    expected.push_back(key);
  }
  std::ranges::sort(expected);
  const std::vector<Entry> entries = *store_->list("packs");
  ASSERT_EQ(entries.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(entries[i].name, expected[i]);
  EXPECT_EQ(*store_->list_names("packs"), expected);
  EXPECT_EQ(entries[0].size, store_->info("packs/" + entries[0].name)->size);
}

TEST_P(Conformance, BadNamesAreRefusedByEveryOperation) {
  Buffer out;
  for (const std::string name :
       {"", "config", "config/", "/config/x", "config/../x", "config/X", "config/a b", "config/x.tmp", "config/x.hid",
        "config/a/b", "config\\x", "nowhere/x", "config/..", "packs"}) {
    EXPECT_FALSE(put(name, "x")) << name;
    EXPECT_FALSE(store_->load(name, out)) << name;
    EXPECT_FALSE(store_->load_range(name, 0, 1, out)) << name;
    EXPECT_FALSE(store_->remove(name)) << name;
    EXPECT_FALSE(store_->hash(name)) << name;
    EXPECT_FALSE(store_->move(name, "config/x")) << name;
    EXPECT_FALSE(store_->move("config/x", name)) << name;
  }
  EXPECT_FALSE(store_->list("nowhere"));
  EXPECT_FALSE(store_->list("config/.."));
  EXPECT_FALSE(store_->info("../x"));
}

TEST_P(Conformance, InfoKnowsNamespaces) {
  EXPECT_TRUE(store_->info("config")->directory);
  EXPECT_FALSE(store_->info("data")->exists);
}

TEST_P(Conformance, GatherKeepsOrderAndDuplicates) {
  ASSERT_TRUE(put(kPack, "0123456789"));
  ASSERT_TRUE(put("packs/" + std::string(64, '6'), "abcdef"));
  const std::string other = "packs/" + std::string(64, '6');
  const Range ranges[] = {{other, 4, 2}, {kPack, 0, 3}, {kPack, 0, 3}, {other, 0, 0}, {"packs/none", 5, 0}};
  Buffer out;
  out.append(bytes_of("stale"));
  ASSERT_TRUE(store_->gather(ranges, out));
  EXPECT_EQ(text_of(out), "ef012012");
  ASSERT_TRUE(store_->gather({}, out));
  EXPECT_TRUE(out.empty());
}

TEST_P(Conformance, GatherFailsOnShortReadsAndMissingObjects) {
  ASSERT_TRUE(put(kPack, "0123456789"));
  Buffer out;
  const Range beyond[] = {{kPack, 8, 3}};
  EXPECT_EQ(store_->gather(beyond, out).error().code(), Code::Integrity);
  const Range missing[] = {{kPack, 8, 2}, {"packs/none", 0, 1}};
  EXPECT_EQ(store_->gather(missing, out).error().code(), Code::NotFound);
}

TEST_P(Conformance, DefragNamesThePackByItsContent) {
  ASSERT_TRUE(put(kPack, "hello world"));
  const Range ranges[] = {{kPack, 6, 5}, {kPack, 5, 1}, {kPack, 0, 5}};
  const Result<PackId> id = store_->defrag(ranges);
  ASSERT_TRUE(id);
  EXPECT_EQ(id->raw, hash::blake3(bytes_of("world hello")).raw);
  EXPECT_EQ(text_at("packs/" + id->hex()), "world hello");
  EXPECT_EQ(text_at(kPack), "hello world");
  EXPECT_EQ(store_->defrag(ranges)->raw, id->raw);
}

TEST_P(Conformance, SyncWorksWithNothingFewAndManyPending) {
  ASSERT_TRUE(store_->sync());
  ASSERT_TRUE(put("config/config", "x"));
  ASSERT_TRUE(put("config/gone", "x"));
  ASSERT_TRUE(store_->remove("config/gone"));
  ASSERT_TRUE(store_->sync());
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(put(fmt::format("packs/{:064x}", i), "x"));
  ASSERT_TRUE(store_->sync());
  ASSERT_TRUE(store_->sync());
  EXPECT_EQ(store_->list("packs")->size(), 200u);
}

TEST_P(Conformance, ManyThreadsSeeOldOrNewValuesNeverMixtures) {
  constexpr int kThreads = 8;
  constexpr int kRounds = 150;
  std::atomic<int> wrong = 0;
  const auto work = [&](int thread) {
    std::mt19937 random(static_cast<unsigned>(thread));
    Buffer out;
    for (int round = 0; round < kRounds; ++round) {
      const std::string name = fmt::format("packs/{:064x}", random() % 4);
      switch (random() % 6) {
        case 0:
        case 1: {
          const std::string value(1000 + random() % 3 * 1000, static_cast<char>('a' + random() % 26));
          if (!store_->put(name, bytes_of(value))) ++wrong;
          break;
        }
        case 2: {
          const Status removed = store_->remove(name);
          if (!removed && removed.error().code() != Code::NotFound) ++wrong;
          break;
        }
        case 3:
          if (!store_->list("packs")) ++wrong;
          if (round % 10 == 0 && !store_->sync()) ++wrong;
          break;
        default: {
          const bool whole = random() % 2 == 0;
          const Status loaded = whole ? store_->load(name, out) : store_->load_range(name, 500, 5000, out);
          if (!loaded) {
            if (loaded.error().code() != Code::NotFound) ++wrong;
            break;
          }
          const std::string_view text = text_of(out);
          if (text.find_first_not_of(text[0]) != std::string_view::npos) ++wrong;
          if ((text.size() + (whole ? 0 : 500)) % 1000 != 0) ++wrong;
        }
      }
    }
  };
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) threads.emplace_back(work, thread);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

const Subject kSubjects[] = {
    {"memory", [](const std::string&) { return make_memory_store(); }},
    {"posix", [](const std::string& directory) { return make_posix_store(directory); }},
    {"posix_quota",
     [](const std::string& directory) { return make_posix_store(directory, {.quota_limit = std::uint64_t{1} << 40}); }},
    {"posix_volatile", [](const std::string& directory) { return make_posix_store(directory, {.durable = false}); }},
    {"posix_few_files", [](const std::string& directory) { return make_posix_store(directory, {.open_packs = 1}); }},
    {"counted",
     [](const std::string& directory) {
       return make_counted_store(make_posix_store(directory), std::make_shared<StoreStatistics>());
     }},
    {"faulty", [](const std::string&) { return make_faulty_store(make_memory_store(), Fault{}); }},
};
INSTANTIATE_TEST_SUITE_P(Stores, Conformance, testing::ValuesIn(kSubjects),
                         [](const testing::TestParamInfo<Subject>& subject) {
                           return std::string(subject.param.name);
                         });

}  // namespace
}  // namespace cairn::store

#include "repo/checked_packs.h"
#include "repo/pack_check.h"
#include "repo/reference_cache.h"
#include "repo/test_repository.h"
#include "repo/verify_data.h"

namespace cairn::repo {
namespace {

using testing::noise;
using testing::PlacedObject;
using testing::TestRepository;

class CachesTest : public testing::HomeTest {
 protected:
  void SetUp() override {
    auto opened = made_.open();
    ASSERT_TRUE(opened);
    repository_ = std::move(*opened);
  }
  store::Store& store() { return repository_->store(); }
  StoreObjects& objects() { return repository_->objects(); }
  PackId pack(std::uint64_t seed) {
    std::vector<PlacedObject> placed;
    placed.push_back(TestRepository::make_object(*repository_, noise(3000, seed)));
    return TestRepository::put_pack(*repository_, placed, {true});
  }
  std::optional<PackRecord> record(const PackId& id) {
    CheckedPacks records(store(), objects());
    EXPECT_TRUE(records.load());
    return records.find(id);
  }

  TestRepository made_;
  std::unique_ptr<Repository> repository_;
  exec::Pool pool_{2};
};

class FixedClock final : public Clock {
 public:
  Nanoseconds now() const override { return wall; }
  Nanoseconds monotonic() const override { return ticks += step; }
  void sleep(Nanoseconds) const override {}
  Nanoseconds wall = 1'796'000'000 * kSecond;
  mutable Nanoseconds ticks = 0;
  Nanoseconds step = 0;
};

TEST_F(CachesTest, CheckedPacksSurviveSavingAndDamageMeansNone) {
  const PackId good = pack(1);
  const PackId bad = pack(2);
  CheckedPacks records(store(), objects());
  records.record(good, {.timestamp = 1'796'048'570, .intact = true});
  records.record(bad, {.timestamp = 1, .intact = false});
  ASSERT_TRUE(records.save());
  EXPECT_EQ(record(good), (PackRecord{.timestamp = 1'796'048'570, .intact = true}));
  EXPECT_EQ(record(bad), (PackRecord{.timestamp = 1, .intact = false}));
  EXPECT_EQ(record(PackId{}), std::nullopt);
  TestRepository::flip_byte(store(), "cache/checked-packs", 70);
  EXPECT_EQ(record(good), std::nullopt);
  ASSERT_TRUE(store().put("cache/checked-packs", {}));
  EXPECT_EQ(record(good), std::nullopt);
  records.keep_only([](const PackId&) { return false; });
  ASSERT_TRUE(records.save());
  EXPECT_FALSE(store().info("cache/checked-packs")->exists);
}

TEST_F(CachesTest, ReferencesKeepEachIdOnceAndCountAll) {
  ArchiveReferences references;
  std::vector<ChunkId> ids;
  for (std::uint32_t i = 0; i < 5000; ++i) ids.push_back(ChunkId{hash::blake3(bytes_of(std::to_string(i))).raw});
  for (int round = 0; round < 2; ++round) {
    for (std::uint32_t i = 0; i < 5000; ++i) {
      references.add(ids[i], i);
      references.count_content(i);
    }
    references.count_item();
  }
  EXPECT_EQ(references.size(), 5000U);
  Buffer payload;
  references.encode(payload);
  EXPECT_EQ(load_le<std::uint64_t>(payload.data()), 2U);
  EXPECT_EQ(load_le<std::uint64_t>(payload.data() + 8), 2U * 4999 * 5000 / 2);
  auto read = ArchiveReferences::decode(payload);
  ASSERT_TRUE(read);
  std::size_t found = 0;
  read->for_each([&](const ChunkId& id, std::uint32_t size) { found += ids[size] == id ? 1U : 0U; });
  EXPECT_EQ(found, 5000U);
  read->add(ids[0], 0);  // known
  EXPECT_EQ(read->size(), 5000U);
  for (const std::size_t size : {std::size_t{0}, std::size_t{15}, std::size_t{16}, payload.size() - 1}) {
    EXPECT_FALSE(ArchiveReferences::decode(payload.view(0, size))) << size;
  }
}

TEST_F(CachesTest, ReferencesAreUsedOnlyUnderTheirOwnName) {
  const ChunkId archive{hash::blake3(bytes_of("archive")).raw};
  const ChunkId other{hash::blake3(bytes_of("other")).raw};
  ArchiveReferences references;
  references.add(archive, 0);
  ASSERT_TRUE(save_references(store(), objects(), archive, references));
  EXPECT_TRUE(load_references(store(), objects(), archive)->has_value());
  EXPECT_FALSE(load_references(store(), objects(), other)->has_value());
  Buffer bytes;
  ASSERT_TRUE(store().load("cache/referenced-by-archive." + archive.hex(), bytes));
  ASSERT_TRUE(store().put("cache/referenced-by-archive." + other.hex(), bytes));
  EXPECT_FALSE(load_references(store(), objects(), other)->has_value());
  EXPECT_EQ(remove_other_references(store(), [&](const ChunkId& id) { return id == archive; }).value(), 1U);
  EXPECT_TRUE(load_references(store(), objects(), archive)->has_value());
}

TEST_F(CachesTest, ASoundRepositoryHasNoProblems) {
  for (unsigned i = 0; i < 5; ++i) pack(i);
  const auto report = check_packs(*repository_, pool_, {});
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->problems());
  EXPECT_EQ(report->packs, 5U);
  EXPECT_EQ(report->index_files, 6U);
  EXPECT_EQ(verify_data(*repository_, pool_)->errors, 0U);
}

TEST_F(CachesTest, EveryKindOfDamageIsCounted) {
  const PackId corrupt = pack(1);
  const PackId missing = pack(2);
  pack(3);
  std::vector<PlacedObject> orphan;
  orphan.push_back(TestRepository::make_object(*repository_, "orphan"));
  TestRepository::put_pack(*repository_, orphan, {false});
  TestRepository::flip_byte(store(), "packs/" + corrupt.hex(), 1000);
  ASSERT_TRUE(store().remove("packs/" + missing.hex()));
  ASSERT_TRUE(store().put("packs/00112233", bytes_of("hi")));
  const auto report = check_packs(*repository_, pool_, {});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->corrupt, std::vector{corrupt});
  EXPECT_EQ(report->missing, std::vector{missing});
  EXPECT_EQ(report->unreferenced, 1U);
  EXPECT_EQ(report->pack_errors, 2U);
  EXPECT_EQ(record(corrupt)->intact, false);
  const auto data = verify_data(*repository_, pool_);
  ASSERT_TRUE(data);
  EXPECT_EQ(data->errors, 2U);
}

// Unlike in Borg, a bad fragment does not hide the state of the packs.
TEST_F(CachesTest, ABadFragmentDoesNotStopTheCheck) {
  const PackId one = pack(1);
  const auto names = store().list_names("index").value();
  for (const auto& name : names) TestRepository::flip_byte(store(), "index/" + name, 50);
  const auto report = check_packs(*repository_, pool_, {});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->index_errors, 2U);
  EXPECT_EQ(report->packs, 1U);
  EXPECT_EQ(report->pack_errors, 0U);
  EXPECT_TRUE(report->missing.empty());
  EXPECT_EQ(record(one)->intact, true);
  EXPECT_EQ(verify_data(*repository_, pool_)->objects, 1U);
}

TEST_F(CachesTest, RecentResultsAreReusedOnlyIfIntactAndYoung) {
  FixedClock clock;
  const std::uint64_t now = static_cast<std::uint64_t>(clock.wall / kSecond);
  const PackId young = pack(1);
  const PackId old = pack(2);
  const PackId bad = pack(3);
  const PackId future = pack(4);
  const PackId far_future = pack(5);
  pack(6);
  CheckedPacks records(store(), objects());
  records.record(young, {.timestamp = now - 3599, .intact = true});
  records.record(old, {.timestamp = now - 3600, .intact = true});
  records.record(bad, {.timestamp = now - 1, .intact = false});
  records.record(future, {.timestamp = now + 3600, .intact = true});
  records.record(far_future, {.timestamp = ~std::uint64_t{0}, .intact = true});
  ASSERT_TRUE(records.save());
  const auto report = check_packs(*repository_, pool_, {.max_age = 3600 * kSecond, .clock = &clock});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->reused, 2U);
  EXPECT_EQ(report->packs, 4U);
  EXPECT_EQ(record(old)->timestamp, now);
  EXPECT_EQ(record(bad)->intact, true);
}

TEST_F(CachesTest, APartialCheckTakesTheLeastRecentlyCheckedFirst) {
  FixedClock clock;
  clock.step = 4 * kSecond;  // each look at the clock
  const PackId never = pack(1);
  const PackId long_ago = pack(2);
  const PackId lately = pack(3);
  CheckedPacks records(store(), objects());
  records.record(long_ago, {.timestamp = 100, .intact = true});
  records.record(lately, {.timestamp = 200, .intact = true});
  ASSERT_TRUE(records.save());
  exec::Pool one(1);
  const auto report = check_packs(*repository_, one, {.max_duration = 10 * kSecond, .clock = &clock});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->packs, 2U);
  EXPECT_TRUE(record(never));
  EXPECT_GT(record(long_ago)->timestamp, 200U);
  EXPECT_EQ(record(lately)->timestamp, 200U);
}

TEST_F(CachesTest, StoppingKeepsWhatWasFound) {
  pack(1);
  const std::atomic<bool> interrupted{true};
  const auto report = check_packs(*repository_, pool_, {.interrupted = &interrupted});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code(), Code::Interrupted);
}

}  // namespace
}  // namespace cairn::repo

// Survey and salvage of damaged packs, as check --repair does them.
#include "repo/pack_salvage.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "base/log.h"
#include "repo/test_repository.h"
#include "repo/verify_data.h"
#include "store/decorator.h"

namespace cairn::repo {
namespace {

using testing::noise;
using testing::PlacedObject;
using testing::TestRepository;

std::string name_of(const PackId& pack) { return "packs/" + pack.hex(); }

class SalvageTest : public testing::HomeTest {
 protected:
  SalvageTest() {
    set_log_sink([](const LogRecord&) {});  // damage is what these tests are about
  }
  ~SalvageTest() override { set_log_sink({}); }

  std::unique_ptr<Repository> open() {
    auto repository = made_.open();
    CAIRN_CHECK(repository, "open");
    return std::move(*repository);
  }
  // A pack of these texts, all indexed.
  PackId put(const std::vector<std::string>& texts, bool indexed = true) {
    auto repository = open();
    std::vector<PlacedObject> objects;
    for (const std::string& text : texts) objects.push_back(TestRepository::make_object(*repository, text));
    const PackId pack = TestRepository::put_pack(*repository, objects, std::vector<bool>(texts.size(), indexed));
    CAIRN_CHECK(repository->store().sync(), "sync");
    return pack;
  }
  ChunkId id_of(const std::string& text) { return open()->id_hash()(bytes_of(text)); }
  Buffer bytes_of_pack(const PackId& pack) {
    Buffer bytes;
    CAIRN_CHECK(made_.store()->load(name_of(pack), bytes), "load");
    return bytes;
  }
  void replace(const PackId& pack, Bytes bytes) { CAIRN_CHECK(made_.store()->put(name_of(pack), bytes), "put"); }

  struct Repaired {
    std::vector<ChunkId> lost;
    PackSurvey survey;
    SalvageReport salvage;
  };
  static std::vector<PackId> corrupt_packs(Repository& repository, exec::Pool& pool) {
    const auto report = check_packs(repository, pool, {.repair = true});
    return report ? report->corrupt : std::vector<PackId>();
  }
  // What check --repair does with index and packs.
  Result<Repaired> repair(Repository& repository, Verify verify = Verify::Id) {
    std::vector<PackId> suspects = corrupt_packs(repository, pool_);
    CAIRN_CHECKED(repository.load_index(BadFragments::LeaveOut, pool_));
    Repaired result;
    CAIRN_TRY(result.survey, survey_packs(repository, pool_));
    for (const auto* more : {&result.survey.damaged, &result.survey.unreadable}) {
      suspects.insert(suspects.end(), more->begin(), more->end());
    }
    std::ranges::sort(suspects);
    suspects.erase(std::ranges::unique(suspects).begin(), suspects.end());
    CAIRN_TRY(result.salvage, salvage_packs(repository, pool_, suspects, result.survey.copies, {.verify = verify}));
    if (!result.salvage.wrote_index) CAIRN_CHECKED(repository.replace_index());
    for (const auto* lost : {&result.survey.lost, &result.salvage.lost}) {
      for (const PlacedChunk& chunk : *lost) result.lost.push_back(chunk.id);
    }
    std::ranges::sort(result.lost);
    return result;
  }
  Repaired repair() {
    auto repository = open();
    auto result = repair(*repository);
    CAIRN_CHECK(result, "repair");
    return std::move(*result);
  }
  // Nothing is wrong any more, and exactly these texts are there.
  void expect_sound(std::vector<std::string> texts) {
    auto repository = open();
    const auto packs = check_packs(*repository, pool_, {});
    ASSERT_TRUE(packs);
    EXPECT_FALSE(packs->problems());
    EXPECT_EQ(packs->unreferenced, 0U);
    ASSERT_TRUE(repository->load_index(BadFragments::Error, pool_));
    EXPECT_EQ(repository->index().size(), texts.size());
    for (const std::string& text : texts) EXPECT_TRUE(repository->index().contains(id_hash(*repository, text)));
    const auto data = verify_data(*repository, pool_);
    ASSERT_TRUE(data);
    EXPECT_EQ(data->errors, 0U);
    EXPECT_FALSE(made_.store()->info(kInvalidMarker)->exists);
  }
  static ChunkId id_hash(const Repository& repository, const std::string& text) {
    return repository.id_hash()(bytes_of(text));
  }

  TestRepository made_;
  exec::Pool pool_{2};
  const std::string a_ = noise(3000, 1), b_ = noise(5000, 2), c_ = noise(4000, 3);
};

TEST_F(SalvageTest, ASoundRepositoryStaysAsItIs) {
  const PackId pack = put({a_, b_});
  const auto before = made_.store()->list_names("index").value();
  auto repository = open();
  ASSERT_TRUE(repository->load_index(BadFragments::LeaveOut, pool_));
  const auto survey = survey_packs(*repository, pool_);
  ASSERT_TRUE(survey);
  EXPECT_FALSE(survey->changed_index());
  EXPECT_TRUE(survey->damaged.empty() && survey->copies.empty());
  // A suspicion that is not true harms nobody.
  const auto salvage = salvage_packs(*repository, pool_, std::vector{pack}, {}, {});
  ASSERT_TRUE(salvage);
  EXPECT_FALSE(salvage->wrote_index);
  EXPECT_EQ(salvage->removed, 0U);
  EXPECT_EQ(made_.store()->list_names("index").value(), before);
  repository.reset();
  expect_sound({a_, b_});
}

// One bit in every byte of the object in the middle: its neighbours are saved, and so is it where only the header is
// hit.
TEST_F(SalvageTest, AFlippedBitCostsAtMostItsObject) {
  put({a_, b_, c_});
  std::size_t begin = 0;
  std::size_t size = 0;
  {
    auto repository = open();
    ASSERT_TRUE(repository->load_index(BadFragments::Error, pool_));
    const auto place = repository->index().find(id_hash(*repository, b_));
    ASSERT_TRUE(place);
    begin = place->offset;
    size = place->size;
  }
  // Each field of the header, the metadata slot, the data slot.
  std::vector<std::size_t> places = {0, 7, 8, 9, 40, 41, 42, 43, 44, 45, 46, 47, 48, size - 1};
  for (std::size_t at = kObjectHeaderSize; at < kObjectHeaderSize + 140; at += 9) places.push_back(at);
  for (std::size_t at = kObjectHeaderSize + 140; at < size; at += 1487) places.push_back(at);
  for (const std::size_t at : places) {
    SCOPED_TRACE(at);
    made_ = TestRepository();
    const PackId damaged = put({a_, b_, c_});
    TestRepository::flip_byte(*made_.store(), name_of(damaged), begin + at);
    const Repaired repaired = repair();
    EXPECT_EQ(repaired.salvage.removed, 1U);
    if (at < kObjectHeaderSize) {
      EXPECT_TRUE(repaired.lost.empty());
      expect_sound({a_, b_, c_});
    } else {
      EXPECT_EQ(repaired.lost, std::vector{id_of(b_)});
      expect_sound({a_, c_});
    }
  }
}

TEST_F(SalvageTest, ATruncatedPackKeepsWhatIsWhole) {
  const Buffer original = bytes_of_pack(put({a_, b_, c_}));
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{3000}, std::size_t{3500}, std::size_t{8400}, original.size() - 1}) {
    SCOPED_TRACE(size);
    made_ = TestRepository();
    const PackId pack = put({a_, b_, c_});
    replace(pack, bytes_of_pack(pack).view(0, size));
    const Repaired repaired = repair();
    std::vector<std::string> left;
    if (size >= 3500) left.push_back(a_);
    if (size >= 8400) left.push_back(b_);
    EXPECT_EQ(repaired.lost.size(), 3 - left.size());
    expect_sound(left);
  }
}

TEST_F(SalvageTest, BytesBehindAPackAreCutOff) {
  const PackId pack = put({a_, b_});
  Buffer longer = bytes_of_pack(pack);
  longer.append(bytes_of("garbage"));
  replace(pack, longer);
  const Repaired repaired = repair();
  EXPECT_TRUE(repaired.lost.empty());
  EXPECT_EQ(repaired.salvage.removed, 1U);
  EXPECT_TRUE(made_.store()->info(name_of(pack))->exists);
  expect_sound({a_, b_});
}

TEST_F(SalvageTest, APackUnderAWrongNameGetsItsOwn) {
  const PackId pack = put({a_, b_});
  PackId wrong = pack;
  wrong.raw[0] ^= std::byte{1};
  ASSERT_TRUE(made_.store()->move(name_of(pack), name_of(wrong)));
  const Repaired repaired = repair();
  EXPECT_TRUE(repaired.lost.empty());
  EXPECT_FALSE(made_.store()->info(name_of(wrong))->exists);
  expect_sound({a_, b_});
}

TEST_F(SalvageTest, WhatWasInAMissingPackIsLostUnlessThereIsACopy) {
  const PackId missing = put({a_, b_});
  put({b_, c_}, false);
  ASSERT_TRUE(made_.store()->remove(name_of(missing)));
  const Repaired repaired = repair();
  EXPECT_EQ(repaired.lost, std::vector{id_of(a_)});
  EXPECT_EQ(repaired.survey.lost.front().location.pack, missing);
  expect_sound({b_, c_});
}

TEST_F(SalvageTest, AGoodCopyElsewhereTakesThePlaceOfADamagedOne) {
  const PackId pack = put({a_, b_});
  put({c_, b_}, false);
  TestRepository::flip_byte(*made_.store(), name_of(pack), bytes_of_pack(pack).size() - 1);
  const Repaired repaired = repair();
  EXPECT_TRUE(repaired.lost.empty());
  EXPECT_EQ(repaired.salvage.saved, 1U);  // a_
  expect_sound({a_, b_, c_});
}

// The index prefers the copy in a pack that nobody suspects, and that one is damaged: the other must not go with its
// pack.
TEST_F(SalvageTest, ACopyThatNobodyHasLookedAtIsLookedAt) {
  const PackId unsuspected = put({b_});
  const PackId pack = put({b_, a_}, false);
  put({a_ + "x"});
  TestRepository::flip_byte(*made_.store(), name_of(unsuspected), bytes_of_pack(unsuspected).size() - 1);
  TestRepository::flip_byte(*made_.store(), name_of(pack), bytes_of_pack(pack).size() - 1);
  {
    auto repository = open();
    ASSERT_TRUE(repository->load_index(BadFragments::Error, pool_));
    ASSERT_TRUE(survey_packs(*repository, pool_));
    ASSERT_EQ(repository->index().find(id_hash(*repository, b_))->pack, unsuspected);
    const auto salvaged = salvage_packs(*repository, pool_, std::vector{pack}, {}, {});
    ASSERT_TRUE(salvaged);
    EXPECT_EQ(salvaged->saved, 1U);
    EXPECT_EQ(salvaged->lost.size(), 1U);
  }
  EXPECT_TRUE(repair().lost.empty());
  expect_sound({b_, a_ + "x"});
}

// Two damaged packs hold the same chunks, and in each another one is hit.
TEST_F(SalvageTest, DamagedPacksHelpEachOther) {
  const PackId first = put({a_, b_});
  const PackId second = put({b_, a_}, false);
  for (const PackId& pack : {first, second}) {
    TestRepository::flip_byte(*made_.store(), name_of(pack), bytes_of_pack(pack).size() - 1);
  }
  EXPECT_TRUE(repair().lost.empty());
  expect_sound({a_, b_});
}

TEST_F(SalvageTest, UnindexedPacksAndWrongPlacesAreCorrected) {
  const PackId pack = put({a_, b_});
  put({c_}, false);
  {
    auto repository = open();
    ASSERT_TRUE(repository->load_index(BadFragments::Error, pool_));
    const auto place = repository->index().find(id_hash(*repository, b_));
    repository->index().insert(id_hash(*repository, b_), {pack, place->offset + 1, place->size});
    repository->index().insert(id_hash(*repository, "nothing"), {pack, 0, place->offset});
    ASSERT_TRUE(repository->replace_index());
  }
  const Repaired repaired = repair();
  EXPECT_EQ(repaired.survey.found, 1U);
  EXPECT_EQ(repaired.survey.moved, 1U);
  EXPECT_EQ(repaired.lost, std::vector{id_of("nothing")});
  expect_sound({a_, b_, c_});
}

TEST_F(SalvageTest, TheIndexIsMadeFromThePacksAlone) {
  put({a_, b_});
  put({c_});
  ASSERT_TRUE(made_.store()->put(kInvalidMarker, {}));
  EXPECT_TRUE(repair().lost.empty());
  expect_sound({a_, b_, c_});
  const auto fragments = made_.store()->list_names("index");
  for (const auto& name : *fragments) {
    TestRepository::flip_byte(*made_.store(), "index/" + name, 100);
  }
  EXPECT_TRUE(repair().lost.empty());
  expect_sound({a_, b_, c_});
}

TEST_F(SalvageTest, ObjectsThatLieAboutTheirContentAreNotSaved) {
  {
    auto repository = open();
    PlacedObject wrong = TestRepository::make_object(*repository, a_);
    ObjectWriter writer(repository->suite(), repository->material());
    const auto size = writer.prepare('F', wrong.id, bytes_of(b_), compress::Spec{});
    wrong.bytes.resize(*size);
    ASSERT_TRUE(writer.write(wrong.bytes));
    std::vector<PlacedObject> objects;
    objects.push_back(std::move(wrong));
    objects.push_back(TestRepository::make_object(*repository, c_));
    const PackId pack = TestRepository::put_pack(*repository, objects, {true, true});
    ASSERT_TRUE(repository->load_index(BadFragments::Error, pool_));
    const auto verified = verify_data(*repository, pool_);
    ASSERT_TRUE(verified);
    EXPECT_EQ(verified->defective, std::vector{pack});
    const auto salvaged = salvage_packs(*repository, pool_, verified->defective, {}, {});
    ASSERT_TRUE(salvaged);
    ASSERT_EQ(salvaged->lost.size(), 1U);
    EXPECT_EQ(salvaged->lost[0].id, id_hash(*repository, a_));
  }
  expect_sound({c_});
}

// Whether it is whole is known, what it says is not: it may be of use to another version.
TEST_F(SalvageTest, UnknownCompressionIsNoDamage) {
  PackId pack;
  {
    auto repository = open();
    PlacedObject later = TestRepository::make_object(*repository, a_);
    ObjectWriter writer(repository->suite(), repository->material());
    const ObjectMeta meta{.type = 'F',
                          .size = a_.size(),
                          .facts = {.ctype = 77, .clevel = 1, .csize = b_.size(), .psize = {}, .olevel = {}}};
    const auto size = writer.prepare(later.id, meta, bytes_of(b_));
    later.bytes.resize(*size);
    ASSERT_TRUE(writer.write(later.bytes));
    std::vector<PlacedObject> objects;
    objects.push_back(std::move(later));
    objects.push_back(TestRepository::make_object(*repository, c_));
    pack = TestRepository::put_pack(*repository, objects, {true, true});
  }
  TestRepository::flip_byte(*made_.store(), name_of(pack), bytes_of_pack(pack).size() - 1);
  const Repaired repaired = repair();
  EXPECT_EQ(repaired.lost, std::vector{id_of(c_)});
  auto repository = open();
  ASSERT_TRUE(repository->load_index(BadFragments::Error, pool_));
  EXPECT_TRUE(repository->index().contains(id_hash(*repository, a_)));
}

// A store in which one place of one pack cannot be read.
class BadSector final : public store::Decorator {
 public:
  BadSector(std::unique_ptr<store::Store> inner, std::string name, std::uint64_t at)
      : Decorator(std::move(inner)), name_(std::move(name)), at_(at) {}
  Status load_range(std::string_view name, std::uint64_t offset, std::uint64_t size, Buffer& out) override {
    if (name == name_ && offset <= at_ && at_ < offset + size) return fail(Code::Io, "the disk has a bad place");
    return Decorator::load_range(name, offset, size, out);
  }

 protected:
  Status around(const Call& call) override { return call.inner(); }

 private:
  const std::string name_;
  const std::uint64_t at_;
};

TEST_F(SalvageTest, AroundABadPlaceEverythingIsSavedAndThePackStays) {
  std::vector<std::string> texts;
  for (unsigned i = 0; i < 40; ++i) texts.push_back(noise(20'000, 100 + i));
  const PackId pack = put(texts);
  constexpr std::uint64_t kAt = 400'000;
  {
    auto repository = Repository::open(std::make_unique<BadSector>(made_.store(), name_of(pack), kAt),
                                       testing::test_access(), {.lock = LockMode::Exclusive});
    ASSERT_TRUE(repository);
    const auto repaired = repair(**repository);
    ASSERT_TRUE(repaired);
    EXPECT_TRUE(repaired->lost.empty());
    EXPECT_EQ(repaired->salvage.unreadable, std::vector{pack});
    EXPECT_EQ(repaired->salvage.removed, 0U);
    EXPECT_GE(repaired->salvage.saved, 34U);
    EXPECT_LT(repaired->salvage.saved, 40U);
  }
  // The disk was only loose: the rest is still where it was.
  EXPECT_TRUE(made_.store()->info(name_of(pack))->exists);
  EXPECT_TRUE(repair().lost.empty());
  expect_sound(texts);
}

TEST_F(SalvageTest, APackThatIsNotReadAtAllStaysInTheIndex) {
  const PackId pack = put({a_, b_});
  put({c_});
  {
    auto repository = Repository::open(std::make_unique<testing::Unloadable>(made_.store(), name_of(pack)),
                                       testing::test_access(), {.lock = LockMode::Exclusive});
    ASSERT_TRUE(repository);
    const auto repaired = repair(**repository);
    ASSERT_TRUE(repaired);
    EXPECT_TRUE(repaired->lost.empty());
    EXPECT_EQ(repaired->salvage.unreadable, std::vector{pack});
  }
  expect_sound({a_, b_, c_});
}

// Two full packs are damaged and there is room for the good part of one: the first is removed before the second is
// saved. Two that are written at the same time take the room from each other, and both fail.
TEST_F(SalvageTest, AFullDiskIsUsedPackByPack) {
  constexpr std::int64_t kPackSize = 8000;
  class SmallDisk final : public store::Decorator {
   public:
    SmallDisk(std::unique_ptr<store::Store> inner, std::int64_t room) : Decorator(std::move(inner)), room_(room) {}

   protected:
    Status around(const Call& call) override {
      const bool pack = call.name.starts_with("packs/");
      if (pack && call.operation == store::Operation::Put) CAIRN_CHECKED(write(call.value.size()));
      if (pack && call.operation == store::Operation::Remove) (void)take(-kPackSize);
      return call.inner();
    }

   private:
    // A half, a pause in which another writer begins, and the rest; what was in vain is given back after a pause.
    Status write(std::size_t size) {
      const auto half = static_cast<std::int64_t>(size / 2), rest = static_cast<std::int64_t>(size) - half;
      if (!take(half)) return fail(Code::NoSpace, "no space left");
      pause();
      if (take(rest)) return {};
      pause();
      (void)take(-half);
      return fail(Code::NoSpace, "no space left");
    }
    bool take(std::int64_t bytes) {
      const std::lock_guard lock(mutex_);
      if (bytes > room_) return false;
      room_ -= bytes;
      return true;
    }
    static void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

    std::mutex mutex_;
    std::int64_t room_;
  };
  for (const std::int64_t room : {3000, 4000}) {
    made_ = TestRepository();
    for (const auto& texts :
         {std::vector{noise(3001, 5), noise(5000, 6)}, std::vector{noise(3002, 7), noise(5000, 8)}}) {
      const PackId pack = put(texts);
      TestRepository::flip_byte(*made_.store(), name_of(pack), bytes_of_pack(pack).size() - 1);
    }
    auto repository = Repository::open(std::make_unique<SmallDisk>(made_.store(), room), testing::test_access(),
                                       {.lock = LockMode::Exclusive});
    ASSERT_TRUE(repository);
    const auto repaired = repair(**repository);
    if (room == 3000) {
      ASSERT_FALSE(repaired);
      EXPECT_EQ(repaired.error().code(), Code::NoSpace);
      EXPECT_EQ(made_.store()->list_names("packs")->size(), 2U);
    } else {
      ASSERT_TRUE(repaired) << repaired.error().text();
      EXPECT_EQ(repaired->lost.size(), 2U);
      repository->reset();
      expect_sound({noise(3001, 5), noise(3002, 7)});
    }
  }
}

// The process stops at every operation that changes the store, before or after it, or power is lost: the next repair
// brings back everything that one without interruption does.
TEST_F(SalvageTest, DyingAnywhereLosesNothing) {
  using Kind = store::Fault::Kind;
  for (const Kind kind : {Kind::DieBefore, Kind::DieAfter}) {
    for (const bool power : {false, true}) {
      std::atomic<bool> died{true};
      for (std::uint64_t at = 1; died; ++at) {
        SCOPED_TRACE(at);
        made_ = TestRepository();
        const PackId first = put({a_, b_, noise(100, 9)});
        put({c_, noise(100, 10)});
        const PackId second = put({noise(2000, 11), noise(3000, 12)});
        const PackId missing = put({noise(50, 13)});
        TestRepository::flip_byte(*made_.store(), name_of(first), 5000);
        TestRepository::flip_byte(*made_.store(), name_of(second), 60);
        ASSERT_TRUE(made_.store()->remove(name_of(missing)));
        ASSERT_TRUE(made_.store()->sync());
        died = false;
        {
          auto repository = made_.open({.kind = kind, .at = at + 1, .lasting = true, .die = [&] { died = true; }});
          if (repository) (void)repair(**repository);
        }
        made_.break_locks();
        if (power) made_.disk->lose_power(at);
        repair();
        expect_sound({a_, c_, noise(100, 9), noise(100, 10), noise(3000, 12)});
        ASSERT_LT(at, 100U);
      }
    }
  }
}

}  // namespace
}  // namespace cairn::repo

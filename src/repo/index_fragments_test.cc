#include "repo/index_fragments.h"

#include "repo/hash_table.h"

#include <atomic>
#include "repo/test_repository.h"

namespace cairn::repo {
namespace {

using testing::noise;
using testing::PlacedObject;
using testing::TestRepository;

class IndexFragmentsTest : public testing::HomeTest {
 protected:
  void SetUp() override {
    auto opened = made_.open();
    ASSERT_TRUE(opened);
    repository_ = std::move(*opened);
  }
  IndexFragments& fragments() { return repository_->fragments(); }
  store::Store& store() { return repository_->store(); }
  std::vector<std::string> names() { return fragments().list().value(); }
  static ChunkId id_of(std::uint64_t n) {
    ChunkId id;
    Digest256 digest = hash::blake3(Bytes(reinterpret_cast<const std::byte*>(&n), sizeof n));
    id.raw = digest.raw;
    return id;
  }
  static Buffer rows(std::uint64_t from, std::uint64_t count) {
    Buffer out;
    out.reserve(count * 80);
    for (std::uint64_t i = from; i < from + count; ++i) {
      append_row({id_of(i), {PackId{}, static_cast<std::uint32_t>(i), 100}}, out);
    }
    return out;
  }
  std::string put_payload(Bytes payload, std::string_view bound = "index") {
    const auto sealed = repository_->objects().seal_hashed(bound, payload);
    const std::string name = "index/" + sealed->name.substr(sealed->name.find('/') + 1);
    EXPECT_TRUE(store().put(name, sealed->envelope));
    return name;
  }
  Result<IndexLoad> load(ChunkIndex& index, BadFragments policy = BadFragments::Error) {
    return fragments().load(index, policy, pool_);
  }

  TestRepository made_;
  std::unique_ptr<Repository> repository_;
  exec::Pool pool_{2};
};

TEST_F(IndexFragmentsTest, LoadsTheUnionOfAllFragments) {
  ASSERT_TRUE(fragments().write_new(rows(0, 10)));
  ASSERT_TRUE(fragments().write_new(rows(5, 10)));
  ASSERT_TRUE(fragments().write_new({}));
  EXPECT_EQ(names().size(), 3U);  // with the empty one of a new repository
  ChunkIndex index;
  const auto loaded = load(index);
  ASSERT_TRUE(loaded);
  EXPECT_FALSE(loaded->rebuilt);
  EXPECT_EQ(index.size(), 15U);
  EXPECT_EQ(index.find(id_of(7))->offset, 7U);
}

TEST_F(IndexFragmentsTest, ReadsAnyFlagsAndOrder) {
  Buffer some = rows(0, 3);
  store_le<std::uint32_t>(some.data() + 32, 0);
  const std::string json = R"({"used":3,"capacity":6,"byte_order":"little","value_size":48,"key_size":32,)"
                           R"("value_format":["I","I","32s","I","I"],)"
                           R"("value_format_fields":["flags","size","pack_id","obj_offset","obj_size"]})";
  Buffer payload;
  payload.append(bytes_of("BORGHASH"));
  std::array<std::byte, 8> numbers;
  store_le<std::uint32_t>(numbers.data(), 1);
  store_le<std::uint32_t>(numbers.data() + 4, static_cast<std::uint32_t>(json.size()));
  payload.append(numbers);
  payload.append(bytes_of(json));
  payload.append(some);
  put_payload(payload);
  ChunkIndex index;
  ASSERT_TRUE(load(index));
  EXPECT_EQ(index.size(), 3U);
}

TEST_F(IndexFragmentsTest, DamageIsFoundAndTreatedAsThePolicySays) {
  std::vector<PlacedObject> objects;
  for (unsigned i = 0; i < 5; ++i) objects.push_back(TestRepository::make_object(*repository_, noise(500, i)));
  TestRepository::put_pack(*repository_, objects, std::vector<bool>(5, true));
  Buffer good;
  encode_table(kChunkIndexLayout, rows(0, 2), good);
  Buffer trailing;
  trailing.append(good);
  trailing.push_back(std::byte{0});
  struct Bad {
    const char* what;
    std::function<std::string()> make;
  };
  const Bad cases[] = {
      {"flipped byte",
       [&] {
         for (const auto& name : names()) {
           Buffer payload;
           const auto rows_read = fragments().read(name, payload);
           if (rows_read && !rows_read->empty()) {
             TestRepository::flip_byte(store(), name, 60);
             return name;
           }
         }
         return std::string();
       }},
      {"truncated", [&] { return put_payload(good.view(0, good.size() - 1)); }},
      {"trailing byte", [&] { return put_payload(trailing); }},
      {"empty payload", [&] { return put_payload({}); }},
      {"another namespace", [&] { return put_payload(good, "locks"); }},
      {"no bytes",
       [&] {
         const std::string name = "index/" + std::string(64, 'a');
         EXPECT_TRUE(store().put(name, {}));
         return name;
       }},
      {"NUL bytes",
       [&] {
         const std::string name = "index/" + std::string(64, 'b');
         EXPECT_TRUE(store().put(name, bytes_of(std::string(740, '\0'))));
         return name;
       }},
  };
  for (const Bad& bad : cases) {
    SCOPED_TRACE(bad.what);
    const std::string name = bad.make();
    ASSERT_FALSE(name.empty());
    ChunkIndex index;
    const auto refused = load(index, BadFragments::Error);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Code::CorruptIndexFragment);
    const auto salvaged = load(index, BadFragments::Salvage);
    ASSERT_TRUE(salvaged);
    EXPECT_EQ(salvaged->bad_fragments, std::vector{name});
    EXPECT_FALSE(salvaged->rebuilt);
    for (const auto& object : objects) EXPECT_TRUE(index.contains(object.id));
    const auto rebuilt = load(index, BadFragments::Rebuild);
    ASSERT_TRUE(rebuilt);
    EXPECT_TRUE(rebuilt->rebuilt);
    EXPECT_EQ(index.size(), 5U);
    ASSERT_TRUE(store().remove(name));
  }
}

TEST_F(IndexFragmentsTest, AFragmentOfAnotherRepositoryIsRefused) {
  TestRepository other;
  auto theirs = other.open();
  ASSERT_TRUE(theirs);
  ASSERT_TRUE((*theirs)->fragments().write_new(rows(0, 3)));
  const auto foreign = (*theirs)->fragments().list().value();
  for (const auto& name : foreign) {
    Buffer bytes;
    ASSERT_TRUE((*theirs)->store().load(name, bytes));
    ASSERT_TRUE(store().put(name, bytes));
  }
  ChunkIndex index;
  EXPECT_FALSE(load(index));
}

TEST_F(IndexFragmentsTest, WrongNamesAreSeenByTheirHash) {
  ASSERT_TRUE(fragments().write_new(rows(0, 3)));
  for (const auto& name : names()) EXPECT_EQ(fragments().name_matches(name).value(), true);
  Buffer bytes;
  ASSERT_TRUE(store().load(names().front(), bytes));
  const std::string wrong = "index/" + std::string(64, 'c');
  ASSERT_TRUE(store().put(wrong, bytes));
  EXPECT_EQ(fragments().name_matches(wrong).value(), false);
}

TEST_F(IndexFragmentsTest, TheMarkerMeansRebuild) {
  std::vector<PlacedObject> objects;
  objects.push_back(TestRepository::make_object(*repository_, "in no fragment"));
  TestRepository::put_pack(*repository_, objects, {false});
  ASSERT_TRUE(fragments().write_new(rows(0, 3)));
  ASSERT_TRUE(store().put(kInvalidMarker, {}));
  ChunkIndex index;
  const auto loaded = load(index);
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(loaded->rebuilt);
  EXPECT_EQ(index.size(), 1U);
  ASSERT_TRUE(fragments().write_full(index, loaded->fragments));
  EXPECT_FALSE(store().info(kInvalidMarker)->exists);
  EXPECT_EQ(names().size(), 1U);
  EXPECT_FALSE(load(index)->rebuilt);
  EXPECT_EQ(index.size(), 1U);
}

TEST_F(IndexFragmentsTest, NoFragmentMeansRebuildAndAnEmptyIndexIsOne) {
  for (const auto& name : names()) ASSERT_TRUE(store().remove(name));
  ChunkIndex index;
  EXPECT_TRUE(load(index)->rebuilt);
  ASSERT_TRUE(fragments().write_full(index, {}));
  EXPECT_FALSE(load(index)->rebuilt);
}

TEST_F(IndexFragmentsTest, InvalidatingLeavesTheMarkerUntilTheFullWrite) {
  ASSERT_TRUE(fragments().invalidate());
  EXPECT_TRUE(store().info(kInvalidMarker)->exists);
  EXPECT_TRUE(names().empty());
  ASSERT_TRUE(fragments().write_full(ChunkIndex(), {}));
  EXPECT_FALSE(store().info(kInvalidMarker)->exists);
}

TEST_F(IndexFragmentsTest, MoreThanFourHundredThousandEntriesAreSeveralFragments) {
  ChunkIndex index;
  index.insert_rows(rows(0, 400'001));
  const auto old = names();
  ASSERT_TRUE(fragments().write_full(index, old));
  const auto parts = names();
  EXPECT_EQ(parts.size(), 2U);  // ceil(400001 / 380000) parts: one bit
  Buffer payload;
  const auto read = fragments().read(parts[0], payload);
  ASSERT_TRUE(read);
  const Bytes first = *read;
  const bool upper = (std::to_integer<int>(first.data()[0]) & 0x80) != 0;
  for (std::size_t at = 0; at < first.size(); at += 80) {
    ASSERT_EQ((std::to_integer<int>(first.data()[at]) & 0x80) != 0, upper);
  }
  ChunkIndex again;
  ASSERT_TRUE(load(again));
  EXPECT_EQ(again.size(), 400'001U);
}

TEST_F(IndexFragmentsTest, RepacksMoreThanFifteenSmallFragments) {
  for (unsigned i = 0; i < 14; ++i) ASSERT_TRUE(fragments().write_new(rows(i * 10, 10)));
  ASSERT_TRUE(fragments().repack());
  EXPECT_EQ(names().size(), 15U);  // with the empty one
  ASSERT_TRUE(fragments().write_new(rows(140, 10)));
  ASSERT_TRUE(store().put(kInvalidMarker, {}));
  ASSERT_TRUE(fragments().repack());
  EXPECT_EQ(names().size(), 16U);
  ASSERT_TRUE(store().remove(kInvalidMarker));
  ASSERT_TRUE(fragments().repack());
  EXPECT_EQ(names().size(), 1U);
  ChunkIndex index;
  ASSERT_TRUE(load(index));
  EXPECT_EQ(index.size(), 150U);
}

TEST_F(IndexFragmentsTest, RepacksTwoThatTogetherAreLarge) {
  ASSERT_TRUE(fragments().write_new(rows(0, 60'000)));
  ASSERT_TRUE(fragments().repack());
  EXPECT_EQ(names().size(), 2U);
  ASSERT_TRUE(fragments().write_new(rows(60'000, 60'000)));
  ASSERT_TRUE(fragments().repack());
  EXPECT_EQ(names().size(), 1U);
  ASSERT_TRUE(fragments().write_new(rows(0, 10)));
  ASSERT_TRUE(fragments().repack());  // the large one is left alone
  EXPECT_EQ(names().size(), 2U);
}

// A crash while many files are written must not leave a part that looks like the whole.
TEST_F(IndexFragmentsTest, DyingDuringAFullWriteLosesNoEntry) {
  ChunkIndex index;
  std::vector<PlacedObject> objects;
  for (unsigned i = 0; i < 3; ++i) objects.push_back(TestRepository::make_object(*repository_, noise(500, i)));
  TestRepository::put_pack(*repository_, objects, {true, true, false});
  ASSERT_TRUE(store().sync());
  ASSERT_TRUE(load(index));
  ASSERT_TRUE(fragments().rebuild(index, pool_));
  repository_.reset();
  std::atomic<bool> died{true};
  for (std::uint64_t at = 2; died; ++at) {
    died = false;
    {
      auto repository =
          made_.open({.kind = store::Fault::Kind::DieBefore, .at = at, .lasting = true, .die = [&] { died = true; }});
      if (repository) (void)(*repository)->fragments().write_full(index, (*repository)->fragments().list().value());
    }
    made_.break_locks();
    made_.disk->lose_power(at);
    auto repository = made_.open();
    ASSERT_TRUE(repository);
    ChunkIndex found;
    ASSERT_TRUE((*repository)->fragments().load(found, BadFragments::Error, pool_));
    EXPECT_TRUE(found.contains(objects[0].id)) << at;
    EXPECT_TRUE(found.contains(objects[1].id)) << at;
    ASSERT_LT(at, 50U);
  }
}

}  // namespace
}  // namespace cairn::repo

#include "repo/pack_walk.h"

#include "repo/test_repository.h"

namespace cairn::repo {
namespace {

using testing::noise;
using testing::PlacedObject;
using testing::TestRepository;

class PackWalkTest : public testing::HomeTest {
 protected:
  void SetUp() override {
    auto opened = made_.open();
    ASSERT_TRUE(opened);
    repository_ = std::move(*opened);
    reader_ = repository_->make_reader();
  }
  PlacedObject object(std::string_view text) { return TestRepository::make_object(*repository_, text); }
  void add(Bytes bytes) { pack_.append(bytes); }

  struct Found {
    WalkResult result;
    std::vector<ChunkId> ids;
    std::vector<std::uint64_t> offsets;
  };
  Found walk(bool with_reader = true) {
    const std::string name = "packs/" + std::string(64, '0');
    EXPECT_TRUE(repository_->store().put(name, pack_));
    Found found;
    const auto result = walk_pack(repository_->store(), name, 0, pack_.size(), with_reader ? reader_.get() : nullptr,
                                  [&](const WalkedObject& walked) {
                                    found.ids.push_back(walked.id);
                                    found.offsets.push_back(walked.offset);
                                  });
    EXPECT_TRUE(result);
    found.result = *result;
    return found;
  }

  TestRepository made_;
  std::unique_ptr<Repository> repository_;
  std::unique_ptr<ObjectReader> reader_;
  Buffer pack_;
};

TEST_F(PackWalkTest, FindsAllObjectsOfASoundPack) {
  std::vector<ChunkId> ids;
  for (unsigned i = 0; i < 100; ++i) {
    const auto one = object(noise(i * 997, i + 1));
    ids.push_back(one.id);
    add(one.bytes);
  }
  for (const bool with_reader : {true, false}) {
    const Found found = walk(with_reader);
    EXPECT_EQ(found.ids, ids);
    EXPECT_EQ(found.result.damaged_ranges, 0U);
  }
}

TEST_F(PackWalkTest, StepsOverGarbageBeforeBetweenAndAfter) {
  const auto a = object("first");
  const auto b = object(noise(40'000, 2));
  const std::string garbage = noise(3'000'000, 9);
  add(bytes_of(garbage));
  add(a.bytes);
  add(bytes_of(std::string_view(garbage).substr(0, 1000)));
  add(b.bytes);
  add(bytes_of("BORG_OBJ"));
  const Found found = walk();
  EXPECT_EQ(found.ids, (std::vector{a.id, b.id}));
  EXPECT_EQ(found.offsets[0], garbage.size());
  EXPECT_EQ(found.result.damaged_ranges, 3U);
  EXPECT_EQ(found.result.damaged_bytes, garbage.size() + 1000 + 8);
  EXPECT_TRUE(walk(false).ids.empty());  // without a key it stops at once
}

TEST_F(PackWalkTest, ATruncatedLastObjectIsDamage) {
  const auto a = object("first");
  const auto b = object(noise(5000, 2));
  add(a.bytes);
  for (const std::size_t kept : {std::size_t{1}, std::size_t{48}, std::size_t{49}, b.bytes.size() - 1}) {
    pack_.resize(a.bytes.size());
    add(b.bytes.view(0, kept));
    const Found found = walk();
    EXPECT_EQ(found.ids, std::vector{a.id}) << kept;
    EXPECT_EQ(found.result.damaged_bytes, kept);
  }
}

TEST_F(PackWalkTest, TheMagicInsideContentIsNoObject) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "BORG_OBJ\x02";
  TestRepository plain("authenticated-blake3");  // content is readable in the pack
  auto repository = plain.open();
  ASSERT_TRUE(repository);
  const auto inner = TestRepository::make_object(**repository, text);
  const auto last = TestRepository::make_object(**repository, "last");
  Buffer damaged;
  damaged.append(inner.bytes);
  damaged.append(last.bytes);
  damaged.data()[60] ^= std::byte{1};  // the metadata of the first object
  const std::string name = "packs/" + std::string(64, '1');
  ASSERT_TRUE((*repository)->store().put(name, damaged));
  std::vector<ChunkId> ids;
  const auto reader = (*repository)->make_reader();
  const auto result = walk_pack((*repository)->store(), name, 0, damaged.size(), reader.get(),
                                [&](const WalkedObject& walked) { ids.push_back(walked.id); });
  ASSERT_TRUE(result);
  EXPECT_EQ(ids, std::vector{last.id});
  EXPECT_EQ(result->damaged_bytes, inner.bytes.size());
}

TEST_F(PackWalkTest, WrongSizesAndVersionsCostOneObject) {
  const auto before = object("before");
  const auto victim = object(noise(3000, 4));
  const auto after = object("after");
  struct Change {
    std::size_t at;
    int value;
  };
  for (const Change change : {Change{8, 0x01}, Change{8, 0x03}, Change{41, 0xff}, Change{44, 0x7f}, Change{45, 0x00},
                              Change{48, 0x7f}, Change{0, 'b'}, Change{9, 0x55}}) {
    pack_.clear();
    add(before.bytes);
    add(victim.bytes);
    add(after.bytes);
    pack_.data()[before.bytes.size() + change.at] = static_cast<std::byte>(change.value);
    const Found found = walk();
    EXPECT_EQ(found.ids, (std::vector{before.id, after.id})) << change.at;
    EXPECT_EQ(found.result.damaged_bytes, victim.bytes.size()) << change.at;
  }
}

TEST_F(PackWalkTest, AnEmptyOrTooShortPackHasNoObjects) {
  EXPECT_EQ(walk().result.objects, 0U);
  add(bytes_of(std::string(48, 'x')));
  EXPECT_EQ(walk().result.damaged_bytes, 48U);
}

}  // namespace
}  // namespace cairn::repo

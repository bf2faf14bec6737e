#include "archive/item.h"

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

namespace cairn::archive {
namespace {

// tests/data/items: what `borg2 create --atime --digests sha256,blake3 zoo .` wrote for a tree with every kind of file.
std::string golden(const std::string& name) {
  std::ifstream file(std::string(CAIRN_TEST_DATA "/items/") + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Item decoded(Bytes bytes) {
  Item item;
  const auto result = decode(bytes, item);
  EXPECT_TRUE(result.has_value() && !result->incomplete && result->used == bytes.size());
  return item;
}

std::string encoded(const Item& item) {
  Buffer out;
  encode(item, out);
  return std::string(text_of(out));
}

std::vector<Item> golden_items(const std::string& name) {
  const std::string stream = golden(name);
  std::vector<Item> items;
  for (std::size_t at = 0; at < stream.size();) {
    Item item;
    const auto result = decode(bytes_of(stream).subspan(at), item);
    if (!result || result->incomplete) {
      ADD_FAILURE() << "at " << at;
      break;
    }
    items.push_back(std::move(item));
    at += result->used;
  }
  return items;
}

const Item& named(const std::vector<Item>& items, std::string_view path) {
  for (const Item& item : items) {
    if (item.path == path) return item;
  }
  ADD_FAILURE() << path;
  return items.front();
}

TEST(Item, GoldenStreamsEncodeToTheSameBytes) {
  for (const char* name : {"zoo.items", "three.items"}) {
    const std::string stream = golden(name);
    ASSERT_GT(stream.size(), 1000U);
    std::string again;
    for (const Item& item : golden_items(name)) again += encoded(item);
    EXPECT_EQ(again, stream) << name;
  }
}

TEST(Item, GoldenStreamHasEveryKindOfFact) {
  const std::vector<Item> items = golden_items("zoo.items");
  EXPECT_EQ(items.front().path, ".");
  const Item& file = named(items, "dir/a");
  EXPECT_EQ(file.mode, 0100644U);
  EXPECT_EQ(file.size, 6U);
  ASSERT_TRUE(file.chunks && file.xattrs && file.digests && file.hlid && file.atime && file.ctime);
  EXPECT_EQ(file.chunks->size(), 1U);
  EXPECT_EQ(file.chunks->front().size, 6U);
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(*file.xattrs, (Pairs{{"user.empty", ""}, {"user.foo", "bar"}}));
  ASSERT_EQ(file.digests->size(), 2U);
  EXPECT_EQ(file.digests->front().first, "blake3");
  EXPECT_EQ(to_hex(bytes_of(file.digests->back().second)),
            "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03");
  EXPECT_EQ(named(items, "dir/b").hlid, file.hlid);
  EXPECT_EQ(named(items, "dir/link").target, "../x");
  EXPECT_EQ(named(items, "dir/null").rdev, 0x103U);
  EXPECT_EQ(named(items, "dir/fifo").mode, 0010644U);
  EXPECT_TRUE(named(items, "dir/empty").chunks->empty());
  EXPECT_EQ(named(items, "dir/funny\xff").user, "root");
  EXPECT_EQ(named(items, "dir/old").mtime, 0);
  EXPECT_EQ(named(items, "dir/far").mtime, clamp_timestamp(INT64_MAX));
  EXPECT_EQ(named(items, "dir/y2128").mtime, 5'000'000'000'500'000'000);
  EXPECT_EQ(named(items, "dir/sub").acl_access, "user::rwx\nuser:daemon:rw-:1\ngroup::r-x\nmask::rwx\nother::r-x");
  EXPECT_TRUE(named(items, "dir/sub").acl_default->find("group:users:r--:100") != std::string::npos);
}

TEST(Item, EveryTruncationIsIncomplete) {
  const std::vector<Item> items = golden_items("zoo.items");
  const std::string whole = encoded(named(items, "dir/a"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    Item item;
    const auto result = decode(bytes_of(whole).first(size), item);
    ASSERT_TRUE(result.has_value()) << size;
    EXPECT_TRUE(result->incomplete) << size;
  }
}

TEST(Item, BytesBehindTheItemAreLeftAlone) {
  const std::string one = encoded({.path = "x"});
  Item item;
  const auto result = decode(bytes_of(one + "\xc1\xc1"), item);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->used, one.size());
}

TEST(Item, UnknownKeysAreKeptInOrder) {
  Item item{.path = "x"};
  item.unknown = {{"aaa", "\xc3"}, {"nlink", "\x05"}, {"zzz", std::string("\x92\x01\xa1q", 4)}};
  const std::string bytes = encoded(item);
  EXPECT_EQ(bytes, std::string("\x86\xa3"
                               "aaa\xc3\xa4mode\x00\xa5mtime\xd6\xff\x00\x00\x00\x00\xa5nlink\x05\xa4path\xa1x"
                               "\xa3zzz\x92\x01\xa1q",
                               46));
  const Item again = decoded(bytes_of(bytes));
  EXPECT_EQ(again.unknown, item.unknown);
}

TEST(Item, AnyKeyOrderAndBinaryTextsAreAccepted) {
  const std::string bytes(
      "\x84\xa4path\xc4\x01x\xa4user\xc4\x02"
      "ab\xa4mode\x07\xa5mtime\xcd\x01\x00",
      33);
  const Item item = decoded(bytes_of(bytes));
  EXPECT_EQ(item.path, "x");
  EXPECT_EQ(item.user, "ab");
  EXPECT_EQ(item.mode, 7U);
  EXPECT_EQ(item.mtime, 256);
}

TEST(Item, UnsortedPairsAreSortedAndTheLastOfEqualOnesStays) {
  const std::string bytes(
      "\x82\xa4path\xa1x\xa6xattrs\x83\xc4\x01"
      "b\xc4\x01"
      "1\xc4\x01"
      "a\xc4\x01"
      "2\xc4\x01"
      "b\xc4\x01"
      "3",
      34);
  const Item item = decoded(bytes_of(bytes));
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(*item.xattrs, (Pairs{{"a", "2"}, {"b", "3"}}));
}

TEST(Item, DamageIsAnError) {
  Item item;
  const auto refused = [&](std::string_view bytes) {
    const auto result = decode(bytes_of(bytes), item);
    return !result && result.error().code() == Code::Integrity;
  };
  EXPECT_TRUE(refused("\xc1"));
  EXPECT_TRUE(refused(std::string_view("\x81\xa4mode\x07", 7)));                     // no path
  EXPECT_TRUE(refused(std::string_view("\x81\xa4path\x07", 7)));                     // a path that is a number
  EXPECT_TRUE(refused(std::string_view("\x82\xa4path\xa1x\xa4hlid\xc4\x01x", 16)));  // a short id
  EXPECT_TRUE(
      refused(std::string_view("\x82\xa4path\xa1x\xa6"
                               "chunks\x91\x92\xc4\x01x\x01",
                               21)));  // a short chunk id
  EXPECT_TRUE(refused(std::string_view("\x82\xa4path\xa1x\xa3uid\xa1x", 14)));
  EXPECT_TRUE(refused(std::string_view("\x81\xa4path\xc6\xff\xff\xff\xff", 11)));  // a text of 4 GB
  EXPECT_TRUE(refused(std::string_view("\xdf\xff\xff\xff\xff", 5)));               // a map of 4 billion pairs
}

TEST(Item, AChunkOfMoreThanFourGigabytesIsRefused) {
  Item item{.path = "x"};
  item.chunks.emplace(1, ChunkRef{.id = {}, .size = UINT32_MAX});
  std::string bytes = encoded(item);
  const std::size_t at = bytes.find("\xce\xff\xff\xff\xff");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(decoded(bytes_of(bytes)).chunks->front().size, UINT32_MAX);
  bytes.replace(at, 5, std::string("\xcf\x00\x00\x00\x01\x00\x00\x00\x00", 9));
  EXPECT_FALSE(decode(bytes_of(bytes), item));
}

TEST(Item, PathsAreMadeSafe) {
  const auto safe = [](const std::string& path) {
    auto result = safe_path(path);
    return result ? *result : result.error().message();
  };
  // As Borg's make_path_safe answers.
  EXPECT_EQ(safe("a/b"), "a/b");
  EXPECT_EQ(safe("//a//b/"), "a/b");
  EXPECT_EQ(safe("a/./b"), "a/b");
  EXPECT_EQ(safe(""), ".");
  EXPECT_EQ(safe("/"), ".");
  EXPECT_EQ(safe("a..b"), "a..b");
  EXPECT_EQ(safe("a/..b/c"), "a/..b/c");
  EXPECT_EQ(safe("..."), "...");
  EXPECT_EQ(safe("a/../b"), "unexpected '..' element in path 'a/../b'");
  EXPECT_EQ(safe("/.."), "unexpected '..' element in path '..'");
  EXPECT_EQ(safe("it's/.."), "unexpected '..' element in path \"it's/..\"");
  EXPECT_EQ(safe("a\\..b"), "unexpected '..' element in path 'a\\\\..b'");
  EXPECT_EQ(safe("..\\\xff"), "unexpected '..' element in path '..\\\\\\udcff'");
}

TEST(Item, TimestampsAreClampedToWhatTheFormatHolds) {
  EXPECT_EQ(clamp_timestamp(-1), 0);
  EXPECT_EQ(clamp_timestamp(5), 5);
  EXPECT_EQ(clamp_timestamp(INT64_MAX), Nanoseconds{9223199236} * kSecond);
}

TEST(Item, HardlinkIdHashesInodeAndDevice) {
  EXPECT_EQ(hardlink_id(12, 34).hex(), "a7487e589668b6583bfb3b9fb20de36118b3c0dd4a0db19aacb1d6a705bf8b43");
}

}  // namespace
}  // namespace cairn::archive

#include "archive/item_stream.h"

#include <fstream>
#include <iterator>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hash/sha256.h"
#include "msgpack/writer.h"

namespace cairn::archive {
namespace {

std::string golden(const std::string& name) {
  std::ifstream file(std::string(CAIRN_TEST_DATA "/items/") + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Cuts after a fixed number of bytes.
class EveryBytes final : public chunk::Cutter {
 public:
  explicit EveryBytes(std::size_t size) { max_chunk_ = size; }
  std::size_t cut(Bytes chunk, bool, bool, chunk::Scan&) const override { return std::min(chunk.size(), max_chunk_); }
};

struct Stored {
  std::vector<std::pair<char, std::string>> objects;
  StoreObject function() {
    return [this](char type, Bytes plaintext) -> Result<ChunkId> {
      objects.emplace_back(type, text_of(plaintext));
      return ChunkId{hash::sha256(plaintext).raw};
    };
  }
};

std::string item_bytes(const std::string& path) {
  Buffer out;
  encode(Item{.path = path, .mode = 0100644, .mtime = 7 * kSecond}, out);
  return std::string(text_of(out));
}

struct Outcome {
  std::vector<std::string> paths;
  std::string error;
};

void feed(ItemDecoder& decoder, Bytes bytes, Outcome& outcome) {
  const auto status = decoder.feed(bytes, [&](Item&& item) -> Status {
    outcome.paths.push_back(item.path);
    return {};
  });
  if (!status) outcome.error = status.error().message();
}

TEST(ItemStreamWriter, NothingGivesNoObjects) {
  Stored stored;
  ItemStreamWriter writer(EveryBytes(10), stored.function());
  const auto pointers = writer.finish();
  ASSERT_TRUE(pointers.has_value());
  EXPECT_TRUE(pointers->empty());
  EXPECT_TRUE(stored.objects.empty());
}

TEST(ItemStreamWriter, TheEndStoresEverythingAndOnePointerObject) {
  Stored stored;
  const EveryBytes cutter(10);
  ItemStreamWriter writer(cutter, stored.function());
  ASSERT_TRUE(writer.add(bytes_of("0123456789abc")).has_value());
  const auto pointers = writer.finish();
  ASSERT_TRUE(pointers.has_value());
  ASSERT_EQ(stored.objects.size(), 3U);
  EXPECT_EQ(stored.objects[0], (std::pair<char, std::string>{'S', "0123456789"}));
  EXPECT_EQ(stored.objects[1], (std::pair<char, std::string>{'S', "abc"}));
  EXPECT_EQ(stored.objects[2].first, 'C');
  const auto ids = decode_pointers(bytes_of(stored.objects[2].second));
  ASSERT_TRUE(ids.has_value());
  ASSERT_EQ(ids->size(), 2U);
  EXPECT_EQ((*ids)[1].raw, hash::sha256(bytes_of("abc")).raw);
  EXPECT_EQ(pointers->size(), 1U);
  EXPECT_EQ(writer.early_bytes(), 0U);
  EXPECT_EQ(writer.final_bytes(), 13U);
  EXPECT_EQ(writer.pointer_bytes(), stored.objects[2].second.size());
}

TEST(ItemStreamWriter, MoreThanEightMiBIsCutAndTheLastChunkIsKept) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  Stored stored;
  const EveryBytes cutter(3 * kMiB);
  ItemStreamWriter writer(cutter, stored.function());
  ASSERT_TRUE(writer.add(bytes_of(std::string(8 * kMiB, 'a'))).has_value());
  EXPECT_TRUE(stored.objects.empty());
  ASSERT_TRUE(writer.add(bytes_of("b")).has_value());
  EXPECT_EQ(stored.objects.size(), 2U);  // the third is 2 MiB + 1
  EXPECT_EQ(writer.early_bytes(), 6 * kMiB);
  ASSERT_TRUE(writer.add(bytes_of("c")).has_value());
  ASSERT_TRUE(writer.finish().has_value());
  ASSERT_EQ(stored.objects.size(), 4U);
  EXPECT_EQ(stored.objects[2].second, std::string(2 * kMiB, 'a') + "bc");
  EXPECT_EQ(writer.final_bytes(), 2 * kMiB + 2);
}

TEST(ItemStreamWriter, AnOnlyChunkIsStoredAtOnce) {
  Stored stored;
  const EveryBytes cutter(std::size_t{1} << 30);
  ItemStreamWriter writer(cutter, stored.function());
  ASSERT_TRUE(writer.add(bytes_of(std::string((std::size_t{8} << 20) + 1, 'a'))).has_value());
  EXPECT_EQ(stored.objects.size(), 1U);
  ASSERT_TRUE(writer.finish().has_value());
  EXPECT_EQ(stored.objects.size(), 2U);  // and the pointers
}

TEST(ItemStreamWriter, PointerObjectsAreSplit) {
  std::size_t sizes[2] = {0, 0};
  std::size_t count = 0;
  const StoreObject store = [&](char type, Bytes plaintext) -> Result<ChunkId> {
    if (type == 'C') sizes[count++] = decode_pointers(plaintext)->size();
    return ChunkId{};
  };
  const EveryBytes cutter(1);
  ItemStreamWriter writer(cutter, store);
  ASSERT_TRUE(writer.add(bytes_of(std::string(kIdsPerPointerObject + 1, 'a'))).has_value());
  const auto pointers = writer.finish();
  ASSERT_TRUE(pointers.has_value());
  EXPECT_EQ(pointers->size(), 2U);
  EXPECT_EQ(sizes[0], kIdsPerPointerObject);
  EXPECT_EQ(sizes[1], 1U);
}

TEST(ItemStreamWriter, AnErrorOfTheStoreIsReturned) {
  const EveryBytes cutter(1);
  ItemStreamWriter writer(cutter, [](char, Bytes) -> Result<ChunkId> { return fail(Code::NoSpace, "full"); });
  ASSERT_TRUE(writer.add(bytes_of("x")).has_value());
  const auto pointers = writer.finish();
  ASSERT_FALSE(pointers.has_value());
  EXPECT_EQ(pointers.error().code(), Code::NoSpace);
}

TEST(ItemDecoder, AnySplitGivesTheSameItems) {
  const std::string stream = golden("zoo.items");
  Outcome whole;
  ItemDecoder decoder;
  feed(decoder, bytes_of(stream), whole);
  ASSERT_TRUE(decoder.finish().has_value());
  ASSERT_GT(whole.paths.size(), 10U);
  for (std::size_t piece = 1; piece < 700; piece += piece < 40 ? 1 : 37) {
    ItemDecoder other;
    Outcome outcome;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      feed(other, bytes_of(stream).subspan(at, std::min(piece, stream.size() - at)), outcome);
    }
    EXPECT_TRUE(other.finish().has_value());
    EXPECT_EQ(outcome.paths, whole.paths) << piece;
    EXPECT_EQ(outcome.error, "");
  }
}

TEST(ItemDecoder, EveryTruncationLeavesBytesOver) {
  const std::string stream = item_bytes("first") + item_bytes("second");
  const std::size_t first = item_bytes("first").size();
  for (std::size_t size = 1; size < stream.size(); ++size) {
    ItemDecoder decoder;
    Outcome outcome;
    feed(decoder, bytes_of(stream).first(size), outcome);
    EXPECT_EQ(outcome.error, "");
    EXPECT_EQ(outcome.paths.size(), size >= first ? 1U : 0U);
    EXPECT_EQ(decoder.finish().has_value(), size == first) << size;
  }
}

TEST(ItemDecoder, AnErrorOfTheCallerStops) {
  ItemDecoder decoder;
  int calls = 0;
  const std::string stream = item_bytes("a") + item_bytes("b");
  const auto status = decoder.feed(bytes_of(stream), [&](Item&&) -> Status {
    ++calls;
    return fail(Code::Cancelled, "stop");
  });
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code(), Code::Cancelled);
  EXPECT_EQ(calls, 1);
}

TEST(ItemDecoder, ALostObjectCostsTheItemsInItAndNoOthers) {
  std::string stream;
  std::vector<std::string> paths;
  std::vector<std::size_t> starts;
  for (int i = 0; i < 200; ++i) {
    paths.push_back(fmt::format("dir/file{}", i * i));
    starts.push_back(stream.size());
    stream += item_bytes(paths.back());
  }
  constexpr std::size_t kPiece = 1000;
  for (std::size_t lost = 0; lost * kPiece < stream.size(); ++lost) {
    ItemDecoder decoder;
    Outcome outcome;
    for (std::size_t at = 0; at < stream.size(); at += kPiece) {
      if (at == lost * kPiece) {
        decoder.resynchronize();
        continue;
      }
      feed(decoder, bytes_of(stream).subspan(at, std::min(kPiece, stream.size() - at)), outcome);
    }
    std::vector<std::string> expected;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      const std::size_t end = i + 1 < paths.size() ? starts[i + 1] : stream.size();
      const bool hit = starts[i] < (lost + 1) * kPiece && end > lost * kPiece;
      if (!hit) expected.push_back(paths[i]);
    }
    EXPECT_EQ(outcome.paths, expected) << lost;
    EXPECT_EQ(outcome.error, "");
  }
}

TEST(ItemDecoder, ADamagedItemInTheMiddleCostsOnlyItself) {
  std::string bad = item_bytes("bad");
  bad[0] = '\xc1';
  const std::string stream = item_bytes("a") + bad + item_bytes("b") + item_bytes("c");
  ItemDecoder decoder;
  Outcome outcome;
  feed(decoder, bytes_of(stream), outcome);
  EXPECT_EQ(outcome.error, "the item stream is damaged");
  decoder.resynchronize();
  feed(decoder, {}, outcome);
  EXPECT_EQ(outcome.paths, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(decoder.skipped_bytes(), bad.size());
  EXPECT_TRUE(decoder.finish().has_value());
}

TEST(ItemDecoder, ASearchIsNotFooledByMapsInsideItems) {
  Item item{.path = "x"};
  item.digests = {{"sha256", std::string(32, 's')}};
  item.unknown = {{"aa", std::string("\x81\xa4path\xa1q", 8)}};  // a map with a path, but no mtime
  Buffer encoded;
  encode(item, encoded);
  for (std::size_t cut = 1; cut < encoded.size(); ++cut) {
    ItemDecoder decoder;
    Outcome outcome;
    decoder.resynchronize();
    feed(decoder, encoded.view().subspan(cut), outcome);
    feed(decoder, bytes_of(item_bytes("next")), outcome);
    EXPECT_EQ(outcome.paths, (std::vector<std::string>{"next"})) << cut;
  }
}

TEST(ItemDecoder, RandomBytesNeitherCrashNorHideWhatFollowsForever) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string noise(static_cast<std::size_t>(random() % 300), '\0');
    for (char& c : noise) c = static_cast<char>(random());
    ItemDecoder decoder;
    decoder.resynchronize();
    Outcome outcome;
    feed(decoder, bytes_of(noise), outcome);
    for (int i = 0; i < 2000; ++i) feed(decoder, bytes_of(item_bytes("next")), outcome);
    EXPECT_GT(outcome.paths.size(), 1000U) << round;
  }
}

TEST(Pointers, ShortIdsAndLeftoversAreRefused) {
  Buffer object;
  msgpack::Writer writer(object);
  writer.array(1);
  writer.bin(ChunkId{}.raw);
  EXPECT_EQ(decode_pointers(object)->size(), 1U);
  for (std::size_t size = 0; size < object.size(); ++size) EXPECT_FALSE(decode_pointers(object.view(0, size)));
  writer.nil();
  EXPECT_FALSE(decode_pointers(object));
  EXPECT_FALSE(decode_pointers(bytes_of(std::string_view("\x91\xc4\x01x", 4))));
}

}  // namespace
}  // namespace cairn::archive

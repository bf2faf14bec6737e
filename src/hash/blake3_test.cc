#include "hash/blake3.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

namespace cairn::hash {
namespace {

std::vector<std::byte> counting_bytes(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i % 251);
  return bytes;
}

nlohmann::json vectors() {
  std::ifstream file(CAIRN_TEST_DATA "/vectors/blake3.json");
  return nlohmann::json::parse(file);
}

Key256 key_of(const std::string& text) {
  Key256 key{};
  std::copy_n(bytes_of(text).begin(), key.size(), key.begin());
  return key;
}

// Runs the parts from the last to the first, on the calling thread.
class BackwardSpare final : public exec::Spare {
 public:
  explicit BackwardSpare(unsigned helpers) : helpers_(helpers) {}
  unsigned helpers() const override { return helpers_; }
  void run(std::size_t parts, const std::function<void(std::size_t)>& part) const override {
    most_parts_ = std::max(most_parts_, parts);
    for (std::size_t i = parts; i-- > 0;) part(i);
  }
  std::size_t most_parts() const { return most_parts_; }

 private:
  unsigned helpers_;
  mutable std::size_t most_parts_ = 0;
};

// Three threads that take the parts as they come.
class ThreadedSpare final : public exec::Spare {
 public:
  unsigned helpers() const override { return 2; }
  void run(std::size_t parts, const std::function<void(std::size_t)>& part) const override {
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t i = next++; i < parts; i = next++) part(i);
    };
    std::thread first(work);
    std::thread second(work);
    work();
    first.join();
    second.join();
  }
};

class Threshold {
 public:
  explicit Threshold(std::size_t bytes) { set_blake3_split_threshold(bytes); }
  Threshold(const Threshold&) = delete;
  Threshold& operator=(const Threshold&) = delete;
  ~Threshold() { set_blake3_split_threshold(256 * 1024); }
};

TEST(Blake3, VectorsPlain) {
  const nlohmann::json all = vectors();
  for (const nlohmann::json& one : all["cases"]) {
    const std::vector<std::byte> input = counting_bytes(one["length"]);
    EXPECT_EQ(blake3(input).hex(), one["hash"].get<std::string>()) << one["length"];
  }
}

TEST(Blake3, VectorsKeyed) {
  const nlohmann::json all = vectors();
  const Key256 key = key_of(all["key"]);
  for (const nlohmann::json& one : all["cases"]) {
    const std::vector<std::byte> input = counting_bytes(one["length"]);
    EXPECT_EQ(blake3_keyed(key, input).hex(), one["keyed_hash"].get<std::string>()) << one["length"];
  }
}

TEST(Blake3, PiecesGiveTheSame) {
  const std::vector<std::byte> input = counting_bytes(300'000);
  const Key256 key = key_of(vectors()["key"]);
  for (const std::size_t length :
       {0U, 1U, 64U, 65U, 1024U, 1025U, 2048U, 3072U, 4097U, 31'744U, 65'536U, 100'000U, 300'000U}) {
    const Bytes whole = Bytes(input).first(length);
    for (const std::size_t piece : {1U, 63U, 64U, 1000U, 1024U, 1025U, 2048U, 5000U, 33'000U, 131'072U}) {
      if (piece == 1 && length > 5000) continue;
      Blake3 plain;
      Blake3 keyed(key);
      for (std::size_t at = 0; at < length; at += piece) {
        const Bytes part = whole.subspan(at, std::min(piece, length - at));
        plain.update(part);
        keyed.update(part);
      }
      EXPECT_EQ(plain.finish(), blake3(whole)) << length << " by " << piece;
      EXPECT_EQ(keyed.finish(), blake3_keyed(key, whole)) << length << " by " << piece;
    }
  }
}

TEST(Blake3, GrowingPiecesGiveTheSame) {
  const std::vector<std::byte> input = counting_bytes(1'200'000);
  Blake3 running;
  std::size_t piece = 1;
  for (std::size_t at = 0; at < input.size(); piece = piece * 3 / 2 + 1) {
    const std::size_t take = std::min(piece, input.size() - at);
    running.update(Bytes(input).subspan(at, take));
    at += take;
    ASSERT_EQ(running.finish(), blake3(Bytes(input).first(at))) << at;
  }
}

TEST(Blake3, FinishLeavesTheStateAlone) {
  const std::vector<std::byte> input = counting_bytes(5000);
  Blake3 running;
  running.update(Bytes(input).first(3000));
  EXPECT_EQ(running.finish(), blake3(Bytes(input).first(3000)));
  EXPECT_EQ(running.finish(), blake3(Bytes(input).first(3000)));
  const Blake3 copy = running;
  running.update(Bytes(input).subspan(3000));
  EXPECT_EQ(running.finish(), blake3(input));
  EXPECT_EQ(copy.finish(), blake3(Bytes(input).first(3000)));
}

TEST(Blake3, SplittingGivesTheSameAtEveryEdge) {
  const Threshold always(0);
  const std::vector<std::byte> input = counting_bytes(1'100'000);
  const Key256 key = key_of(vectors()["key"]);
  for (const unsigned helpers : {1U, 3U, 7U, 63U}) {
    const BackwardSpare spare(helpers);
    for (std::size_t edge = 65'536; edge <= 1'048'576; edge += 65'536) {
      for (const std::size_t length : {edge - 1024, edge - 1, edge, edge + 1, edge + 1024, edge + 1025, edge + 2049}) {
        const Bytes whole = Bytes(input).first(length);
        Blake3 one_thread(key);
        one_thread.update(whole);
        ASSERT_EQ(blake3_keyed(key, whole, spare), one_thread.finish()) << length << ' ' << helpers;
      }
    }
    EXPECT_GT(spare.most_parts(), 2U);
  }
}

TEST(Blake3, SplittingOverThreadsGivesTheSame) {
  const Threshold always(0);
  const std::vector<std::byte> input = counting_bytes(1'100'000);
  const ThreadedSpare threads;
  for (std::size_t length = 60'000; length <= input.size(); length += 13'000) {
    const Bytes whole = Bytes(input).first(length);
    ASSERT_EQ(blake3(whole, threads), blake3(whole)) << length;
  }
}

TEST(Blake3, SplitsFromTheThresholdOn) {
  const std::vector<std::byte> input = counting_bytes(300'000);
  const Threshold threshold(200'000);
  const BackwardSpare spare(1);
  EXPECT_EQ(blake3(Bytes(input).first(199'999), spare), blake3(Bytes(input).first(199'999)));
  EXPECT_EQ(spare.most_parts(), 0U);
  EXPECT_EQ(blake3(Bytes(input).first(200'000), spare), blake3(Bytes(input).first(200'000)));
  EXPECT_GT(spare.most_parts(), 1U);
}

TEST(Blake3, DoesNotSplitWithoutHelpers) {
  const std::vector<std::byte> input = counting_bytes(1'000'000);
  const BackwardSpare spare(0);
  EXPECT_EQ(blake3(input, spare), blake3(input));
  EXPECT_EQ(spare.most_parts(), 0U);
}

}  // namespace
}  // namespace cairn::hash

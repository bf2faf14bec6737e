// Every kernel of this CPU against the plain definition: positions and states, all short lengths, dense and sparse
// hits.
#include <gtest/gtest.h>

#include <bit>

#include "chunk/kernels/buz_scan.h"
#include "chunk/kernels/gear_scan.h"
#include "chunk/tables.h"
#include "chunk/test_data.h"
#include "cpu/features.h"

namespace cairn::chunk::kernels {
namespace {

using test_data::Data;
using test_data::random_bytes;

std::uint8_t number(std::byte byte) { return static_cast<std::uint8_t>(byte); }

// Goes on after every hit, so that all of them are compared, and the states behind them.
GearTable gear(const char* key) {
  GearTable table;
  set_lookup_table(table, gear_table(test_data::keys(key)).data());
  return table;
}

TEST(GearScan, EveryKernelAgreesWithTheDefinition) {
  const GearTable table = gear("k1");
  const Data data = random_bytes(3, 300000);
  for (const GearScan& scan : gear_scans()) {
    if (!cpu::has(scan.needs)) continue;
    for (const int bits : {1, 2, 6, 10, 13, 15, 17, 21, 48}) {
      const std::uint64_t limit = std::uint64_t{1} << (64 - bits);
      std::uint64_t expected = 0;
      std::uint64_t state = 0;
      const std::size_t size = bits < 10 ? 5000 : data.size();
      for (std::size_t i = 0; i < size;) {
        std::size_t at = i;
        while (at < size) {
          expected = (expected << 1U) + table.words[number(data[at])];
          if (expected < limit) break;
          ++at;
        }
        ASSERT_EQ(scan.find(table, data.data() + i, size - i, limit, &state), at - i) << scan.name << " " << bits;
        ASSERT_EQ(state, expected) << scan.name << " " << bits << " at " << at;
        i = at + 1;
      }
    }
  }
}

TEST(GearScan, EveryShortLength) {
  const GearTable table = gear("k2");
  const Data data = random_bytes(4, 400);
  for (const GearScan& scan : gear_scans()) {
    if (!cpu::has(scan.needs)) continue;
    for (std::size_t size = 0; size <= 150; ++size) {
      const Data exact(data.begin() + 7,
                       data.begin() + 7 + static_cast<std::ptrdiff_t>(size));  // seen by the sanitizer
      std::uint64_t expected = 12345;
      std::uint64_t state = 12345;
      const std::size_t hit = gear_find_scalar(table, exact.data(), size, std::uint64_t{1} << 58U, &expected);
      EXPECT_EQ(scan.find(table, exact.data(), size, std::uint64_t{1} << 58U, &state), hit) << scan.name;
      EXPECT_EQ(state, expected) << scan.name << " " << size;
    }
  }
}

template <class Word>
Word hash_of(const Table<Word>& in, const std::byte* data, std::size_t window) {
  Word hash = 0;
  for (std::size_t k = 0; k < window; ++k) {
    hash ^= std::rotl(in[number(data[k])], static_cast<int>((window - 1 - k) % (sizeof(Word) * 8)));
  }
  return hash;
}

template <class Word>
void compare(std::span<const BuzScan<Word>> scans, const Table<Word>& in) {
  const Data data = random_bytes(5, 400000);
  for (const BuzScan<Word>& scan : scans) {
    if (!cpu::has(scan.needs)) continue;
    for (const std::size_t window : {1U, 33U, 64U, 511U, 4095U}) {
      Table<Word> out;
      for (std::size_t i = 0; i < 256; ++i) out[i] = std::rotl(in[i], static_cast<int>(window % (sizeof(Word) * 8)));
      BuzTables<Word> tables;
      set_lookup_table(tables.in, in.data());
      set_lookup_table(tables.out, out.data());
      for (const int bits : {1, 6, 12, 15, 20}) {
        const Word mask = static_cast<Word>((std::uint64_t{1} << bits) - 1);
        const std::size_t count = bits < 12 ? 5000 : data.size() - window;
        Word state = hash_of(in, data.data(), window);
        Word expected = state;
        for (std::size_t i = 0; i < count;) {
          std::size_t at = i;
          while (at < count && (expected & mask) != 0) {
            expected = std::rotl(expected, 1) ^ out[number(data[at])] ^ in[number(data[at + window])];
            ++at;
          }
          ASSERT_EQ(scan.find(tables, data.data() + i, window, count - i, mask, &state), at - i)
              << scan.name << " " << window << " " << bits;
          ASSERT_EQ(state, expected) << scan.name << " " << window << " " << bits << " at " << at;
          ASSERT_EQ(state, hash_of(in, data.data() + at, window));
          if (at == count) break;
          // The next search starts one byte later.
          expected = state = std::rotl(state, 1) ^ out[number(data[at])] ^ in[number(data[at + window])];
          i = at + 1;
        }
      }
    }
  }
}

TEST(BuzScan, EveryKernelOf64BitsAgreesWithTheDefinition) {
  compare<std::uint64_t>(buz64_scans(), buzhash64_table(test_data::keys("k1")));
}

TEST(BuzScan, EveryKernelOf32BitsAgreesWithTheDefinition) {
  compare<std::uint32_t>(buz32_scans(), buzhash_table(test_data::keys("k1")));
}

TEST(BuzScan, WindowsOfTheVectors) {
  for (const char* name : {"none", "k1", "k2"}) {
    const Table<std::uint64_t> in64 = buzhash64_table(test_data::keys(name));
    const Table<std::uint32_t> in32 = buzhash_table(test_data::keys(name));
    const GearTable table = gear(name);
    for (const nlohmann::json& entry : test_data::vectors()["keys"][name]["windows"]) {
      const std::byte* const data = test_data::input(entry["input"]).data() + entry["offset"].get<std::size_t>();
      EXPECT_EQ(hash_of(in32, data, 511), std::stoul(entry["buzhash_511"].get<std::string>(), nullptr, 16));
      EXPECT_EQ(hash_of(in32, data, 4095), std::stoul(entry["buzhash_4095"].get<std::string>(), nullptr, 16));
      EXPECT_EQ(hash_of(in64, data, 511), std::stoull(entry["buzhash64_511"].get<std::string>(), nullptr, 16));
      EXPECT_EQ(hash_of(in64, data, 4095), std::stoull(entry["buzhash64_4095"].get<std::string>(), nullptr, 16));
      std::uint64_t state = 0;
      EXPECT_EQ(gear_find_scalar(table, data, 64, 0, &state), 64U);
      EXPECT_EQ(state, std::stoull(entry["gear_64"].get<std::string>(), nullptr, 16));
    }
  }
}

}  // namespace
}  // namespace cairn::chunk::kernels

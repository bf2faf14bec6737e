#include "repo/chunk_index.h"

#include <thread>

#include <gtest/gtest.h>

#include "repo/index_fragments.h"

namespace cairn::repo {
namespace {

ChunkId id_of(std::uint64_t n) {
  ChunkId id;
  std::uint64_t z = n;
  for (std::size_t i = 0; i < 4; ++i) {
    z += 0x9E3779B97F4A7C15ULL;
    std::uint64_t x = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    x ^= x >> 31U;
    store_le(id.raw.data() + 8 * i, x);
  }
  return id;
}
PackId pack_of(std::uint64_t n) { return PackId::copy(id_of(n ^ 0xabcdef).raw.data()); }

TEST(ChunkIndex, FindsWhatWasInsertedAndNothingElse) {
  ChunkIndex index;
  for (std::uint64_t i = 0; i < 10000; ++i) {
    index.insert(id_of(i), {pack_of(i / 100), static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i + 1)});
  }
  EXPECT_EQ(index.size(), 10000U);
  for (std::uint64_t i = 0; i < 10000; ++i) {
    const auto found = index.find(id_of(i));
    ASSERT_TRUE(found);
    EXPECT_EQ(*found, (Location{pack_of(i / 100), static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i + 1)}));
  }
  EXPECT_FALSE(index.contains(id_of(10000)));
}

TEST(ChunkIndex, NeedsAtMostEightyBytesAChunk) {
  ChunkIndex index;
  constexpr std::uint64_t kEntries = 300'000;
  for (std::uint64_t i = 0; i < kEntries; ++i) index.insert(id_of(i), {pack_of(i / 1000), 0, 1});
  EXPECT_LT(index.memory_bytes() / kEntries, 80U);
}

TEST(ChunkIndex, ClaimedIsKnownButHasNoLocationUntilItsPackHasAName) {
  ChunkIndex index;
  const ChunkId id = id_of(1);
  EXPECT_TRUE(index.claim(id, 5));
  EXPECT_FALSE(index.claim(id, 5));
  EXPECT_TRUE(index.contains(id));
  EXPECT_FALSE(index.find(id));
  const PackNumber pack = index.new_pack();
  index.place(id, pack, 7, 8);
  EXPECT_FALSE(index.find(id));
  index.name_pack(pack, pack_of(1));
  EXPECT_EQ(*index.find(id), (Location{pack_of(1), 7, 8}));
  EXPECT_EQ(index.plain_size(id), 5U);
}

TEST(ChunkIndex, ErasedEntriesCanComeBack) {
  ChunkIndex index;
  index.insert(id_of(1), {pack_of(1), 0, 1});
  EXPECT_TRUE(index.erase(id_of(1)));
  EXPECT_FALSE(index.erase(id_of(1)));
  EXPECT_FALSE(index.contains(id_of(1)));
  EXPECT_EQ(index.size(), 0U);
  EXPECT_TRUE(index.claim(id_of(1), 2));
  index.erase(id_of(1));
  index.insert(id_of(1), {pack_of(2), 3, 4});
  EXPECT_EQ(index.find(id_of(1))->pack, pack_of(2));
}

TEST(ChunkIndex, RowsOfAFragmentAreTakenInAndTheLastOneWins) {
  Buffer rows;
  for (std::uint64_t i = 0; i < 5000; ++i) append_row({id_of(i), {pack_of(i % 7), 1, 2}}, rows);
  append_row({id_of(3), {pack_of(99), 5, 6}}, rows);
  ChunkIndex index;
  index.insert_rows(rows);
  EXPECT_EQ(index.size(), 5000U);
  EXPECT_EQ(*index.find(id_of(3)), (Location{pack_of(99), 5, 6}));
  EXPECT_EQ(*index.find(id_of(4)), (Location{pack_of(4), 1, 2}));
}

TEST(ChunkIndex, ManyThreadsClaimEachIdOnce) {
  ChunkIndex index;
  std::atomic<int> claimed = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (std::uint64_t i = 0; i < 5000; ++i) {
        if (index.claim(id_of(i), 1)) ++claimed;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(claimed, 5000);
}

TEST(ChunkIndex, EntriesOfLostPacksAreErasedAndCanBeClaimedAgain) {
  ChunkIndex index;
  for (std::uint64_t i = 0; i < 100; ++i) index.insert(id_of(i), {pack_of(i % 4), 0, 1});
  const auto erased = index.erase_packs([](const PackId& pack) { return pack == pack_of(1) || pack == pack_of(9); });
  EXPECT_EQ(erased.packs, 1U);
  EXPECT_EQ(erased.entries, 25U);
  EXPECT_EQ(index.size(), 75U);
  EXPECT_FALSE(index.contains(id_of(1)));
  EXPECT_TRUE(index.claim(id_of(1), 1));
}

TEST(ChunkIndex, MarksAreClearedTogether) {
  ChunkIndex index;
  index.insert(id_of(1), {pack_of(1), 0, 1});
  EXPECT_FALSE(index.mark_used(id_of(2), 0));
  EXPECT_TRUE(index.mark_used(id_of(1), 9));
  EXPECT_TRUE(index.is_used(id_of(1)));
  index.clear_used();
  EXPECT_FALSE(index.is_used(id_of(1)));
}

}  // namespace
}  // namespace cairn::repo

#include "fs/text_sorter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace cairn::fs {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

std::vector<std::string> sorted(const Pairs& pairs, std::size_t memory_limit) {
  TextSorter sorter(memory_limit);
  for (const auto& [key, text] : pairs) EXPECT_TRUE(sorter.add(key, text));
  std::vector<std::string> texts;
  EXPECT_TRUE(sorter.finish([&](std::string_view text) -> Status {
    texts.emplace_back(text);
    return {};
  }));
  return texts;
}

// Keys with common beginnings, empty ones, and many that are equal; a few texts longer than what is read at once.
Pairs some_pairs(std::size_t count) {
  std::mt19937 random(5);
  Pairs pairs;
  for (std::size_t i = 0; i < count; ++i) {
    std::string key(random() % 12, 'a');
    if (!key.empty()) key.back() = static_cast<char>(random() % 256);
    pairs.emplace_back(key, std::to_string(i) + std::string(i % 500 == 7 ? 100'000 : random() % 30, '.'));
  }
  return pairs;
}

TEST(TextSorter, SortsByKeyAndKeepsTheOrderOfEqualOnesWhateverTheMemory) {
  const Pairs pairs = some_pairs(2000);
  std::vector<std::size_t> order(pairs.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const int compared = pairs[a].first.compare(pairs[b].first);
    return compared != 0 ? compared < 0 : a < b;
  });
  std::vector<std::string> expected;
  for (const std::size_t i : order) expected.push_back(pairs[i].second);
  for (const std::size_t limit : {std::size_t{1}, std::size_t{1000}, std::size_t{50'000}, TextSorter::kMemoryLimit}) {
    EXPECT_EQ(sorted(pairs, limit), expected) << limit;
  }
}

TEST(TextSorter, NothingIsNothing) { EXPECT_TRUE(sorted({}, 100).empty()); }

TEST(TextSorter, AnErrorOfTheUserEndsIt) {
  for (const std::size_t limit : {std::size_t{1}, TextSorter::kMemoryLimit}) {
    TextSorter sorter(limit);
    ASSERT_TRUE(sorter.add("a", "1"));
    ASSERT_TRUE(sorter.add("b", "2"));
    int calls = 0;
    const auto status = sorter.finish([&](std::string_view) -> Status {
      ++calls;
      return fail(Code::Error, "enough");
    });
    EXPECT_FALSE(status);
    EXPECT_EQ(calls, 1);
  }
}

}  // namespace
}  // namespace cairn::fs

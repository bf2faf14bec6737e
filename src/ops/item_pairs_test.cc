#include "ops/item_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace cairn::ops {
namespace {

using Names = std::vector<std::string>;

archive::Item item(const std::string& path, Nanoseconds mtime) {
  archive::Item made;
  made.path = path;
  made.mtime = mtime;
  made.xattrs.emplace().emplace_back("user.large", std::string(100, 'x'));
  return made;
}

struct Outcome {
  std::vector<std::string> lines{};  // "+path", "-path", "path 1 2" with both times
  bool spilled = false;
};

// Items are "path" or "path=time"; equal times are the same state.
Outcome pair_up(const Names& before, const Names& after, std::size_t memory_limit) {
  Outcome outcome;
  ItemPairs pairs(
      [](const archive::Item& a, const archive::Item& b) { return a.mtime == b.mtime; },
      [&](const archive::Item* a, const archive::Item* b) -> Status {
        if (a == nullptr) {
          outcome.lines.push_back("+" + b->path);
        } else if (b == nullptr) {
          outcome.lines.push_back("-" + a->path);
        } else {
          EXPECT_EQ(a->path, b->path);
          outcome.lines.push_back(a->path + " " + std::to_string(a->mtime) + " " + std::to_string(b->mtime));
        }
        return {};
      },
      memory_limit);
  const auto take = [](const Names& names, std::size_t i) -> std::optional<archive::Item> {
    if (i >= names.size()) return std::nullopt;
    const std::string& name = names[i];
    const std::size_t mark = name.find('=');
    return item(name.substr(0, mark), mark == std::string::npos ? 0 : std::stoll(name.substr(mark + 1)));
  };
  for (std::size_t i = 0; i < std::max(before.size(), after.size()); ++i) {
    EXPECT_TRUE(pairs.add(take(before, i), take(after, i)));
  }
  EXPECT_TRUE(pairs.finish());
  outcome.spilled = pairs.spilled();
  return outcome;
}

TEST(ItemPairs, PairsComeWhenTheyAreCompleteThenWhatIsNewThenWhatIsGone) {
  const Names before{"a=1", "gone", "b=1", "c=1", "lost"};
  const Names after{"new", "c=2", "a=2", "same", "b=2", "later"};
  const auto expected =
      std::vector<std::string>{"a 1 2", "c 1 2", "b 1 2", "+new", "+same", "+later", "-gone", "-lost"};
  EXPECT_EQ(pair_up(before, after, 1 << 20).lines, expected);
}

TEST(ItemPairs, EqualPairsAreNotReported) {
  EXPECT_EQ(pair_up({"a", "b", "c"}, {"c", "a", "b"}, 1 << 20).lines, std::vector<std::string>{});
}

TEST(ItemPairs, OfAPathThatIsThereTwiceTheLaterItemCountsAtThePlaceOfTheFirst) {
  EXPECT_EQ(pair_up({"x", "twice=1", "twice=2", "y"}, {}, 1 << 20).lines,
            (std::vector<std::string>{"-x", "-twice", "-y"}));
  EXPECT_EQ(pair_up({"twice=1", "twice=2", "y"}, {"p", "q", "twice=3"}, 1 << 20).lines,
            (std::vector<std::string>{"twice 2 3", "+p", "+q", "-y"}));
}

TEST(ItemPairs, TemporaryFilesChangeNothing) {
  std::mt19937 random(42);  // NOLINT: the same cases every time
  std::size_t spilled = 0;
  for (int round = 0; round < 15; ++round) {
    Names before, after;
    const std::size_t count = random() % 400;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string path = "path/" + std::to_string(random() % 500);
      if (random() % 10 != 0) before.push_back(path + "=" + std::to_string(random() % 2));
      if (random() % 10 != 0) after.push_back(path + "=" + std::to_string(random() % 2));
    }
    if (round % 3 == 0) std::ranges::shuffle(after, random);
    if (round % 3 == 1 && !after.empty()) std::ranges::rotate(after, after.begin() + std::ssize(after) / 2);
    const Outcome in_memory = pair_up(before, after, std::size_t{1} << 30U);
    EXPECT_FALSE(in_memory.spilled);
    for (const std::size_t limit : {0U, 4000U, 20'000U}) {
      const Outcome in_files = pair_up(before, after, limit);
      EXPECT_EQ(in_files.lines, in_memory.lines) << "round " << round << ", limit " << limit;
      spilled += in_files.spilled ? 1 : 0;
    }
  }
  EXPECT_GT(spilled, 25U);
}

}  // namespace
}  // namespace cairn::ops

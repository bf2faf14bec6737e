// Splitting over threads of its own, and the choice of who splits.
#include "exec/team.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <thread>

#include "exec/delay.h"
#include "exec/pool.h"

namespace cairn::exec {
namespace {

class Environment {
 public:
  explicit Environment(const char* value) { ::setenv("CAIRN_SPLIT", value, 1); }
  ~Environment() { ::unsetenv("CAIRN_SPLIT"); }
};

TEST(Team, EveryPartRunsOnce) {
  for (const unsigned threads : {1U, 2U, 3U, 8U}) {
    const Team team(threads);
    EXPECT_EQ(team.helpers(), threads - 1);
    for (const std::size_t parts : {0U, 1U, 2U, 7U, 200U}) {
      std::vector<std::atomic<int>> runs(parts);
      team.run(parts, [&](std::size_t i) { ++runs[i]; });
      for (const auto& count : runs) EXPECT_EQ(count, 1);
    }
  }
}

TEST(Team, ServesSeveralCallersAtOnce) {
  for (const unsigned seed : {0U, 1U, 2U, 3U}) {
    set_delay_seed(seed);
    const Team team(3);
    std::array<std::atomic<int>, 4> sums{};
    std::vector<std::thread> callers;
    for (std::size_t caller = 0; caller < sums.size(); ++caller) {
      callers.emplace_back([&, caller] {
        for (int round = 0; round < 20; ++round) {
          team.run(5, [&](std::size_t i) { sums[caller] += static_cast<int>(i); });
        }
      });
    }
    for (std::thread& thread : callers) thread.join();
    for (const auto& sum : sums) EXPECT_EQ(sum, 20 * 10);
  }
  set_delay_seed(0);
}

TEST(Splitting, TheVariableChooses) {
  const auto chosen = [](const char* value) {
    const Environment environment(value);
    return splitting_from_environment(4);
  };
  EXPECT_EQ(*chosen(""), nullptr);
  EXPECT_EQ(*chosen("idle"), nullptr);
  EXPECT_EQ((*chosen("never"))->helpers(), 0U);
  EXPECT_EQ((*chosen("always"))->helpers(), 3U);
  const auto wrong = chosen("sometimes");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code(), Code::Usage);
  EXPECT_EQ(wrong.error().message(), "CAIRN_SPLIT must be always, idle or never, but is: 'sometimes'");
}

TEST(Splitting, AWorkerOffersWhatThePoolWasGiven) {
  Pool pool(2);
  EXPECT_EQ(pool.main_worker().spare().helpers(), 0U);  // no other thread has begun
  pool.split_over(std::make_unique<Team>(3));
  EXPECT_EQ(pool.main_worker().spare().helpers(), 2U);
}

}  // namespace
}  // namespace cairn::exec

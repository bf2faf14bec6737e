// Who may work on memory at the same time as whom, on machines that are made up: 1 to 64 processors, 1 to 4 nodes.
// Nothing here depends on time: threads meet at latches, and where patience matters it is none or endless.
#include "exec/memory_bound.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <latch>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "exec/memory_policy.h"
#include "exec/stage.h"

namespace cairn::exec {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20U;
constexpr std::size_t kLarge = std::size_t{1} << 30U;
constexpr std::chrono::milliseconds kEndless = std::chrono::hours(24);

thread_local unsigned t_node = 0;  // NOLINT: where a thread of these tests says that it runs

MemoryPolicy policy(unsigned threads, unsigned cap, unsigned nodes = 1) {
  return {.threads = threads,
          .cap = cap,
          .small = 8 * kMiB,
          .nodes = nodes,
          .node_here = [] { return t_node; },
          .patience = kEndless};
}

void raise(std::atomic<unsigned>& most, unsigned value) {
  for (unsigned seen = most; value > seen && !most.compare_exchange_weak(seen, value);) {
  }
}

struct Machine {
  unsigned threads, nodes, cap;
};
std::vector<Machine> machines() {
  std::vector<Machine> all;
  for (const unsigned threads : {1U, 2U, 3U, 4U, 8U, 9U, 12U, 16U, 24U, 32U, 48U, 64U}) {
    for (unsigned nodes = 1; nodes <= std::min(4U, threads); ++nodes) {
      for (const unsigned cap : {1U, 3U, 8U}) all.push_back({threads, nodes, cap});
    }
  }
  return all;
}

// Threads that occupy all slots of a node until they are told to leave.
class Occupied {
 public:
  Occupied(MemoryGate& gate, unsigned count, unsigned node = 0) : in_(count) {
    for (unsigned i = 0; i < count; ++i) {
      threads_.emplace_back([this, &gate, node] {
        t_node = node;
        const MemoryGate::Slot slot = gate.enter();
        in_.count_down();
        out_.wait();
      });
    }
    in_.wait();
  }
  Occupied(const Occupied&) = delete;
  Occupied& operator=(const Occupied&) = delete;
  ~Occupied() { free(); }
  void free() {
    if (std::exchange(freed_, true)) return;
    out_.count_down();
  }

 private:
  std::latch in_;
  std::latch out_{1};
  bool freed_ = false;
  std::vector<std::jthread> threads_;
};

TEST(MemoryBound, AsManyAtOnceAsTheCapSaysOnEachNodeAndNeverMore) {
  for (const Machine& machine : machines()) {
    MemoryGate gate(policy(machine.threads, machine.cap, machine.nodes));
    std::array<std::atomic<unsigned>, 4> inside{};
    std::array<std::atomic<unsigned>, 4> most{};
    std::array<unsigned, 4> members{};
    for (unsigned i = 0; i < machine.threads; ++i) ++members[i % machine.nodes];
    std::array<unsigned, 4> expected{};
    unsigned all = 0;
    for (unsigned node = 0; node < machine.nodes; ++node) {
      expected[node] = machine.threads <= machine.cap ? members[node] : std::min(members[node], machine.cap);
      all += expected[node];
    }
    // Nobody leaves before so many are inside: a lower limit than promised would never end.
    std::atomic<unsigned> arrived = 0;
    std::latch full(all);
    {
      std::vector<std::jthread> threads;
      for (unsigned i = 0; i < machine.threads; ++i) {
        threads.emplace_back([&, i] {
          t_node = i % machine.nodes;
          memory_bound(gate, kLarge, [&] {
            raise(most[t_node], ++inside[t_node]);
            if (arrived++ < all) full.count_down();
            full.wait();
            --inside[t_node];
          });
        });
      }
    }
    for (unsigned node = 0; node < machine.nodes; ++node) {
      EXPECT_EQ(most[node], expected[node]) << machine.threads << " " << machine.nodes << " " << machine.cap;
    }
    EXPECT_EQ(arrived, machine.threads);
    EXPECT_EQ(gate.room(), machine.threads <= machine.cap ? ~0U : machine.cap);
  }
}

TEST(MemoryBound, SmallWorkNeverWaits) {
  MemoryGate gate(policy(24, 8));
  Occupied all(gate, 8);
  EXPECT_TRUE(gate.full());
  EXPECT_EQ(memory_bound(gate, 8 * kMiB, [] { return 7; }), 7);
  EXPECT_EQ(gate.room(), 0U);
}

TEST(MemoryBound, WithFewThreadsNothingIsCounted) {
  for (const unsigned threads : {1U, 2U, 8U}) {
    MemoryGate gate(policy(threads, 8));
    memory_bound(gate, kLarge, [&] {
      EXPECT_FALSE(gate.full());
      EXPECT_EQ(gate.room(), ~0U);
    });
  }
}

TEST(MemoryBound, NestedWorkGoesStraightOn) {
  MemoryGate gate(policy(24, 1));
  const int result = memory_bound(gate, kLarge, [&] {
    EXPECT_TRUE(gate.full());
    return memory_bound(gate, kLarge, [&] { return memory_bound(gate, kLarge, [] { return 3; }); });
  });
  EXPECT_EQ(result, 3);
  EXPECT_EQ(gate.room(), 1U);
}

TEST(MemoryBound, ACallerWithALockThatIsWantedInsideGoesOn) {
  MemoryPolicy impatient = policy(24, 2);
  impatient.patience = std::chrono::milliseconds(0);
  MemoryGate gate(impatient);
  std::mutex mutex;
  std::latch inside(2);
  std::vector<std::jthread> threads;
  std::unique_lock lock(mutex);
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      memory_bound(gate, kLarge, [&] {
        inside.count_down();
        const std::lock_guard wanted(mutex);
      });
    });
  }
  inside.wait();
  EXPECT_EQ(memory_bound(gate, kLarge, [] { return 1; }), 1);
  lock.unlock();
  threads.clear();
  EXPECT_EQ(gate.room(), 2U);  // the one too many was given back too
}

TEST(MemoryBound, OtherNodesAreNotInTheWay) {
  MemoryGate gate(policy(24, 2, 2));
  Occupied first(gate, 2, 0);
  std::jthread([&] {
    t_node = 1;
    EXPECT_EQ(gate.room(), 2U);
    EXPECT_EQ(memory_bound(gate, kLarge, [&] { return gate.room(); }), 1U);
  }).join();
  EXPECT_TRUE(gate.full());
}

TEST(MemoryBound, AWorkerThatFindsItFullTakesComputeWork) {
  MemoryGate gate(policy(2, 1));
  Pool pool(2, gate);
  Occupied all(gate, 1);
  bool computed = false;
  pool.submit(pool.main_worker(), Lane::Finish, [&](Worker& worker) {
    EXPECT_EQ(worker.index(), 0U);
    computed = true;
    all.free();  // nothing but this ends the wait
  });
  EXPECT_EQ(memory_bound(pool.main_worker(), 8 * kMiB + 1, [&] { return computed; }), true);
}

TEST(MemoryBound, LongMemoryWorkGivesWaitingTasksAThread) {
  MemoryGate gate(policy(16, 1));
  Pool pool(16, gate);
  std::latch ran(1);
  pool.submit(pool.main_worker(), Lane::Begin, [&](Worker&) { ran.count_down(); });
  memory_bound(pool.main_worker(), 8 * kMiB, [&] { EXPECT_EQ(pool.started(), 0U); });
  memory_bound(pool.main_worker(), 8 * kMiB + 1, [&] { ran.wait(); });
  EXPECT_EQ(pool.started(), 1U);
}

TEST(MemoryBound, ComputeWorkThatComesWhileWaitingIsTaken) {
  MemoryGate gate(policy(3, 1));
  std::optional<Occupied> all(std::in_place, gate, 1U);
  Pool pool(3, gate);
  std::latch waits(1);
  // A worker of the pool: its Begin task finds Memory full, with nothing else to do at first.
  pool.submit(pool.main_worker(), Lane::Begin, [&](Worker& worker) {
    waits.count_down();
    memory_bound(worker, kLarge, [] {});
  });
  pool.expect_long_work();
  waits.wait();
  pool.submit(pool.main_worker(), Lane::Finish, [&](Worker&) { all->free(); });
  pool.drain();
  EXPECT_EQ(gate.room(), 1U);
}

TEST(MemoryBound, IdleWorkersLeaveMemoryTasksWhileMemoryIsFull) {
  MemoryGate gate(policy(2, 1));
  Pool pool(2, gate);
  Occupied all(gate, 1);
  std::vector<char> order;
  std::latch both(2);
  auto memory = [&](Worker&) {
    memory_bound(gate, kLarge, [&] { order.push_back('m'); });
    both.count_down();
  };
  auto compute = [&](Worker&) {
    order.push_back('c');
    all.free();
    both.count_down();
  };
  pool.submit(pool.main_worker(), Lane::Finish, memory, Load::Memory);
  pool.submit(pool.main_worker(), Lane::Finish, compute);  // starts the second thread
  both.wait();
  EXPECT_EQ(order, (std::vector<char>{'c', 'm'}));
}

TEST(MemoryBound, HeldBackTasksGoOnWhenMemoryIsFreeAndAtTheEnd) {
  for (int round = 0; round < 20; ++round) {
    MemoryGate gate(policy(8, 1));
    std::atomic<int> done = 0;
    std::atomic<unsigned> inside = 0;
    std::atomic<unsigned> most = 0;
    Pool pool(8, gate);
    for (int i = 0; i < 200; ++i) {
      const bool is_memory = i % 3 != 0;
      pool.submit(
          pool.main_worker(), i % 2 == 0 ? Lane::Finish : Lane::Begin,
          [&, is_memory](Worker&) {
            if (is_memory) {
              memory_bound(gate, kLarge, [&] {
                raise(most, ++inside);
                --inside;
              });
            }
            ++done;
          },
          is_memory ? Load::Memory : Load::Compute);
    }
    pool.drain();
    EXPECT_EQ(done, 200);
    EXPECT_EQ(most, 1U);
  }
}

TEST(MemoryBound, OneThreadNeverStartsAnything) {
  MemoryGate gate(policy(1, 8));
  Pool pool(1, gate);
  int ran = 0;
  for (const Load load : {Load::Memory, Load::Compute, Load::Io}) {
    pool.submit(
        pool.main_worker(), Lane::Begin, [&](Worker& worker) { ran += memory_bound(worker, kLarge, [] { return 1; }); },
        load);
  }
  pool.expect_long_work();
  pool.expect_helpers(8);
  EXPECT_EQ(ran, 3);
  EXPECT_EQ(pool.started(), 0U);
}

TEST(MemoryBound, HelpersOfASplitCountToo) {
  MemoryGate gate(policy(8, 2));
  Pool pool(8, gate);
  pool.expect_helpers(7);
  std::array<std::atomic<int>, 64> hits{};
  std::atomic<unsigned> inside = 0;
  std::atomic<unsigned> most = 0;
  for (int round = 0; round < 50; ++round) {
    memory_bound(pool.main_worker(), kLarge, [&] {
      const Spare& spare = pool.main_worker().spare();
      EXPECT_LE(spare.helpers(), 1U);  // the owner has the other slot
      spare.run(hits.size(), [&](std::size_t part) {
        raise(most, ++inside);
        ++hits[part];
        --inside;
      });
    });
  }
  for (const auto& hit : hits) EXPECT_EQ(hit, 50);
  EXPECT_LE(most, 2U);
}

struct MemoryStage {
  static constexpr StageInfo info{.name = "test", .load = Load::Memory};
  const MemoryGate& gate;
  unsigned operator()(int extra) const { return gate.room() + static_cast<unsigned>(extra); }
};

TEST(MemoryBound, MemoryStagesTakeASlot) {
  MemoryGate& gate = memory_gate();
  const MemoryPolicy before = gate.policy();
  gate.set_policy(policy(24, 8));
  StageClock clock;
  EXPECT_EQ(run_stage(MemoryStage{gate}, clock, side_by_side(kMiB), 100), 107U);  // 24 MiB together
  EXPECT_EQ(run_stage(MemoryStage{gate}, clock, side_by_side(kMiB / 4), 100), 108U);
  gate.set_policy(before);
}

cpu::Topology topology(unsigned processors, unsigned nodes, std::optional<std::size_t> cache) {
  cpu::Topology machine;
  machine.processors = processors;
  machine.nodes = nodes;
  machine.cache = cache;
  if (nodes > 1) machine.node_of.assign(processors, 0);
  return machine;
}

TEST(MemoryPolicy, FollowsTheMachineOnlyWhereThereAreManyThreads) {
  for (const Machine& machine : machines()) {
    int asked = 0;
    const MemoryPolicy made = make_memory_policy(machine.threads, machine.cap, [&] {
      ++asked;
      return topology(machine.threads, machine.nodes, 32 * kMiB);
    });
    EXPECT_EQ(made.threads, machine.threads);
    EXPECT_EQ(made.cap, machine.cap);
    const bool limits = machine.threads > machine.cap;
    EXPECT_EQ(made.limits(), limits);
    EXPECT_EQ(asked, limits ? 1 : 0);
    EXPECT_EQ(made.nodes, limits ? machine.nodes : 1);
    EXPECT_EQ(made.small, (limits ? 32 : 8) * kMiB);
    EXPECT_LT(made.nodes > 1 ? made.node_here() : 0, made.nodes);
    EXPECT_FALSE(made.text().empty());
  }
}

TEST(MemoryPolicy, TheCacheIsClampedAndTheTextTells) {
  const auto small = [](std::optional<std::size_t> cache) {
    return make_memory_policy(24, 8, [&] { return topology(24, 1, cache); }).small;
  };
  EXPECT_EQ(small(std::nullopt), 8 * kMiB);
  EXPECT_EQ(small(kMiB), 8 * kMiB);
  EXPECT_EQ(small(508 * kMiB), 64 * kMiB);
  EXPECT_EQ(make_memory_policy(2, 8).text(), "not limited: 2 thread(s), the limit is 8");
  EXPECT_EQ(make_memory_policy(24, 8, [] { return topology(24, 2, 32 * kMiB); }).text(),
            "at most 8 of 24 threads at once on each of 2 NUMA nodes, for work on more than 32 MiB");
}

TEST(MemoryPolicy, TheVariableIsChecked) {
  const char* const old = std::getenv("CAIRN_MEMORY_THREADS");
  const std::string kept = old != nullptr ? old : "";
  ::unsetenv("CAIRN_MEMORY_THREADS");
  EXPECT_EQ(*memory_threads_from_environment(), 8U);
  ::setenv("CAIRN_MEMORY_THREADS", "3", 1);
  EXPECT_EQ(*memory_threads_from_environment(), 3U);
  for (const char* bad : {"0", "-1", "1025", "x", "3x", " 3"}) {
    ::setenv("CAIRN_MEMORY_THREADS", bad, 1);
    const auto refused = memory_threads_from_environment();
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().code(), Code::Usage);
  }
  if (old != nullptr) {
    ::setenv("CAIRN_MEMORY_THREADS", kept.c_str(), 1);
  } else {
    ::unsetenv("CAIRN_MEMORY_THREADS");
  }
}

}  // namespace
}  // namespace cairn::exec

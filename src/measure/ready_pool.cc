#include "measure/ready_pool.h"

#include <thread>

#include "base/check.h"

namespace cairn::measure {

ReadyPool::ReadyPool(unsigned threads) : pool_(threads) {
  // A thread is added when a task waits already: tasks that hold their thread are handed in until all are there.
  std::atomic<bool> release = false;
  while (pool_.started() + 1 < threads) {
    pool_.submit(pool_.main_worker(), exec::Lane::Begin, [&release](exec::Worker&) { release.wait(false); });
  }
  release = true;
  release.notify_all();
  pool_.drain();
}

void ReadyPool::wait_until_parked() {
  while (spare().helpers() + 1 < pool_.threads()) std::this_thread::yield();
}

void ReadyPool::run_together(unsigned n, const std::function<void(unsigned)>& work) {
  CAIRN_CHECK(n >= 1 && n <= pool_.threads(), "a pool has no more threads than it has");
  std::atomic<unsigned> arrived = 0;
  const auto meet_and_work = [&](unsigned i) {
    // Spinning is right here, for once: all are to begin at the same moment, and no one else works meanwhile.
    arrived.fetch_add(1);
    while (arrived.load() < n) std::this_thread::yield();
    work(i);
  };
  for (unsigned i = 1; i < n; ++i) {
    pool_.submit(pool_.main_worker(), exec::Lane::Begin, [&meet_and_work, i](exec::Worker&) { meet_and_work(i); });
  }
  meet_and_work(0);
  pool_.drain();
}

}  // namespace cairn::measure

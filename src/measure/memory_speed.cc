#include "measure/memory_speed.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include <fmt/format.h>

#include "base/buffer.h"
#include "base/check.h"
#include "hash/blake3.h"
#include "measure/ready_pool.h"

namespace cairn::measure {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMib = std::size_t{1} << 20U;
constexpr double kGib = 1024.0 * 1024 * 1024;
constexpr std::size_t kStep = kMib;  // between looks at the clock

enum class Work { Set, Copy, Hash };

// One thread's own bytes; returns how many it handled.
std::size_t work_for(Work work, MutableBytes part, double seconds, double& elapsed) {
  const std::size_t half = part.size() / 2 / kStep * kStep;
  const std::size_t end = work == Work::Copy ? half : part.size() / kStep * kStep;
  const hash::Key256 key{};
  unsigned char value = 1;
  std::size_t done = 0;
  const Clock::time_point start = Clock::now();
  for (std::size_t at = 0; elapsed < seconds; at = at + 2 * kStep <= end ? at + kStep : 0) {
    std::byte* const bytes = part.data() + at;
    if (work == Work::Set) {
      std::memset(bytes, ++value, kStep);
    } else if (work == Work::Copy) {
      std::memcpy(part.data() + half + at, bytes, kStep);
    } else {
      bytes[0] ^= hash::blake3_keyed(key, Bytes(bytes, kStep)).raw[0];
    }
    done += kStep;
    elapsed = std::chrono::duration<double>(Clock::now() - start).count();
  }
  return done;
}

double rate(ReadyPool& pool, unsigned threads, Work work, MutableBytes block, double seconds) {
  const std::size_t share = block.size() / threads / kStep * kStep;
  struct alignas(64) Done {
    std::size_t bytes = 0;
    double seconds = 0;
  };
  std::vector<Done> done(threads);
  pool.run_together(threads, [&](unsigned i) {
    done[i].bytes = work_for(work, block.subspan(i * share, share), seconds, done[i].seconds);
  });
  double sum = 0;
  for (const Done& thread : done) sum += static_cast<double>(thread.bytes) / kGib / thread.seconds;
  return sum;
}

std::vector<MemoryPoint>& points_of(MemorySpeed& speed, Work work) {
  return work == Work::Set ? speed.set : work == Work::Copy ? speed.copy : speed.hash;
}

const char* name_of(Work work) { return work == Work::Set ? "set" : work == Work::Copy ? "copy" : "hash"; }

}  // namespace

std::vector<unsigned> thread_ladder(unsigned most, Effort effort) {
  std::vector<unsigned> ladder;
  // Steps of a sixteenth, a third or the whole of the number reached.
  const unsigned share = effort == Effort::Thorough ? 16 : effort == Effort::Balanced ? 3 : 1;
  const unsigned all_up_to = effort == Effort::Quick ? 2 : 8;
  for (unsigned n = 1; n < most; n += n < all_up_to ? 1 : std::max(1U, n / share)) ladder.push_back(n);
  ladder.push_back(most);
  return ladder;
}

std::size_t memory_block_bytes() {
  const auto pages = static_cast<std::size_t>(std::max(0L, ::sysconf(_SC_AVPHYS_PAGES)));
  const auto page = static_cast<std::size_t>(std::max(1L, ::sysconf(_SC_PAGESIZE)));
  return std::clamp(pages * page / 4 / kMib * kMib, 64 * kMib, 1024 * kMib);
}

Status measure_memory(const MemoryEffort& effort, std::size_t block_bytes, const std::function<bool()>& stop,
                      const std::function<void(std::string_view step)>& step, MemorySpeed& found) {
  CAIRN_CHECK(!effort.threads.empty() && effort.runs > 0, "nothing to measure");
  const unsigned most = effort.threads.back();
  found = {};
  // Everybody needs two steps of its own.
  Buffer block(std::max(block_bytes, std::size_t{most} * 2 * kStep));
  found.bytes = block.size();
  ReadyPool pool(most);
  step("touching memory");
  pool.run_together(most, [&](unsigned i) {
    const std::size_t share = block.size() / most;
    std::memset(block.data() + i * share, 1, i + 1 == most ? block.size() - i * share : share);
  });
  for (int run = 0; run < effort.runs; ++run) {
    for (std::size_t n = 0; n < effort.threads.size(); ++n) {
      for (const Work work : {Work::Set, Work::Copy, Work::Hash}) {
        if (stop && stop()) return fail(Code::Interrupted, "measuring was interrupted");
        const unsigned threads = effort.threads[n];
        step(fmt::format("{}, {} thread{}, run {} of {}", name_of(work), threads, threads == 1 ? "" : "s", run + 1,
                         effort.runs));
        std::vector<MemoryPoint>& points = points_of(found, work);
        if (run == 0) points.push_back({.threads = threads});
        points[n].runs.push_back(rate(pool, threads, work, block, effort.seconds_per_run));
      }
    }
  }
  return {};
}

}  // namespace cairn::measure

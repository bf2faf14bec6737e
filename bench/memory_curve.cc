// How much do more threads gain where memory is the limit, and what does memory_bound() cost?
//
//   memory_curve [MAX_THREADS [MIB]]    default: all processors, two buffers of 256 MiB each
//
// Prints a line per kind of work, "set 1:161 2:120 ...": the milliseconds that n threads need for 1 GiB together, each
// in buffers of its own, which no cache should hold, the best of several rounds. bench/memory_model --curve reads the
// line "set". Then the nanoseconds of one memory_bound() call: around small work, in a process with few threads, and
// with a slot taken and given back.
#include <fmt/format.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "chunk/cutter.h"
#include "compress/compressor.h"
#include "exec/memory_bound.h"
#include "exec/threads.h"
#include "hash/blake3.h"

namespace {

using namespace cairn;  // NOLINT: one small program
using Clock = std::chrono::steady_clock;

constexpr std::size_t kTotal = std::size_t{1} << 30U;
constexpr std::size_t kPiece = std::size_t{2} << 20U;
constexpr int kRounds = 5;

double milliseconds(Clock::duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

Buffer noise(std::size_t size) {
  Buffer data(size);
  std::uint64_t state = 1;
  for (std::size_t at = 0; at + 8 <= size; at += 8) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::uint64_t mixed = state ^ (state >> 29U);
    std::memcpy(data.data() + at, &mixed, 8);
  }
  return data;
}

// One thread's buffers and tools.
struct Desk {
  explicit Desk(std::size_t size) : from(noise(size)), to(noise(size)) {}
  Buffer from, to;
  compress::Compressor compressor;
};

struct Work {
  const char* name;
  std::function<void(Desk&, std::size_t offset)> piece;
};

std::vector<Work> works() {
  static const auto cutter = chunk::make_cutter({}, {});
  static const auto lz4 = compress::parse_spec("lz4");
  return {
      {"set",
       [](Desk& desk, std::size_t at) { std::memset(desk.to.data() + at, static_cast<int>(at >> 21U), kPiece); }},
      {"copy", [](Desk& desk, std::size_t at) { std::memcpy(desk.to.data() + at, desk.from.data() + at, kPiece); }},
      {"hash", [](Desk& desk, std::size_t at) { (void)hash::blake3(desk.from.view(at, kPiece)); }},
      {"cut",
       [](Desk& desk, std::size_t at) {
         for (Bytes rest = desk.from.view(at, kPiece); !rest.empty();) {
           chunk::Scan scan;
           rest = rest.subspan((*cutter)->cut(rest, true, false, scan));
         }
       }},
      {"lz4", [](Desk& desk, std::size_t at) { (void)desk.compressor.compress(*lz4, desk.from.view(at, kPiece)); }},
  };
}

double run(const Work& work, unsigned threads, std::vector<Desk>& desks) {
  double best = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    std::barrier<> start(static_cast<std::ptrdiff_t>(threads) + 1);
    std::vector<std::jthread> others;
    for (unsigned t = 0; t < threads; ++t) {
      others.emplace_back([&, t] {
        start.arrive_and_wait();
        const std::size_t share = kTotal / threads;
        for (std::size_t done = 0; done < share; done += kPiece) work.piece(desks[t], done % desks[t].from.size());
      });
    }
    start.arrive_and_wait();
    const auto begin = Clock::now();
    others.clear();
    best = std::min(best, milliseconds(Clock::now() - begin));
  }
  return best;
}

double nanoseconds_per_call(exec::MemoryGate& gate, std::size_t bytes) {
  constexpr int kCalls = 10'000'000;
  double best = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const auto begin = Clock::now();
    for (int i = 0; i < kCalls; ++i) {
      exec::memory_bound(gate, bytes, [&i] { asm volatile("" : "+r"(i)); });  // not optimised away
    }
    best = std::min(best, milliseconds(Clock::now() - begin) * 1e6 / kCalls);
  }
  return best;
}

}  // namespace

int main(int count, char** words) {
  const unsigned most =
      count > 1 ? static_cast<unsigned>(std::strtoul(words[1], nullptr, 10)) : exec::default_threads();
  const std::size_t mebibytes = count > 2 ? std::strtoul(words[2], nullptr, 10) : 256;
  std::vector<Desk> desks;
  for (unsigned t = 0; t < std::max(1U, most); ++t)
    desks.emplace_back(std::clamp<std::size_t>(mebibytes, 2, 4096) / 2 * kPiece);
  for (const Work& work : works()) {
    fmt::print("{}", work.name);
    for (unsigned n = 1; n <= most; n += n < 16 ? 1 : 4) fmt::print(" {}:{:.0f}", n, run(work, n, desks));
    fmt::print("\n");
  }
  exec::MemoryGate few({.threads = 2});
  exec::MemoryGate many({.threads = 24});
  constexpr std::size_t kLarge = std::size_t{1} << 30U;
  fmt::print("memory_bound(): {:.1f} ns with 2 threads, {:.1f} ns for small work with 24, {:.1f} ns with a slot\n",
             nanoseconds_per_call(few, kLarge), nanoseconds_per_call(many, 1), nanoseconds_per_call(many, kLarge));
}

// A stage is a function of one unit of work with a declared load. It knows no threads, queues or locks.
//
//   struct Identify {
//     static constexpr exec::StageInfo info{.name = "identify", .load = exec::Load::Memory};
//     Result<ChunkId> operator()(Bytes plain, exec::Worker& worker) const;
//   };
//   exec::StageClock clock;                       // one per worker and stage
//   auto id = exec::run_stage(Identify{...}, clock, bytes, plain, worker);
//
// run_stage() applies the policy for the load and adds up the time, which is what --stats reports.
#pragma once

#include <chrono>
#include <cstdint>
#include <utility>

#include "exec/load.h"
#include "exec/memory_bound.h"

namespace cairn::exec {

struct StageInfo {
  const char* name;
  Load load;
};

struct StageClock {
  std::int64_t nanoseconds = 0;
  double seconds() const { return static_cast<double>(nanoseconds) * 1e-9; }
};

// `bytes`: as for memory_bound(). The clock does not count what is waited for, or done meanwhile.
template <class Stage, class... Arguments>
auto run_stage(const Stage& stage, StageClock& clock, std::size_t bytes, Arguments&&... arguments) {
  const auto run = [&] {
    const auto start = std::chrono::steady_clock::now();
    auto result = stage(std::forward<Arguments>(arguments)...);
    clock.nanoseconds +=
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start).count();
    return result;
  };
  if constexpr (Stage::info.load == Load::Memory) {
    return memory_bound(bytes, run);
  } else {
    return run();
  }
}

}  // namespace cairn::exec

// Fewer threads where memory is the limit: work that mostly moves bytes.
//
//   exec::memory_bound(exec::side_by_side(chunk.size()), [&] { hasher.update(chunk); });
//
// Small work (up to what fits a last-level cache) and all work of a process with few threads is a plain call; that
// costs a comparison. Otherwise a slot of the MemoryGate is taken for as long as the work lasts. Nested calls go
// straight on.
//
// bytes     about how much memory is read and written by this work and by what runs beside it for the same purpose. A
//           step of a stream is not small because each step is: see side_by_side().
// full      memory_bound(bytes, work) waits, but not for ever; so it may be called with locks held.
//           memory_bound(worker, bytes, work) runs queued Compute tasks meanwhile, which may take long. Only where
//           Pool::wait_until() would be allowed too: in the Begin lane, without locks, and with no per-worker state in
//           use that such tasks need.
#pragma once

#include <cstddef>
#include <utility>

#include "exec/memory_gate.h"
#include "exec/pool.h"

namespace cairn::exec {

// Of a step that every thread of the process may be doing with its own bytes: what they touch together. Counting them
// exactly would make all threads write one counter per step.
inline std::size_t side_by_side(std::size_t bytes) { return bytes * memory_gate().policy().threads; }

template <class F>
auto memory_bound(MemoryGate& gate, std::size_t bytes, F&& work) {
  if (!gate.limits(bytes)) return std::forward<F>(work)();
  const MemoryGate::Slot slot = gate.enter();
  return std::forward<F>(work)();
}

template <class F>
auto memory_bound(std::size_t bytes, F&& work) {
  return memory_bound(memory_gate(), bytes, std::forward<F>(work));
}

template <class F>
auto memory_bound(Worker& worker, std::size_t bytes, F&& work) {
  Pool& pool = worker.pool();
  if (!pool.memory().limits(bytes)) return std::forward<F>(work)();
  pool.expect_long_work();
  const MemoryGate::Slot slot = pool.enter_memory(worker);
  return std::forward<F>(work)();
}

}  // namespace cairn::exec

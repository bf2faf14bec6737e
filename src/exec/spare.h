// A handle on workers that would otherwise idle, passed to steps that can split one input.
//
// Threads   run() returns when every part is done. Parts run in any order, on any thread, at most once each; the caller
//           works on parts too and waits only for parts that others have already begun. Safe to call while other
//           calls are under way. A part must not block.
#pragma once

#include <cstddef>
#include <functional>

namespace cairn::exec {

class Spare {
 public:
  virtual ~Spare() = default;
  // How many other threads could join right now; 0 means: do not bother to split.
  virtual unsigned helpers() const = 0;
  virtual void run(std::size_t parts, const std::function<void(std::size_t)>& part) const = 0;
};

// No helpers; run() is a plain loop.
const Spare& no_spare();

}  // namespace cairn::exec

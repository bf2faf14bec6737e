// The kernels of each chunker: which there are, which run here, and which is taken when nothing demands one.
//
// A kernel never changes a cut, only the time it takes to find it. What is taken, from the strongest wish down: the
// `kernel` argument of make_cutter(), Borg's variable (BORG_FASTCDC_KERNEL ...), CAIRN_KERNELS, prefer_kernel(), the
// first of the table that runs here. A wish that this build or CPU cannot meet is an error, never a silent change.
//
// Threads   all of them, at any time; prefer_kernel() concerns the cutters that are made later.
// Source    docs/format (chunkers, sections 10 and 10.5).
#pragma once

#include <string_view>
#include <vector>

#include "base/error.h"
#include "chunk/params.h"

namespace cairn::chunk {

struct KernelChoice {
  std::string_view name;
  bool runs;  // built, and this CPU has what it needs
};

// All names of this platform's build: Borg's in Borg's order, then ours. None for fixed and fail.
std::vector<KernelChoice> kernels_of(Algorithm algorithm);

// Makes `name` the default; an empty one takes that back. Errors are Usage, and nothing changes then.
Status prefer_kernel(Algorithm algorithm, std::string_view name);

// What make_cutter() takes when no argument and no variable demands anything; "" for fixed and fail.
std::string_view default_kernel(Algorithm algorithm);

// Whether a variable or prefer_kernel() has said already what to take, so that measuring has no use.
bool is_kernel_settled(Algorithm algorithm);

}  // namespace cairn::chunk

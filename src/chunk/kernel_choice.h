// Which kernel of a chunker to use, for the files that make cutters. The order of wishes is in kernel_list.h.
#pragma once

#include <span>
#include <string_view>

#include "base/error.h"
#include "chunk/params.h"

namespace cairn::chunk {

// The place in the chunker's table (kernels/*_scan.h) of the kernel to use; `demanded` may be empty. Errors are Usage.
Result<std::size_t> choose_kernel(Algorithm algorithm, std::string_view demanded);

template <class Kernel>
Result<const Kernel*> choose_kernel(std::span<const Kernel> table, Algorithm algorithm, std::string_view demanded) {
  CAIRN_TRY(const std::size_t place, choose_kernel(algorithm, demanded));
  return &table[place];
}

}  // namespace cairn::chunk

// The kinds of cutter, one function each; make_cutter() chooses. Parameters are already checked.
// Threads and units: see cutter.h. Not for other rooms.
#pragma once

#include <memory>

#include "chunk/cutter.h"

namespace cairn::chunk {

std::unique_ptr<Cutter> make_fixed(const Params& params);
Result<std::unique_ptr<Cutter>> make_fastcdc(const Params& params, const Keys& keys, std::string_view kernel);
Result<std::unique_ptr<Cutter>> make_buzhash64(const Params& params, const Keys& keys, std::string_view kernel);
Result<std::unique_ptr<Cutter>> make_buzhash(const Params& params, const Keys& keys, std::string_view kernel);
Result<std::unique_ptr<Cutter>> make_toeplitz_aes(const Params& params, const Keys& keys, std::string_view kernel);
Result<std::unique_ptr<Cutter>> make_rabin_aes(const Params& params, const Keys& keys, std::string_view kernel);
Result<std::unique_ptr<Cutter>> make_goldilocks_aes(const Params& params, const Keys& keys, std::string_view kernel);

// One implementation only, so nothing can be demanded.
constexpr std::string_view kSingleKernel = "n/a (single implementation)";

// Where the strict mask gives way to the loose one; 0 if there is only one mask.
inline std::size_t normal_size(const Params& params) {
  if (params.nc_level == 0) return 0;
  return (std::size_t{1} << params.mask_bits) - (std::size_t{1} << (params.mask_bits - params.nc_level));
}

}  // namespace cairn::chunk

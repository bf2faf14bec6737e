#include "ops/failing_reads.h"

#include <algorithm>
#include <cerrno>

namespace cairn::ops {

Result<FailingReads> FailingReads::make(const chunk::Params& params) {
  if (params.fail_map.empty() || params.fail_map.find_first_not_of("rReE") != std::string::npos)
    return fail(Code::Usage, "unsupported map character");
  if (params.block_size <= 0) return fail(Code::Usage, "block_size must be >= 1");
  return FailingReads(params.fail_map, static_cast<std::uint64_t>(params.block_size));
}

Status FailingReads::read(std::uint64_t size, const std::string& shown) {
  const std::uint64_t blocks = size / block_size_ + (size % block_size_ != 0 ? 1 : 0);
  for (std::uint64_t i = 0; i < blocks; ++i) {
    const char letter = map_[std::min(block_++, map_.size() - 1)];
    if (letter == 'e' || letter == 'E') return fail(os_error(EIO, shown));
  }
  return {};
}

chunk::Params FailingReads::cutting(const chunk::Params& params) {
  chunk::Params fixed;
  fixed.algorithm = chunk::Algorithm::Fixed;
  fixed.block_size = params.block_size;
  return fixed;
}

}  // namespace cairn::ops

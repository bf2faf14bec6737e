// Chunks of one size, after a header of its own size (docs/format, chunkers, section 4).
#include <algorithm>

#include "chunk/cutters.h"

namespace cairn::chunk {
namespace {

class FixedCutter final : public Cutter {
 public:
  explicit FixedCutter(const Params& params)
      : block_(static_cast<std::size_t>(params.block_size)),
        header_(static_cast<std::size_t>(std::max(params.header_size, std::int64_t{0}))) {
    max_chunk_ = params.max_chunk();
    min_chunk_ = header_ > 0 ? header_ : block_;
    kernel_ = kSingleKernel;
  }

  std::size_t cut(Bytes chunk, bool final, bool first, Scan&) const override {
    const std::size_t length = first && header_ > 0 ? header_ : block_;
    if (chunk.size() >= length) return length;
    return final ? chunk.size() : 0;
  }

 private:
  std::size_t block_;
  std::size_t header_;
};

}  // namespace

std::unique_ptr<Cutter> make_fixed(const Params& params) { return std::make_unique<FixedCutter>(params); }

}  // namespace cairn::chunk

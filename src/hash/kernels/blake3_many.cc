// The table of blake3_many, fastest measured first.
#include "hash/kernels/blake3_many.h"

#include "cpu/features.h"

namespace cairn::hash {

std::span<const Blake3Many> blake3_manys() {
  static constexpr Blake3Many table[] = {
      {"scalar", 0, blake3_compress_scalar, blake3_chunks_scalar, blake3_parents_scalar},
  };
  return table;
}

}  // namespace cairn::hash

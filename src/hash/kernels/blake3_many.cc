// The table of blake3_many, fastest measured first.
#include "hash/kernels/blake3_many.h"

#include "cpu/features.h"

namespace cairn::hash {

std::span<const Blake3Many> blake3_manys() {
  using cpu::Feature;
  static constexpr Blake3Many table[] = {
#if defined(__x86_64__)
      {"avx512", Feature::Avx512 | Feature::None, blake3_compress_scalar, blake3_chunks_avx512, blake3_parents_avx512},
      {"avx2", Feature::Avx2 | Feature::Sse41, blake3_compress_sse41, blake3_chunks_avx2, blake3_parents_avx2},
      {"sse41", Feature::Sse41 | Feature::None, blake3_compress_sse41, blake3_chunks_sse41, blake3_parents_sse41},
#elif defined(__aarch64__)
      {"neon", Feature::Neon | Feature::None, blake3_compress_scalar, blake3_chunks_neon, blake3_parents_neon},
#endif
      {"scalar", 0, blake3_compress_scalar, blake3_chunks_scalar, blake3_parents_scalar},
  };
  return table;
}

}  // namespace cairn::hash

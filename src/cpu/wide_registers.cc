#include "cpu/wide_registers.h"

#include "cpu/features.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace cairn::cpu {
namespace {

#if defined(__x86_64__)
[[gnu::target("avx")]] void clear_upper_halves() { _mm256_zeroupper(); }
#else
void clear_upper_halves() {}
#endif

}  // namespace

void release_wide_registers() {
  static const bool has_them = has(static_cast<std::uint32_t>(Feature::Avx2));
  if (has_them) clear_upper_halves();
}

}  // namespace cairn::cpu

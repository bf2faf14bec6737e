// Leaving the wide vector registers.
#pragma once

namespace cairn::cpu {

// To be called behind library code that uses AVX and may leave the upper halves of the registers in use: until somebody
// clears them, code in the older SSE encoding on the same thread runs slower (AES-OCB on Zen 5 at 5.7 instead of
// 8.0 GB/s, 2026-11-30). Costs a few cycles; does nothing where there are no such registers.
void release_wide_registers();

}  // namespace cairn::cpu

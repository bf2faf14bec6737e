// What this CPU can do (and the system lets it), and which kernel of a table to use.
//
// Detection looks at the CPU and at the registers that the system saves (XCR0 on x86). Selection is made once per
// kernel family; CAIRN_KERNELS="family=name,family=name" (or "scalar" alone for all) overrides it, and a name that this
// build or CPU cannot run is an error, never a silent change.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace cairn::cpu {

enum class Feature : std::uint32_t {
  None = 0,
  Sse41 = 1U << 0U,
  Avx2 = 1U << 1U,    // with BMI1 and BMI2
  Avx512 = 1U << 2U,  // F, VL, BW and DQ
  AesNi = 1U << 3U,
  Vaes = 1U << 4U,  // VAES with AVX-512
  Gfni = 1U << 5U,
  Vbmi = 1U << 6U,
  Neon = 1U << 7U,
  ArmAes = 1U << 8U,
  Ifma = 1U << 9U,
};
constexpr std::uint32_t operator|(Feature a, Feature b) {
  return static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b);
}
constexpr std::uint32_t operator|(std::uint32_t a, Feature b) { return a | static_cast<std::uint32_t>(b); }

// Bits of Feature that can be used here.
std::uint32_t features();
inline bool has(std::uint32_t needs) { return (features() & needs) == needs; }

// "AMD EPYC ..." or "arm64 0x00000000410fd083" (vendor and part) as the system names it; "" if it does not.
std::string model_name();

// The name that the user demands for this kernel family, or "" (then the first runnable one of the table is used).
std::string kernel_demand(std::string_view family);

// Chooses from `table` (preferred first; each entry has .name and .needs). Errors are Usage.
template <class Kernel>
Result<const Kernel*> select(std::span<const Kernel> table, std::string_view family) {
  const std::string demand = kernel_demand(family);
  for (const Kernel& kernel : table) {
    if (!demand.empty() && demand != kernel.name) continue;
    if (has(kernel.needs)) return &kernel;
    if (!demand.empty()) {
      return fail(Code::Usage,
                  "CAIRN_KERNELS: " + std::string(family) + "=" + demand + ": this CPU does not support it");
    }
  }
  return fail(Code::Usage, "CAIRN_KERNELS: " + std::string(family) + "=" + demand + ": not a kernel of this build");
}

}  // namespace cairn::cpu

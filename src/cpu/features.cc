// Reads CPUID and XCR0 on x86-64, the auxiliary vector on arm64; the answer never changes while the program runs.
// Sources: Intel SDM volume 1 chapters 13 to 15, AMD APM volume 3 appendix E, Linux
// Documentation/arch/arm64/elf_hwcaps.
#include "cpu/features.h"

#include <algorithm>

#include "base/env.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>

#include <fstream>
#endif

namespace cairn::cpu {
namespace {

constexpr std::uint32_t bit(Feature feature) { return static_cast<std::uint32_t>(feature); }

#if defined(__x86_64__)
struct Registers {
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

// All zero for a leaf that this CPU does not have.
Registers cpuid(std::uint32_t leaf) {
  Registers r;
  if (__get_cpuid_count(leaf, 0, &r.eax, &r.ebx, &r.ecx, &r.edx) == 0) return {};
  return r;
}

constexpr bool all(std::uint32_t value, std::uint32_t wanted) { return (value & wanted) == wanted; }

std::uint64_t saved_registers() {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (std::uint64_t{high} << 32U) | low;
}

std::uint32_t detect() {
  const Registers basic = cpuid(1);
  const Registers extended = cpuid(7);
  const bool has_xgetbv = all(basic.ecx, bit_OSXSAVE);
  const std::uint64_t saved = has_xgetbv ? saved_registers() : 0;
  const bool saves_ymm = (saved & 0x06U) == 0x06U;  // SSE and upper halves of YMM
  const bool saves_zmm = (saved & 0xe6U) == 0xe6U;  // and mask registers, both parts of ZMM

  std::uint32_t found = 0;
  if (all(basic.ecx, bit_SSSE3 | bit_SSE4_1)) {
    found |= bit(Feature::Sse41);
    if (all(basic.ecx, bit_AES)) found |= bit(Feature::AesNi);
    if (all(extended.ecx, bit_GFNI)) found |= bit(Feature::Gfni);
  }
  if (saves_ymm && all(basic.ecx, bit_AVX) && all(extended.ebx, bit_AVX2 | bit_BMI | bit_BMI2)) {
    found |= bit(Feature::Avx2);
  }
  const std::uint32_t avx512 = bit_AVX512F | bit_AVX512VL | bit_AVX512BW | bit_AVX512DQ | bit_BMI | bit_BMI2;
  if (saves_zmm && all(extended.ebx, avx512)) {
    found |= bit(Feature::Avx512);
    if (all(extended.ecx, bit_VAES)) found |= bit(Feature::Vaes);
    if (all(extended.ecx, bit_AVX512VBMI)) found |= bit(Feature::Vbmi);
    if (all(extended.ebx, bit_AVX512IFMA)) found |= bit(Feature::Ifma);
  }
  return found;
}

std::string read_model_name() {
  std::string name;
  if (cpuid(0x80000000U).eax < 0x80000004U) return name;
  for (std::uint32_t leaf = 0x80000002U; leaf <= 0x80000004U; ++leaf) {
    const Registers r = cpuid(leaf);
    for (const std::uint32_t word : {r.eax, r.ebx, r.ecx, r.edx}) {
      for (unsigned shift = 0; shift < 32; shift += 8) name.push_back(static_cast<char>((word >> shift) & 0xffU));
    }
  }
  name.erase(std::min(name.find('\0'), name.size()));
  const std::size_t first = name.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return name.substr(first, name.find_last_not_of(' ') - first + 1);
}
#elif defined(__aarch64__)
std::uint32_t detect() {
  std::uint32_t found = bit(Feature::Neon);  // part of every arm64 CPU that runs a common system
#if defined(__linux__)
  if ((getauxval(AT_HWCAP) & HWCAP_AES) != 0) found |= bit(Feature::ArmAes);
#endif
  return found;
}

// arm64 has numbers of vendor and part only.
std::string read_model_name() {
  std::ifstream file("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1");
  std::string number;
  return file >> number ? "arm64 " + number : std::string();
}
#else
std::uint32_t detect() { return 0; }
std::string read_model_name() { return {}; }
#endif

}  // namespace

std::uint32_t features() {
  static const std::uint32_t found = detect();
  return found;
}

std::string model_name() { return read_model_name(); }

std::string kernel_demand(std::string_view family) {
  const std::string setting = env("CAIRN_KERNELS").value_or("");
  std::string_view rest = setting;
  std::string_view general;  // an entry without a family: for every family that has none of its own
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string_view entry = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos) {
      if (!entry.empty()) general = entry;
    } else if (entry.substr(0, equals) == family) {
      return std::string(entry.substr(equals + 1));
    }
  }
  return std::string(general);
}

}  // namespace cairn::cpu

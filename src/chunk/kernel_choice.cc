#include "chunk/kernel_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <optional>
#include <string>

#include "base/env.h"
#include "chunk/kernel_list.h"
#include "chunk/kernels/aes_scan.h"
#include "chunk/kernels/buz_scan.h"
#include "chunk/kernels/gear_scan.h"
#include "cpu/features.h"

namespace cairn::chunk {
namespace {

// Borg's names come first in lists, in Borg's order.
constexpr std::array<std::string_view, 9> kOrder = {"avx512", "avx2",   "neon",      "blockwise", "scalar",
                                                    "vaes",   "aes-ni", "aes-arm64", "evp"};

struct Kernel {
  std::string_view name;
  std::uint32_t needs;  // bits of cpu::Feature
};

struct Family {
  const char* variable = nullptr;  // Borg's; some chunkers have none
  const char* name = nullptr;      // in CAIRN_KERNELS
  std::vector<Kernel> kernels;     // as in the chunker's table, preferred first
};

template <class Table>
Family family(const char* variable, const char* name, Table table) {
  Family result{.variable = variable, .name = name, .kernels = {}};
  for (const auto& kernel : table) result.kernels.push_back({.name = kernel.name, .needs = kernel.needs});
  return result;
}

Family family_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::FastCdc:
      return family("BORG_FASTCDC_KERNEL", "gear_scan", kernels::gear_scans());
    case Algorithm::Buzhash64:
      return family("BORG_BUZHASH64_KERNEL", "buz64_scan", kernels::buz64_scans());
    case Algorithm::Buzhash:
      return family(nullptr, "buz32_scan", kernels::buz32_scans());
    case Algorithm::ToeplitzAes:
      return family("BORG_AES_CHUNKER_KERNEL", "toeplitz_scan", kernels::aes_scans<kernels::ToeplitzDigest>());
    case Algorithm::RabinAes:
      return family("BORG_AES_CHUNKER_KERNEL", "rabin_scan", kernels::aes_scans<kernels::RabinDigest>());
    case Algorithm::GoldilocksAes:
      return family("BORG_AES_CHUNKER_KERNEL", "goldilocks_scan", kernels::aes_scans<kernels::GoldilocksDigest>());
    default:
      return {};
  }
}

struct Demand {
  std::string source;  // as messages name it
  std::string value;   // empty if nothing is demanded
};

// A variable's value as Borg takes it: stripped, in lower case.
std::string variable_value(const char* variable) {
  std::string value = env(variable).value_or("");
  constexpr const char* blanks = " \t\n\v\f\r";
  value.erase(0, std::min(value.find_first_not_of(blanks), value.size()));
  value.erase(value.find_last_not_of(blanks) + 1);
  std::ranges::transform(value, value.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return value;
}

Demand variables_demand(const Family& family) {
  if (family.variable != nullptr) {
    Demand demand{.source = family.variable, .value = variable_value(family.variable)};
    if (!demand.value.empty()) return demand;
  }
  if (family.name == nullptr) return {};
  return {.source = fmt::format("CAIRN_KERNELS={}", family.name), .value = cpu::kernel_demand(family.name)};
}

std::vector<std::string_view> names_in_order(const Family& family) {
  std::vector<std::string_view> names;
  for (const Kernel& kernel : family.kernels) names.push_back(kernel.name);
  std::vector<std::string_view> ordered;
  for (const std::string_view known : kOrder) {
    if (std::erase(names, known) > 0) ordered.push_back(known);
  }
  ordered.insert(ordered.end(), names.begin(), names.end());
  return ordered;
}

Result<std::size_t> meet(const Family& family, const Demand& demand) {
  const auto found = std::ranges::find(family.kernels, std::string_view(demand.value), &Kernel::name);
  if (found != family.kernels.end() && cpu::has(found->needs)) {
    return static_cast<std::size_t>(found - family.kernels.begin());
  }
  return fail(Code::Usage,
              fmt::format("{}='{}': {}. Valid values: {}", demand.source, demand.value,
                          found == family.kernels.end() ? "not a kernel of this build" : "this CPU does not support it",
                          fmt::join(names_in_order(family), ", ")));
}

// What prefer_kernel() was told: a place in the table plus one, 0 if nothing.
std::atomic<std::size_t>& preference(Algorithm algorithm) {
  static std::array<std::atomic<std::size_t>, 8> places{};
  return places.at(static_cast<std::size_t>(algorithm));
}

// Every table has a kernel that runs everywhere.
std::size_t default_place(const Family& family, Algorithm algorithm) {
  if (const std::size_t preferred = preference(algorithm).load()) return preferred - 1;
  const auto first = std::ranges::find_if(family.kernels, [](const Kernel& kernel) { return cpu::has(kernel.needs); });
  return static_cast<std::size_t>(first - family.kernels.begin());
}

}  // namespace

Result<std::size_t> choose_kernel(Algorithm algorithm, std::string_view demanded) {
  const Family family = family_of(algorithm);
  if (!demanded.empty()) return meet(family, {.source = "kernel", .value = std::string(demanded)});
  const Demand demand = variables_demand(family);
  if (!demand.value.empty()) return meet(family, demand);
  return default_place(family, algorithm);
}

std::vector<KernelChoice> kernels_of(Algorithm algorithm) {
  const Family family = family_of(algorithm);
  std::vector<KernelChoice> choices;
  for (const std::string_view name : names_in_order(family)) {
    const auto kernel = std::ranges::find(family.kernels, name, &Kernel::name);
    choices.push_back({.name = name, .runs = cpu::has(kernel->needs)});
  }
  return choices;
}

Status prefer_kernel(Algorithm algorithm, std::string_view name) {
  if (name.empty()) {
    preference(algorithm).store(0);
    return {};
  }
  CAIRN_TRY(const std::size_t place, meet(family_of(algorithm), {.source = "kernel", .value = std::string(name)}));
  preference(algorithm).store(place + 1);
  return {};
}

std::string_view default_kernel(Algorithm algorithm) {
  const Family family = family_of(algorithm);
  return family.kernels.empty() ? std::string_view() : family.kernels[default_place(family, algorithm)].name;
}

bool is_kernel_settled(Algorithm algorithm) {
  return preference(algorithm).load() != 0 || !variables_demand(family_of(algorithm)).value.empty();
}

}  // namespace cairn::chunk

// Which kernel of a family to use: what Borg's environment variable demands, else what CAIRN_KERNELS demands, else the
// first of the table that runs here. Source: docs/format (chunkers, section 10.5).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cpu/features.h"

namespace cairn::chunk {

// The value of `variable`, stripped and in lower case; empty if it is unset.
std::string kernel_demand(const char* variable);
Error kernel_refused(const char* variable, std::string_view value, std::string_view reason,
                     std::vector<std::string_view> names);

// Kernels have .name, .needs and nothing else that matters here. Errors are Usage.
template <class Kernel>
Result<const Kernel*> choose_kernel(std::span<const Kernel> table, const char* variable, std::string_view family) {
  const std::string demand = kernel_demand(variable);
  if (demand.empty()) return cpu::select(table, family);
  std::vector<std::string_view> names;
  for (const Kernel& kernel : table) names.emplace_back(kernel.name);
  for (const Kernel& kernel : table) {
    if (demand != kernel.name) continue;
    if (cpu::has(kernel.needs)) return &kernel;
    return fail(kernel_refused(variable, demand, "this CPU does not support it", std::move(names)));
  }
  return fail(kernel_refused(variable, demand, "not a kernel of this build", std::move(names)));
}

}  // namespace cairn::chunk

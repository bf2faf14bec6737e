// The record of the fastest kernels: whatever the file holds, only a kernel that runs comes out of it, and a new line
// counts from then on.
#include <algorithm>
#include <cstdint>

#include "base/bytes.h"
#include "base/check.h"
#include "chunk/kernel_list.h"
#include "ops/kernel_record.h"

using namespace cairn;  // NOLINT: one small program

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = text_of(std::as_bytes(std::span(data, size)));
  constexpr chunk::Algorithm algorithm = chunk::Algorithm::FastCdc;
  const auto choices = chunk::kernels_of(algorithm);
  const std::string_view recorded = ops::recorded_kernel(text, algorithm);
  const bool runs = std::ranges::any_of(
      choices, [&](const chunk::KernelChoice& choice) { return choice.runs && choice.name == recorded; });
  CAIRN_CHECK(recorded.empty() || runs, "a kernel that runs");
  const std::string record = ops::record_kernel(text, algorithm, "scalar");
  CAIRN_CHECK(ops::recorded_kernel(record, algorithm) == "scalar", "the new line counts");
  CAIRN_CHECK(record.size() <= 16384, "the file stays small");
  return 0;
}

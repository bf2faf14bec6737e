// Any bytes as a file for --from-json and as the kept settings of a machine: what is accepted reads the same after
// writing.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "measure/tuning_json.h"
#include "measure/tuning_profile.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn;  // NOLINT: one small program
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto tuning = measure::tuning_from_json(text)) {
    const std::string written =
        measure::tuning_to_json(*tuning).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    const auto again = measure::tuning_from_json(written);
    if (!again || measure::recommended(*again) != measure::recommended(*tuning)) std::abort();
    if (again->blake3.threshold_kib != tuning->blake3.threshold_kib) std::abort();
  }
  if (const auto entries = measure::parse_profile(text)) {
    const auto again = measure::parse_profile(measure::encode_profile(*entries));
    if (!again || again->size() != entries->size()) std::abort();
    for (std::size_t i = 0; i < entries->size(); ++i) {
      if ((*again)[i].settings != (*entries)[i].settings) std::abort();
    }
  }
  return 0;
}

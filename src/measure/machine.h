// What machine was measured, so that numbers can be judged and are not taken for those of another one.
#pragma once

#include <string>
#include <string_view>

namespace cairn::measure {

struct Machine {
  std::string platform{};      // "Linux 6.1.0"
  std::string architecture{};  // "x86_64"
  std::string processor{};     // as the system names it; the architecture where it does not
  unsigned cpus_available = 1, cpus_total = 1;
  std::string blake3{};  // whose BLAKE3, and with which instructions

  // Whether settings found on `other` hold here too: the same processor, and as many.
  bool is_like(const Machine& other) const {
    return processor == other.processor && architecture == other.architecture && cpus_total == other.cpus_total;
  }
  // "AMD EPYC ..., 2 of 2 processors"
  std::string text() const;
};

Machine this_machine(std::string_view cairn_version);

}  // namespace cairn::measure

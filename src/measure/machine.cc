#include "measure/machine.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "cpu/features.h"
#include "cpu/topology.h"
#include "hash/kernels/blake3_many.h"

namespace cairn::measure {

std::string Machine::text() const {
  return fmt::format("{}, {} of {} processor{}", processor, cpus_available, cpus_total, cpus_total == 1 ? "" : "s");
}

Machine this_machine(std::string_view cairn_version) {
  Machine machine;
  utsname system{};
  if (::uname(&system) == 0) {
    machine.platform = fmt::format("{} {}", system.sysname, system.release);
    machine.architecture = system.machine;
  }
  machine.processor = cpu::model_name();
  if (machine.processor.empty()) machine.processor = machine.architecture;
  machine.cpus_total = static_cast<unsigned>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  const std::size_t allowed = cpu::allowed_processors().size();
  machine.cpus_available = allowed > 0 ? static_cast<unsigned>(allowed) : machine.cpus_total;
  machine.cpus_total = std::max(machine.cpus_total, machine.cpus_available);
  const auto kernel = cpu::select(hash::blake3_manys(), "blake3_many");
  machine.blake3 = fmt::format("cairn {} ({})", cairn_version, kernel ? (*kernel)->name : "none");
  return machine;
}

}  // namespace cairn::measure

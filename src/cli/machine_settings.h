// Settings that suit the machine, and where each comes from: an option or variable, what `cairn tune --apply` kept,
// what a run measured by itself (kernels), or the default; in this order.
//
// A profile that is damaged, or names kernels that are not there, is a warning: the defaults do for any machine.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "chunk/params.h"
#include "cli/common_options.h"

namespace cairn::cli {

enum class Origin { Default, Measured, Tuned, Variable, Option };
std::string_view text_of(Origin origin);

template <class T>
struct Sourced {
  T value{};
  Origin origin = Origin::Default;
};

struct MachineSettings {
  Sourced<unsigned> threads{};
  Sourced<std::size_t> blake3_threshold{};  // bytes
  Sourced<unsigned> memory_threads{};
  struct Kernel {
    chunk::Algorithm algorithm{};
    std::string name{};  // empty: what the build prefers
  };
  std::vector<Kernel> tuned_kernels{};
  Sourced<std::optional<unsigned>> readers{};  // files read at once while creating; nothing: as many as threads
  bool profile_used = false;
};

// Errors are those of variables that make no sense.
Result<MachineSettings> machine_settings(const CommonOptions& common);
// Makes them the process's own. Call before threads start.
void use(const MachineSettings& settings);

}  // namespace cairn::cli

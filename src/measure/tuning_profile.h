// The settings that `cairn tune --apply` keeps: one small file in the configuration directory, with one entry per kind
// of machine, since a home directory may be shared by several.
//
//   {"version": 1, "machines": [{"processor": "...", "machine": "x86_64", "cpus_total": 16, "blake3_threshold_kib": 96,
//    "memory_threads": 8, "kernels": {"fastcdc": "avx512"}, "readers": 4}]}
//
// blake3_threshold_kib may also be "never". What an entry does not have stays at its default.
//
// Errors    those of the file, and Code::Error with its path where it is damaged: the caller warns and goes on.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "measure/tuning.h"

namespace cairn::measure {

struct ProfileEntry {
  Machine machine{};  // processor, architecture and cpus_total only
  Settings settings{};
};

std::string profile_path();

// Nothing if there is no file, or it has no entry for a machine like this one.
Result<std::optional<Settings>> load_profile(const std::string& path);
// Puts the entry for `machine` in, and keeps those of others; a damaged file is replaced as a whole. Atomic.
Status save_profile(const std::string& path, const Machine& machine, const Settings& settings);

Result<std::vector<ProfileEntry>> parse_profile(std::string_view text);
std::string encode_profile(const std::vector<ProfileEntry>& entries);

}  // namespace cairn::measure

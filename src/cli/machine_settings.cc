#include "cli/machine_settings.h"

#include <array>

#include <fmt/format.h>

#include "base/env.h"
#include "base/log.h"
#include "chunk/kernel_list.h"
#include "exec/memory_gate.h"
#include "exec/memory_policy.h"
#include "exec/threads.h"
#include "hash/blake3.h"
#include "measure/tuning_profile.h"

namespace cairn::cli {
namespace {

using chunk::Algorithm;

constexpr std::array kAlgorithms = {Algorithm::FastCdc,     Algorithm::Buzhash64, Algorithm::Buzhash,
                                    Algorithm::ToeplitzAes, Algorithm::RabinAes,  Algorithm::GoldilocksAes};

void warn(const std::string& message) { log(Level::Warning, "borg.archiver", message); }

measure::Settings profile_settings(bool& used) {
  const std::string path = measure::profile_path();
  const auto loaded = measure::load_profile(path);
  used = loaded && loaded->has_value();
  if (!loaded) {
    warn(fmt::format("The settings of cairn tune cannot be read and are not used: {}", loaded.error().text()));
  }
  return used ? **loaded : measure::Settings();
}

}  // namespace

std::string_view text_of(Origin origin) {
  switch (origin) {
    case Origin::Default:
      return "default";
    case Origin::Measured:
      return "measured";
    case Origin::Tuned:
      return "tuned";
    case Origin::Variable:
      return "variable";
    case Origin::Option:
      return "option";
  }
  return "";
}

Result<MachineSettings> machine_settings(const CommonOptions& common) {
  MachineSettings settings;
  const measure::Settings tuned = profile_settings(settings.profile_used);
  if (common.threads > 0)
    settings.threads = {static_cast<unsigned>(common.threads), Origin::Option};
  else
    settings.threads = {exec::default_threads(), Origin::Default};

  CAIRN_TRY(settings.blake3_threshold.value, hash::blake3_split_threshold());
  if (env("BORG_BLAKE3_MT_THRESHOLD"))
    settings.blake3_threshold.origin = Origin::Variable;
  else if (tuned.blake3_threshold)
    settings.blake3_threshold = {*tuned.blake3_threshold, Origin::Tuned};

  CAIRN_TRY(settings.memory_threads.value, exec::memory_threads_from_environment());
  if (env_nonempty("CAIRN_MEMORY_THREADS"))
    settings.memory_threads.origin = Origin::Variable;
  else if (tuned.memory_threads)
    settings.memory_threads = {*tuned.memory_threads, Origin::Tuned};

  for (const auto& [chunker, kernel] : tuned.kernels) {
    for (const Algorithm algorithm : kAlgorithms) {
      if (chunk::name_of(algorithm) == chunker) settings.tuned_kernels.push_back({algorithm, kernel});
    }
  }
  if (env_nonempty("CAIRN_READERS"))
    settings.readers.origin = Origin::Variable;  // create reads it
  else if (tuned.readers)
    settings.readers = {tuned.readers, Origin::Tuned};
  return settings;
}

void use(const MachineSettings& settings) {
  hash::set_blake3_split_threshold(settings.blake3_threshold.value);
  exec::memory_gate().set_policy(exec::make_memory_policy(settings.threads.value, settings.memory_threads.value));
  for (const MachineSettings::Kernel& kernel : settings.tuned_kernels) {
    if (const Status status = chunk::prefer_kernel(kernel.algorithm, kernel.name); !status) {
      warn(fmt::format("{}: the kernel {} of {} cannot be used; run cairn tune --apply again", measure::profile_path(),
                       kernel.name, chunk::name_of(kernel.algorithm)));
    }
  }
}

}  // namespace cairn::cli

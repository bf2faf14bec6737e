#include "measure/tuning_profile.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "base/fd.h"
#include "base/small_file.h"
#include "base/user_dirs.h"
#include "measure/json_fields.h"

namespace cairn::measure {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;
constexpr std::size_t kMostBytes = std::size_t{1} << 20U;
constexpr std::size_t kMostMachines = 1000;
constexpr std::uint64_t kMostKib = std::uint64_t{1} << 40U;
constexpr std::uint64_t kMostThreads = 1024;

std::unexpected<Error> bad(const char* what) { return fail(Code::Error, fmt::format("damaged: {}", what)); }

// A member that is there must be good; one that is not there means the default.
Result<std::optional<std::uint64_t>> optional_count(const json& object, const char* key, std::uint64_t least,
                                                    std::uint64_t most) {
  if (member(object, key) == nullptr) return std::nullopt;
  const auto count = count_member(object, key, most);
  if (!count || *count < least) return bad(key);
  return count;
}

Result<Settings> read_settings(const json& object) {
  Settings settings;
  if (text_member(object, "blake3_threshold_kib") == "never") {
    settings.blake3_threshold = Settings::kNever;
  } else {
    CAIRN_TRY(const auto kib, optional_count(object, "blake3_threshold_kib", 0, kMostKib));
    if (kib) settings.blake3_threshold = static_cast<std::size_t>(*kib) * 1024;
  }
  CAIRN_TRY(const auto memory, optional_count(object, "memory_threads", 1, kMostThreads));
  if (memory) settings.memory_threads = static_cast<unsigned>(*memory);
  CAIRN_TRY(const auto readers, optional_count(object, "readers", 1, kMostThreads));
  if (readers) settings.readers = static_cast<unsigned>(*readers);
  if (const json* const kernels = member(object, "kernels")) {
    if (!kernels->is_object() || kernels->size() > 100) return bad("kernels");
    for (const auto& [chunker, kernel] : kernels->items()) {
      if (!kernel.is_string() || chunker.size() > kMostText) return bad("kernels");
      settings.kernels[chunker] = kernel.get<std::string>();
    }
  }
  return settings;
}

Result<std::optional<std::string>> read_file(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  if (!fd) return fail(os_error(errno, path));
  CAIRN_TRY(std::string text, read_up_to(fd, kMostBytes + 1, path));
  if (text.size() > kMostBytes) return fail(Code::Error, fmt::format("{}: damaged: too long", path));
  return text;
}

Result<std::vector<ProfileEntry>> read_profile(const std::string& path) {
  CAIRN_TRY(const std::optional<std::string> text, read_file(path));
  if (!text) return std::vector<ProfileEntry>();
  auto entries = parse_profile(*text);
  if (!entries) return fail(Code::Error, fmt::format("{}: {}", path, entries.error().message()));
  return entries;
}

}  // namespace

std::string profile_path() { return config_dir() + "/cairn/tuning.json"; }

Result<std::vector<ProfileEntry>> parse_profile(std::string_view text) {
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object()) return bad("no JSON object");
  if (count_member(document, "version", kVersion) != kVersion) return bad("version");
  const json* const machines = list_member(document, "machines");
  if (machines == nullptr || machines->size() > kMostMachines) return bad("machines");
  std::vector<ProfileEntry> entries;
  for (const json& object : *machines) {
    const auto processor = text_member(object, "processor");
    const auto architecture = text_member(object, "machine");
    const auto cpus = count_member(object, "cpus_total", 1U << 20U);
    if (!processor || !architecture || !cpus) return bad("a machine");
    ProfileEntry entry;
    entry.machine.processor = *processor;
    entry.machine.architecture = *architecture;
    entry.machine.cpus_total = static_cast<unsigned>(*cpus);
    CAIRN_TRY(entry.settings, read_settings(object));
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::string encode_profile(const std::vector<ProfileEntry>& entries) {
  json machines = json::array();
  for (const ProfileEntry& entry : entries) {
    json object = {{"processor", entry.machine.processor},
                   {"machine", entry.machine.architecture},
                   {"cpus_total", entry.machine.cpus_total}};
    const Settings& settings = entry.settings;
    if (settings.blake3_threshold == Settings::kNever) {
      object["blake3_threshold_kib"] = "never";
    } else if (settings.blake3_threshold) {
      object["blake3_threshold_kib"] = *settings.blake3_threshold / 1024;
    }
    if (settings.memory_threads) object["memory_threads"] = *settings.memory_threads;
    if (settings.readers) object["readers"] = *settings.readers;
    if (!settings.kernels.empty()) object["kernels"] = settings.kernels;
    machines.push_back(std::move(object));
  }
  const json document = {{"version", kVersion}, {"machines", std::move(machines)}};
  return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<std::optional<Settings>> load_profile(const std::string& path) {
  CAIRN_TRY(const auto entries, read_profile(path));
  if (entries.empty()) return std::nullopt;
  const Machine here = this_machine("");
  const auto found = std::ranges::find_if(entries, [&](const ProfileEntry& e) { return e.machine.is_like(here); });
  if (found == entries.end()) return std::nullopt;
  return found->settings;
}

Status save_profile(const std::string& path, const Machine& machine, const Settings& settings) {
  CAIRN_CHECKED(ensure_directory(path.substr(0, path.rfind('/'))));
  std::vector<ProfileEntry> entries = read_profile(path).value_or(std::vector<ProfileEntry>());
  std::erase_if(entries, [&](const ProfileEntry& entry) { return entry.machine.is_like(machine); });
  if (entries.size() >= kMostMachines) entries.erase(entries.begin());
  entries.push_back({.machine = machine, .settings = settings});
  return replace_file(path, encode_profile(entries), Synced::Yes);
}

}  // namespace cairn::measure

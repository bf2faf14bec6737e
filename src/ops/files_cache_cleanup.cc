#include "ops/files_cache_cleanup.h"

#include <chrono>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/bytes.h"
#include "base/env.h"
#include "hash/blake3.h"

namespace cairn::ops {
namespace {

constexpr std::size_t kHashDigits = 64;

// "HASH.XXXXXX": what replace_file() has not renamed, for a day, because the run was killed.
bool is_abandoned(const std::filesystem::path& path, std::string_view suffix) {
  constexpr std::size_t kEnding = 7;
  if (suffix.size() != kHashDigits + kEnding || suffix[kHashDigits] != '.') return false;
  if (!Digest256::from_hex(suffix.substr(0, kHashDigits))) return false;
  std::error_code error;
  const auto written = std::filesystem::last_write_time(path, error);
  return !error && written < std::filesystem::file_time_type::clock::now() - std::chrono::hours(24);
}

}  // namespace

std::size_t remove_unused_files_caches(const std::string& directory,
                                       const std::unordered_set<std::string>& archive_names) {
  std::unordered_set<std::string> wanted;
  for (const std::string& name : archive_names) wanted.insert(hash::blake3(bytes_of(name)).hex());
  if (const auto suffix = env_nonempty("BORG_FILES_CACHE_SUFFIX")) wanted.insert(*suffix);

  std::vector<std::filesystem::path> unused;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    constexpr std::string_view kPrefix = "files.";
    if (!name.starts_with(kPrefix)) continue;
    // A suffix that a user chose is none of ours to judge; those made from names are hashes.
    const std::string suffix = name.substr(kPrefix.size());
    const bool of_no_archive = Digest256::from_hex(suffix) && !wanted.contains(suffix);
    if (of_no_archive || is_abandoned(entry->path(), suffix)) unused.push_back(entry->path());
  }
  std::size_t removed = 0;
  for (const auto& path : unused) {
    if (std::filesystem::remove(path, error)) ++removed;
  }
  return removed;
}

}  // namespace cairn::ops

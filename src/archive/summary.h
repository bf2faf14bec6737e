// What a list of archives needs to know of each one.
//
// A registered archive whose metadata is gone or damaged is listed under a special name, so that it can be deleted.
// Source: docs/format (archive, sections 2.1 and 2.2).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "archive/metadata.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"

namespace cairn::archive {

constexpr std::string_view kNameOfMissing = "archive-does-not-exist";
constexpr std::string_view kNameOfDamaged = "archive-metadata-has-integrity-error";
constexpr std::string_view kProtectedTag = "@PROT";

struct ArchiveSummary {
  enum class Problem { None, Missing, Damaged };

  ChunkId id{};
  Problem problem = Problem::None;
  std::string name{};
  Nanoseconds time = 0;     // nominal
  std::string time_text{};  // as stored
  Nanoseconds start = 0, end = 0;
  std::string hostname{}, username{}, comment{};
  std::vector<std::string> tags{};  // sorted
  std::string command_line{};
  std::uint64_t size = 0, nfiles = 0;

  bool is_protected() const;
  std::string tags_text() const;  // comma-joined
};

// Integrity if a time cannot be read.
Result<ArchiveSummary> summarize(const ChunkId& id, const Metadata& metadata);
ArchiveSummary missing_archive(const ChunkId& id);
ArchiveSummary damaged_archive(const ChunkId& id);

}  // namespace cairn::archive

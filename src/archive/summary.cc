#include "archive/summary.h"

#include <algorithm>

#include "archive/time.h"

namespace cairn::archive {
namespace {

ArchiveSummary stand_in(const ChunkId& id, std::string_view name, ArchiveSummary::Problem problem) {
  ArchiveSummary summary;
  summary.id = id;
  summary.problem = problem;
  summary.name = name;
  summary.time_text = iso_utc(0);
  return summary;
}

Result<Nanoseconds> read_time(const std::string& text) {
  auto time = parse_iso(text, false);
  if (!time) return fail(std::move(time).error().as(Code::Integrity));
  return *time;
}

}  // namespace

bool ArchiveSummary::is_protected() const { return std::find(tags.begin(), tags.end(), kProtectedTag) != tags.end(); }

std::string ArchiveSummary::tags_text() const {
  std::string out;
  for (const std::string& tag : tags) out += (out.empty() ? "" : ",") + tag;
  return out;
}

Result<ArchiveSummary> summarize(const ChunkId& id, const Metadata& metadata) {
  ArchiveSummary summary;
  summary.id = id;
  summary.name = metadata.name;
  summary.time_text = metadata.time;
  CAIRN_TRY(summary.time, read_time(metadata.time));
  CAIRN_TRY(summary.start, read_time(metadata.start.value_or(metadata.time)));
  CAIRN_TRY(summary.end, read_time(metadata.end.value_or(metadata.time)));
  summary.hostname = metadata.hostname;
  summary.username = metadata.username;
  summary.comment = metadata.comment;
  summary.tags = metadata.tags;
  summary.command_line = metadata.command_line;
  summary.size = metadata.size.value_or(0);
  summary.nfiles = metadata.nfiles.value_or(0);
  return summary;
}

ArchiveSummary missing_archive(const ChunkId& id) {
  return stand_in(id, kNameOfMissing, ArchiveSummary::Problem::Missing);
}

ArchiveSummary damaged_archive(const ChunkId& id) {
  return stand_in(id, kNameOfDamaged, ArchiveSummary::Problem::Damaged);
}

}  // namespace cairn::archive

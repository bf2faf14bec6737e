#include "cli/archive_choice.h"

#include <algorithm>

#include <fmt/format.h>

#include "archive/placeholders.h"
#include "archive/python_text.h"
#include "archive/time.h"
#include "base/clock.h"
#include "base/log.h"
#include "cli/display_text.h"

namespace cairn::cli {

Result<std::vector<archive::ArchiveSummary>> choose_archives(Session& session, const std::optional<std::string>& name,
                                                             const ArchiveFilters& filters, store::Which which) {
  if (!name) return find_archives(session, "", filters, which);
  ArchiveFilters patterns_only;  // the others would pick one of several
  patterns_only.match = filters.match;
  CAIRN_TRY(auto archives, find_archives(session, *name, patterns_only, which));
  if (archives.size() == 1) return archives;
  std::vector<std::string> patterns{*name};
  patterns.insert(patterns.end(), filters.match.begin(), filters.match.end());
  for (std::string& pattern : patterns) {
    CAIRN_TRY(pattern, archive::replace_placeholders(pattern, {.now = system_clock().now()}));
  }
  return fail(Code::Command, fmt::format("{} needed to match precisely one archive, but matched {}.",
                                         archive::python_repr(patterns), archives.size()));
}

bool is_unreadable(const archive::ArchiveSummary& archive) {
  if (archive.problem == archive::ArchiveSummary::Problem::None) return false;
  const Code code = Code::ArchiveDoesNotExist;
  log({.level = Level::Error,
       .logger = "borg.archiver",
       .message = fmt::format("Archive {} does not exist", archive.id.hex()),
       .code = &code});
  return true;
}

std::string archive_line(const archive::ArchiveSummary& archive) {
  constexpr std::size_t kNameColumns = 36;
  const std::size_t width = display_width(archive.name);
  return fmt::format("{}{} {} [{}]", archive.name, std::string(kNameColumns - std::min(width, kNameColumns), ' '),
                     archive::human(archive.time), archive.id.hex());
}

void log_archive_line(std::string_view what, const archive::ArchiveSummary& archive, std::size_t index,
                      std::size_t count) {
  log(Level::Info, "borg.output.list", fmt::format("{} {} ({}/{})", what, archive_line(archive), index + 1, count));
}

}  // namespace cairn::cli

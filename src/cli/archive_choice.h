// The archives that delete, undelete and info work on, and the line that names one of them.
// Source: docs/format (archive, sections 7 and 12; cli, sections 10.4, 10.13 and 10.14).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/session.h"

namespace cairn::cli {

// With NAME exactly one archive, else a Command error; without, all that pass the filters. Archives whose metadata is
// gone or damaged are among them.
Result<std::vector<archive::ArchiveSummary>> choose_archives(Session& session, const std::optional<std::string>& name,
                                                             const ArchiveFilters& filters,
                                                             store::Which which = store::Which::Live);

// True if nothing is known of an archive, as its metadata is gone or damaged. Says so, at the exit code of an archive
// that does not exist: the command goes on with the others.
bool is_unreadable(const archive::ArchiveSummary& archive);

// "home                                 Thu, 2025-05-01 10:00:00 +0200 [<id>]"
std::string archive_line(const archive::ArchiveSummary& archive);

// "Deleted archive: LINE (1/3)", at the list logger.
void log_archive_line(std::string_view what, const archive::ArchiveSummary& archive, std::size_t index,
                      std::size_t count);

}  // namespace cairn::cli

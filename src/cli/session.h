// Opening the repository that a command works on, from -r, the environment and the prompts.
//
// Source: docs/format (cli, sections 1.3 and 2; repository, section 2.4).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "archive/selection.h"
#include "archive/summary.h"
#include "base/error.h"
#include "cli/archive_filter_options.h"
#include "cli/context.h"
#include "cli/pattern_options.h"
#include "exec/pool.h"
#include "match/patterns.h"
#include "repo/repository.h"
#include "store/counted.h"
#include "store/location.h"

namespace cairn::cli {

struct Session {
  std::shared_ptr<store::StoreStatistics> statistics;
  std::unique_ptr<exec::Pool> pool;
  std::unique_ptr<repo::Repository> repository;
  std::optional<unsigned> tuned_readers;  // of cairn tune --apply

  const std::string& location() const { return repository->location(); }
};

// The location behind -r or BORG_REPO, placeholders replaced. Error: missing repository ...
Result<store::Location> repository_location(Context& context);
// The store at a location, counted, not opened.
Result<std::unique_ptr<store::Store>> session_store(const store::Location& location,
                                                    std::shared_ptr<store::StoreStatistics> statistics);
repo::Access session_access(Context& context, const store::Location& location);

Result<Session> open_session(Context& context, repo::LockMode lock);

// The archive that NAME means. The index must be loaded.
Result<archive::ArchiveSummary> find_archive(Session& session, const std::string& name);
// The same for several names.
Result<std::vector<archive::ArchiveSummary>> find_each_archive(Session& session, const std::vector<std::string>& names);
// The filters as they apply now, placeholders replaced; NAME (may be empty) is the first pattern.
Result<archive::Selection> archive_selection(const std::string& name, const ArchiveFilters& filters);
// The archives that NAME (may be empty) and the filters choose, in their order.
Result<std::vector<archive::ArchiveSummary>> find_archives(Session& session, const std::string& name,
                                                           const ArchiveFilters& filters,
                                                           store::Which which = store::Which::Live);

// Patterns, exclude files and PATH arguments as one matcher. With PATHs, nothing else is included.
Result<match::Matcher> build_matcher(const PatternArguments& patterns, const std::vector<std::string>& paths);
// "Include pattern '...' never matched." for PATHs that did not.
void warn_unmatched_paths(const match::Matcher& matcher);

// How an error of a single file is said: a warning with its code.
void log_warning(const Error& error, std::string_view logger = "borg.archiver");

}  // namespace cairn::cli

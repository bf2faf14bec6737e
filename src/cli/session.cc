#include "cli/session.h"

#include <sys/resource.h>

#include <fmt/format.h>

#include "archive/placeholders.h"
#include "archive/selection.h"
#include "base/env.h"
#include "base/host.h"
#include "base/log.h"
#include "cli/machine_settings.h"
#include "cli/signals.h"
#include "exec/team.h"
#include "hash/blake3.h"
#include "ops/archives.h"

namespace cairn::cli {
namespace {

// A walk holds one descriptor per level, packs and files many more; the soft limit is often 1024.
void raise_open_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    (void)::setrlimit(RLIMIT_NOFILE, &limit);
  }
}

Result<std::vector<std::string>> expanded(const std::vector<std::string>& patterns) {
  std::vector<std::string> out;
  for (const auto& pattern : patterns) {
    CAIRN_TRY(auto text, archive::replace_placeholders(pattern, {.now = system_clock().now()}));
    out.push_back(std::move(text));
  }
  return out;
}

}  // namespace

Result<store::Location> repository_location(Context& context) {
  std::string text = context.common.repo;
  if (text.empty()) text = env("BORG_REPO").value_or("");
  if (text.empty()) return fail(Code::Error, "missing repository, please use --repo or BORG_REPO env var!");
  CAIRN_TRY(const std::string plain, archive::replace_placeholders(text, {.now = system_clock().now()}));
  return store::parse_location(plain);
}

Result<std::unique_ptr<store::Store>> session_store(const store::Location& location,
                                                    std::shared_ptr<store::StoreStatistics> statistics) {
  CAIRN_TRY(auto store, store::open_store(location, store::StoreOptions::from_env()));
  return store::make_counted_store(std::move(store), std::move(statistics));
}

repo::Access session_access(Context& context, const store::Location& location) {
  repo::Access access;
  access.location = location.display;
  access.canonical_location = location.canonical;
  access.host_id = host_id();
  access.interrupted = &interrupted();
  access.confirm = [&prompts = context.prompts](const repo::Question& question) {
    return prompts.ask({.variable = question.variable, .text = question.text});
  };
  access.prompt = [&prompts = context.prompts](std::string_view prompt) { return prompts.passphrase(prompt); };
  return access;
}

Result<Session> open_session(Context& context, repo::LockMode lock) {
  raise_open_files();
  catch_signals();  // whatever ends a command, it gives the lock back
  CAIRN_CHECKED(hash::check_kernels());
  Session session;
  CAIRN_TRY(const MachineSettings settings, machine_settings(context.common));
  use(settings);
  session.pool = std::make_unique<exec::Pool>(settings.threads.value);
  CAIRN_TRY(auto split_over, exec::splitting_from_environment(settings.threads.value));
  session.pool->split_over(std::move(split_over));
  session.tuned_readers = settings.readers.value;
  session.statistics = std::make_shared<store::StoreStatistics>();
  CAIRN_TRY(const store::Location location, repository_location(context));
  CAIRN_TRY(auto store, session_store(location, session.statistics));
  const Nanoseconds wait = context.common.lock_wait < 0 ? Nanoseconds{1} << 62U : context.common.lock_wait * kSecond;
  CAIRN_TRY(session.repository, repo::Repository::open(std::move(store), session_access(context, location),
                                                       {.lock = lock, .lock_wait = wait}));
  return session;
}

Result<archive::ArchiveSummary> find_archive(Session& session, const std::string& name) {
  CAIRN_TRY(auto found, find_each_archive(session, {name}));
  return std::move(found.front());
}

Result<std::vector<archive::ArchiveSummary>> find_each_archive(Session& session,
                                                               const std::vector<std::string>& names) {
  CAIRN_CHECKED(session.repository->load_index(repo::BadFragments::Salvage, *session.pool));
  CAIRN_TRY(const auto archives, ops::load_archives(*session.repository, *session.pool));
  std::vector<archive::ArchiveSummary> all;
  for (const std::string& name : names) {
    CAIRN_TRY(const auto patterns, expanded({name}));
    CAIRN_TRY(auto found, archive::select_one(archives, patterns));
    if (found.problem != archive::ArchiveSummary::Problem::None) {
      return fail(Code::ArchiveDoesNotExist, fmt::format("Archive {} does not exist", found.name));
    }
    all.push_back(std::move(found));
  }
  return all;
}

Result<archive::Selection> archive_selection(const std::string& name, const ArchiveFilters& filters) {
  std::vector<std::string> patterns;
  if (!name.empty()) patterns.push_back(name);
  patterns.insert(patterns.end(), filters.match.begin(), filters.match.end());
  archive::Selection selection;
  CAIRN_TRY(selection.patterns, expanded(patterns));
  selection.older = filters.older;
  selection.newer = filters.newer;
  selection.oldest = filters.oldest;
  selection.newest = filters.newest;
  selection.now = system_clock().now();
  if (filters.first > 0) selection.first = static_cast<std::size_t>(filters.first);
  if (filters.last > 0) selection.last = static_cast<std::size_t>(filters.last);
  std::string keys;
  for (const auto& key : filters.sort_by) keys += (keys.empty() ? "" : ",") + key;
  CAIRN_TRY(selection.sort_by, archive::parse_sort_by(keys));
  return selection;
}

Result<std::vector<archive::ArchiveSummary>> find_archives(Session& session, const std::string& name,
                                                           const ArchiveFilters& filters, store::Which which) {
  CAIRN_CHECKED(session.repository->load_index(repo::BadFragments::Salvage, *session.pool));
  CAIRN_TRY(auto archives, ops::load_archives(*session.repository, *session.pool, which));
  CAIRN_TRY(const archive::Selection selection, archive_selection(name, filters));
  return archive::select(std::move(archives), selection);
}

Result<match::Matcher> build_matcher(const PatternArguments& patterns, const std::vector<std::string>& paths) {
  match::Matcher matcher;
  for (const PatternArgument& argument : patterns.list) {
    switch (argument.source) {
      case PatternSource::Exclude:
        CAIRN_CHECKED(matcher.add_exclude(argument.text));
        break;
      case PatternSource::ExcludeFile:
        CAIRN_CHECKED(matcher.add_exclude_file(argument.text));
        break;
      case PatternSource::Pattern:
        CAIRN_CHECKED(matcher.add_pattern(argument.text));
        break;
      case PatternSource::PatternFile:
        CAIRN_CHECKED(matcher.add_patterns_file(argument.text));
        break;
    }
  }
  for (const std::string& path : paths) CAIRN_CHECKED(matcher.add_path(path));
  matcher.set_fallback(paths.empty());
  return matcher;
}

void warn_unmatched_paths(const match::Matcher& matcher) {
  for (const std::string& path : matcher.paths_never_matched()) {
    log_warning(Error(Code::PatternNeverMatched, fmt::format("Include pattern '{}' never matched.", path)));
  }
}

void log_warning(const Error& error, std::string_view logger) {
  const Code code = error.code();
  log(LogRecord{.level = Level::Warning, .logger = logger, .message = error.message(), .code = &code});
}

}  // namespace cairn::cli

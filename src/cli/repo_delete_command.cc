#include "cli/repo_delete_command.h"

#include <fmt/format.h>

#include "base/log.h"
#include "cli/archive_choice.h"
#include "cli/keyless.h"
#include "cli/session.h"
#include "ops/delete_repository.h"

namespace cairn::cli {
namespace {

constexpr std::string_view kLogger = "borg.archiver.repo_delete_cmd";

void say(std::string_view message) { log(Level::Info, kLogger, message); }

// What a failed creation or an interrupted deletion has left. Without config there is no id, so nothing is known of
// caches, and no key for a lock.
Status delete_remains(const RepoDeleteOptions& options, KeylessRepository& remains) {
  const std::string& location = remains.location.display;
  if (options.cache_only) {
    return fail(Code::Error, fmt::format("{} has no repository config, so its cache can not be identified.", location));
  }
  if (!options.force) {
    return fail(Code::Error,
                fmt::format("{} has no repository config. Deleting this requires the --force option.", location));
  }
  CAIRN_TRY(const bool destroyable, ops::looks_like_repository(*remains.store));
  if (!destroyable) {
    return fail(Code::Error, fmt::format("{} has no repository config and does not look like a repository (it lacks "
                                         "one of packs, archives, index and config), so it is not destroyed.",
                                         location));
  }
  if (options.dry_run) {
    say("Would destroy the store (it has no repository config).");
    return {};
  }
  CAIRN_CHECKED(remains.store->destroy());
  say("Store destroyed (it had no repository config).");
  return {};
}

Result<std::string> question(Session& session, bool with_list) {
  constexpr std::string_view kRule = "------------------------------------------------------------------------------\n";
  std::string names;
  std::size_t count = 0;
  if (with_list) {
    CAIRN_TRY(const auto archives, find_archives(session, "", {}));
    count = archives.size();
    names = "\nArchives:\n";
    for (const auto& archive : archives) names += archive_line(archive) + "\n";
  } else {
    // Counting needs no index, which may be what is broken.
    CAIRN_TRY(const auto ids, session.repository->list_archives());
    count = ids.size();
  }
  return fmt::format(
      "You requested to DELETE the following repository completely *including* {} archives it contains:\n"
      "{}Repository ID: {}\nLocation: {}\n{}{}Type 'YES' if you understand this and want to continue: ",
      count, kRule, session.repository->id().hex(), session.location(), names, kRule);
}

}  // namespace

Status run_repo_delete(const RepoDeleteOptions& options, Context& context) {
  {
    CAIRN_TRY(KeylessRepository remains, open_keyless(context));
    CAIRN_TRY(const store::Info config, remains.store->info("config/config"));
    if (!config.exists) return delete_remains(options, remains);
  }
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Exclusive));
  repo::Repository& repository = *session.repository;
  const RepositoryId id = repository.id();
  if (!options.cache_only) {
    if (!options.force) {
      CAIRN_TRY(std::string text, question(session, options.list));
      if (!context.prompts.ask(
              {.variable = "BORG_DELETE_I_KNOW_WHAT_I_AM_DOING", .text = std::move(text), .only_capital_yes = true})) {
        return fail(Code::Cancelled, "");
      }
    }
    if (options.dry_run) {
      say("Would delete repository.");
      say(options.keep_security_info ? "Would keep security info." : "Would delete security info.");
    } else {
      CAIRN_CHECKED(ops::delete_repository(repository));
      say("Repository deleted.");
      if (!options.keep_security_info) CAIRN_CHECKED(repo::forget(id));
    }
  }
  if (options.dry_run) {
    say("Would delete cache.");
  } else {
    CAIRN_CHECKED(ops::delete_caches(id));
    say("Cache deleted.");
  }
  return repository.close();
}

}  // namespace cairn::cli

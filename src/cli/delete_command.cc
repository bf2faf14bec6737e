#include "cli/delete_command.h"

#include <fmt/format.h>

#include "base/log.h"
#include "cli/archive_choice.h"
#include "cli/signals.h"
#include "cli/tips.h"
#include "ops/delete_archives.h"

namespace cairn::cli {
namespace {

// What differs between the two directions.
struct Direction {
  ops::Mark mark;
  std::string_view logger, refusal, would, did, done;
};

constexpr Direction kDeleting{
    .mark = ops::Mark::Deleted,
    .logger = "borg.archiver.delete_cmd",
    .refusal =
        "Aborting: if you really want to delete all archives, please use -a 'sh:*' or just delete the whole "
        "repository (might be much faster).",
    .would = "Would delete:",
    .did = "Deleted archive:",
    .done = "Done. Run \"borg compact\" to free space.",
};
constexpr Direction kUndeleting{
    .mark = ops::Mark::Live,
    .logger = "borg.archiver.undelete_cmd",
    .refusal = "Aborting: if you really want to undelete all archives, please use -a 'sh:*'.",
    .would = "Would undelete:",
    .did = "Undeleted archive:",
    .done = "Done.",
};

Status mark(const Direction& direction, const DeleteOptions& options, Session& session,
            const std::vector<archive::ArchiveSummary>& archives) {
  if (archives.empty()) return session.repository->close();
  if (!options.name && !options.filters.any()) return fail(Code::Command, std::string(direction.refusal));
  const auto list = [&](std::string_view what, std::size_t index) {
    if (options.list) log_archive_line(what, archives[index], index, archives.size());
  };
  if (options.dry_run) {
    for (std::size_t i = 0; i < archives.size(); ++i) list(direction.would, i);
    log(Level::Info, direction.logger, "Finished dry-run.");
    return session.repository->close();
  }
  const auto marked = [&](std::size_t index) -> Status {
    list(direction.did, index);
    return {};
  };
  CAIRN_CHECKED(ops::mark_archives(*session.repository, archives, direction.mark, marked, interrupted()));
  log(Level::Warning, "borg.archiver", std::string(direction.done));
  return session.repository->close();
}

}  // namespace

Status run_delete(const DeleteOptions& options, Context& context) {
  context.log.enable(options.list, false);
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Shared));
  CAIRN_TRY(auto archives, choose_archives(session, options.name, options.filters));
  std::erase_if(archives, [&](const archive::ArchiveSummary& archive) {
    if (!archive.is_protected()) return false;
    say_tip(context, fmt::format("{} is protected by its tag @PROT and is not deleted.", archive.name));
    return true;
  });
  return mark(kDeleting, options, session, archives);
}

Status run_undelete(const DeleteOptions& options, Context& context) {
  context.log.enable(options.list, false);
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Shared));
  CAIRN_TRY(const auto archives, choose_archives(session, options.name, options.filters, store::Which::Deleted));
  return mark(kUndeleting, options, session, archives);
}

}  // namespace cairn::cli

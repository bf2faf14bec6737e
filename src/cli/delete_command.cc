#include "cli/delete_command.h"

#include "base/log.h"
#include "cli/archive_choice.h"
#include "cli/signals.h"
#include "ops/delete_archives.h"

namespace cairn::cli {
namespace {
constexpr std::string_view kLogger = "borg.archiver.delete_cmd";
}

Status run_delete(const DeleteOptions& options, Context& context) {
  context.log.enable(options.list, false);
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Shared));
  CAIRN_TRY(auto archives, choose_archives(session, options.name, options.filters));
  std::erase_if(archives, [](const archive::ArchiveSummary& archive) { return archive.is_protected(); });
  if (archives.empty()) return session.repository->close();
  if (!options.name && !options.filters.any()) {
    return fail(Code::Command,
                "Aborting: if you really want to delete all archives, please use -a 'sh:*' or just delete the whole "
                "repository (might be much faster).");
  }
  const auto list = [&](std::string_view what, std::size_t index) {
    if (options.list) log_archive_line(what, archives[index], index, archives.size());
  };
  if (options.dry_run) {
    for (std::size_t i = 0; i < archives.size(); ++i) list("Would delete:", i);
    log(Level::Info, kLogger, "Finished dry-run.");
    return session.repository->close();
  }
  const auto deleted = [&](std::size_t index) -> Status {
    list("Deleted archive:", index);
    return {};
  };
  CAIRN_CHECKED(ops::mark_archives(*session.repository, archives, ops::Mark::Deleted, deleted, interrupted()));
  log(Level::Warning, "borg.archiver", "Done. Run \"borg compact\" to free space.");
  return session.repository->close();
}

}  // namespace cairn::cli

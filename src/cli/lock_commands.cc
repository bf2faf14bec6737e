#include "cli/lock_commands.h"

#include <vector>

#include <fmt/format.h>

#include "base/log.h"
#include "cli/session.h"
#include "ops/foreground_child.h"
#include "repo/lock.h"

namespace cairn::cli {

Status run_break_lock(const BreakLockOptions&, Context& context) {
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::None));
  CAIRN_CHECKED(repo::Lock::break_all(session.repository->store()));
  return session.repository->store().sync();
}

Status run_with_lock(const WithLockOptions& options, Context& context) {
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Exclusive));
  session.repository->on_lock_lost([&](const Error& error) {
    log(Level::Warning, "borg.archiver.lock_cmds",
        fmt::format("The lock is lost while {} runs: {}", options.command, error.text()));
  });
  std::vector<std::string> words{options.command};
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  CAIRN_CHECKED(context.output.flush());
  CAIRN_TRY(const int exit_code, ops::run_in_foreground(words));
  // What the program did may have met somebody else's work: worth more than its exit code.
  CAIRN_CHECKED(session.repository->check_lock());
  CAIRN_CHECKED(session.repository->close());
  context.exit.finish_with_child(exit_code);
  return {};
}

}  // namespace cairn::cli

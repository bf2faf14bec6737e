#include "cli/lock_options.h"

#include "cli/option_values.h"

namespace cairn::cli {
namespace {

using O = WithLockOptions;
constexpr Positional kPositionals[] = {
    {"COMMAND", "program to run", set<&O::command>},
    {"ARGS", "its arguments", set<&O::arguments>, PositionalKind::Remaining},
};

}  // namespace

constinit const Command kBreakLock = {
    .name = "break-lock",
    .summary = "remove the locks of a repository and its cache",
    .description =
        "Use this only when no other program works on the repository. It is seldom needed: a lock that is left over "
        "after a crash is removed by the next command if its process ran on this machine and is dead, and that of any "
        "machine when it is half an hour old (who works renews the lock).",
    .sets = {},
    .positionals = {},
    .make = make_options<BreakLockOptions>,
};

constinit const Command kWithLock = {
    .name = "with-lock",
    .summary = "run a program while holding the repository lock",
    .description = "Takes the exclusive lock, runs COMMAND and gives the lock back. The exit code is that of COMMAND.",
    .sets = {},
    .positionals = kPositionals,
    .make = make_options<WithLockOptions>,
};

}  // namespace cairn::cli

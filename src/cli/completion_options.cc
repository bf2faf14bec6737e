#include "cli/completion_options.h"

#include "cli/completion.h"

namespace cairn::cli {
namespace {

constexpr Positional kPositionals[] = {
    {"SHELL", "the shell", set<&CompletionOptions::shell>, PositionalKind::Required, kCompletionShells},
};

}  // namespace

constinit const Command kCompletion = {
    .name = "completion",
    .summary = "print a script for completion in a shell",
    .description =
        "Prints a script that completes commands, options, their values, archive names and paths. For archive names it "
        "calls this program, so BORG_REPO and BORG_PASSPHRASE (or their kin) should be set.\n\n"
        "  bash        source <(cairn completion bash)\n"
        "  zsh         cairn completion zsh > DIRECTORY/_cairn, with DIRECTORY in fpath\n"
        "  fish        cairn completion fish | source\n"
        "  tcsh        eval \"`cairn completion tcsh`\"\n"
        "  powershell  cairn completion powershell | Out-String | Invoke-Expression",
    .sets = {},
    .positionals = kPositionals,
    .make = make_options<CompletionOptions>,
};

}  // namespace cairn::cli

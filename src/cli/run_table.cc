// Which function runs which command: one line per command.
#include "cli/context.h"
#include "cli/help_command.h"
#include "cli/version_command.h"

namespace cairn::cli {
namespace {

constexpr RunEntry kRuns[] = {
    {&kHelp, run_as<HelpOptions, run_help>},
    {&kVersion, run_as<VersionOptions, run_version>},
};

}  // namespace

std::span<const RunEntry> run_table() { return kRuns; }

}  // namespace cairn::cli

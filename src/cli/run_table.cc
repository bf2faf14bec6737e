// Which function runs which command: one line per command.
#include "cli/context.h"
#include "cli/create_command.h"
#include "cli/extract_command.h"
#include "cli/help_command.h"
#include "cli/list_command.h"
#include "cli/repo_create_command.h"
#include "cli/repo_list_command.h"
#include "cli/version_command.h"

namespace cairn::cli {
namespace {

constexpr RunEntry kRuns[] = {
    {&kCreate, run_as<CreateOptions, run_create>},
    {&kExtract, run_as<ExtractOptions, run_extract>},
    {&kHelp, run_as<HelpOptions, run_help>},
    {&kList, run_as<ListOptions, run_list>},
    {&kRepoCreate, run_as<RepoCreateOptions, run_repo_create>},
    {&kRepoList, run_as<RepoListOptions, run_repo_list>},
    {&kVersion, run_as<VersionOptions, run_version>},
};

}  // namespace

std::span<const RunEntry> run_table() { return kRuns; }

}  // namespace cairn::cli

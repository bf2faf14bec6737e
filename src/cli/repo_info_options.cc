#include "cli/repo_info_options.h"

#include "cli/option_values.h"

namespace cairn::cli {
namespace {

constexpr Option kOptions[] = {flag("--json", "print JSON on standard output", set<&RepoInfoOptions::json>)};
constexpr OptionSet kSets[] = {{"options", kOptions, whole}};

}  // namespace

constinit const Command kRepoInfo = {
    .name = "repo-info",
    .summary = "show facts about a repository",
    .description = "Shows the id, location, protection and defaults of the repository.",
    .sets = kSets,
    .positionals = {},
    .make = make_options<RepoInfoOptions>,
};

}  // namespace cairn::cli

#include "cli/repo_space_options.h"

#include "base/units.h"

namespace cairn::cli {
namespace {

using O = RepoSpaceOptions;
constexpr Option kOptions[] = {
    value("--reserve", "SPACE", "hold this much back, e.g. 1G; rounded up to blocks of 64 MiB",
          set<&O::reserve, parse_size>)
        .defaults("0"),
    flag("--free", "free what is held back", set<&O::free>),
};
constexpr OptionSet kSets[] = {{"options", kOptions, whole}};

}  // namespace

constinit const Command kRepoSpace = {
    .name = "repo-space",
    .summary = "hold back space in a repository for emergencies",
    .description =
        "Without space left a repository cannot be locked, so nothing can be deleted from it either. Space that was "
        "held back before helps then: free it, delete or prune archives, run compact, and hold space back again.\n\n"
        "Without options, says how much is held back.",
    .sets = kSets,
    .positionals = {},
    .make = make_options<RepoSpaceOptions>,
};

}  // namespace cairn::cli

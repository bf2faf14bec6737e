#include "cli/compact_options.h"

#include "cli/option_values.h"

namespace cairn::cli {
namespace {

using O = CompactOptions;
constexpr Option kOptions[] = {
    flag("-n, --dry-run", "change nothing, only show what would be freed", set<&O::dry_run>),
    flag("-s, --stats", "print statistics (needs -v)", set<&O::stats>),
    value("--threshold", "PERCENT", "rewrite packs of which at least that much is unused", set<&O::threshold>)
        .defaults("10"),
};
constexpr OptionSet kSets[] = {{"options", kOptions, whole}};

}  // namespace

constinit const Command kCompact = {
    .name = "compact",
    .summary = "free space in a repository",
    .description = "Removes data that no archive uses any more. Deleted archives cannot be brought back afterwards.",
    .sets = kSets,
    .positionals = {},
    .make = make_options<CompactOptions>,
};

}  // namespace cairn::cli

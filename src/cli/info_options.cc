#include "cli/info_options.h"

#include "cli/option_values.h"
#include "cli/spec_values.h"

namespace cairn::cli {
namespace {

using O = InfoOptions;
constexpr Option kOptions[] = {flag("--json", "print JSON on standard output", set<&O::json>)};
constexpr OptionSet kSets[] = {
    {"options", kOptions, whole},
    {"archive filters", kArchiveFilterOptions, part_of<&O::filters>},
};
constexpr Positional kPositionals[] = {
    {"NAME", "exactly this archive", set<&O::name, parse_archive_name>, PositionalKind::Optional},
};

}  // namespace

constinit const Command kInfo = {
    .name = "info",
    .summary = "show facts about archives",
    .description =
        "Shows when, where and how archives were made, and their size. Without NAME: of all archives that pass the "
        "filters.",
    .sets = kSets,
    .positionals = kPositionals,
    .make = make_options<InfoOptions>,
};

}  // namespace cairn::cli

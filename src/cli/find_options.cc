#include "cli/find_options.h"

#include "cli/option_values.h"

namespace cairn::cli {
namespace {

using O = FindOptions;
constexpr Option kOptions[] = {
    value("--format", "FORMAT", "what to print of each item (BORG_FIND_FORMAT)", set<&O::format>),
    flag("--json-lines", "print one JSON object per item", set<&O::json_lines>),
};
constexpr OptionSet kSets[] = {
    {"options", kOptions, whole},
    {"archive filters", kArchiveFilterOptions, part_of<&O::filters>},
    {"pattern options", kPatternOptions, part_of<&O::patterns>},
};
constexpr Positional kPositionals[] = {
    {"PATH", "only these paths and what is below them; patterns are understood", set<&O::paths, parse_path_argument>,
     PositionalKind::Repeated},
};

}  // namespace

constinit const Command kFind = {
    .name = "find",
    .summary = "find files in all archives",
    .description =
        "Prints the items that match, of all archives or of those that the filters choose, the newest archive "
        "first.\n\n"
        "A PATH is a whole path from its start; to find a name anywhere use a pattern (see \"help patterns\"). The id "
        "in "
        "front of each line leads to the file:\n\n"
        "  cairn find 'sh:**/report*'\n"
        "  cairn extract aid:7cb4141d home/lab/report.txt\n\n"
        "Every archive's list of items is read, for there is no index of paths. Keys for --format are those of list; "
        "archiveid and archivename tell the archive. Example: --format \"{archiveid:.8} {archivename} {path}{NL}\"",
    .sets = kSets,
    .positionals = kPositionals,
    .make = make_options<FindOptions>,
};

}  // namespace cairn::cli

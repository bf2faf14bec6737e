#include "cli/analyze_options.h"

namespace cairn::cli {
namespace {

using O = AnalyzeOptions;
constexpr Option kOptions[] = {
    value("--group-by", "KEYS", "divide the whole repository by name, host, user, tags of its archives",
          set<&O::group_by, archive::parse_group_by>),
    flag("--json", "print JSON on standard output", set<&O::json>),
};
constexpr OptionSet kSets[] = {
    {"options", kOptions, whole},
    {"archive filters", kArchiveFilterOptions, part_of<&O::filters>},
};

}  // namespace

constinit const Command kAnalyze = {
    .name = "analyze",
    .summary = "show what takes space in a repository",
    .description =
        "Says how much the archives that match take, each chunk counted once: of source data, and as stored. Exclusive "
        "is what only these archives use, so what deleting all of them would free. Unreferenced is what no archive "
        "uses; compact frees it. Then the folders are listed in which most data came and went from one of the archives "
        "to the next: perhaps some of them need no backup.\n\n"
        "With --group-by, the repository is divided into groups of archives: what each one uses alone, and what "
        "several share.",
    .sets = kSets,
    .positionals = {},
    .make = make_options<AnalyzeOptions>,
};

}  // namespace cairn::cli

#include "cli/repo_list_options.h"

#include "cli/option_values.h"

namespace cairn::cli {
namespace {

using O = RepoListOptions;
constexpr Option kOptions[] = {
    flag("--short", "print only the archive ids", set<&O::short_form>),
    flag("--from-borg1", "the repository is one of Borg 1", set<&O::from_borg1>),
    value("--format", "FORMAT", "what to print of each archive (BORG_REPO_LIST_FORMAT)", set<&O::format>),
    value("--group-by", "KEYS", "group by name, host, user, tags", set<&O::group_by, parse_archive_group_keys>),
    flag("--json", "print JSON on standard output", set<&O::json>),
    flag("--deleted", "list deleted archives that compact has not removed yet", set<&O::deleted>),
};
constexpr OptionSet kSets[] = {
    {"options", kOptions, whole},
    {"archive filters", kArchiveFilterOptions, part_of<&O::filters>},
};

}  // namespace

constinit const Command kRepoList = {
    .name = "repo-list",
    .summary = "list the archives of a repository",
    .description =
        "Prints one line per archive, oldest first.\n\n"
        "Keys for --format: archive, name, comment, id, tags, time, start, end, command_line, hostname, username, "
        "size, nfiles, and NL, NUL, TAB, SPACE, CR, LF. Example: --format \"{archive:<20} {time:%Y-%m-%d}{NL}\"",
    .sets = kSets,
    .positionals = {},
    .make = make_options<RepoListOptions>,
};

}  // namespace cairn::cli

#include "cli/recreate_options.h"

#include "cli/common_options.h"
#include "cli/option_values.h"
#include "cli/spec_values.h"

namespace cairn::cli {
namespace {

using O = RecreateOptions;
constexpr Option kOptions[] = {
    flag("--list", "list items with a status letter on standard error", set<&O::list>),
    value("--filter", "STATUSCHARS", "with --list: only items with these status letters", set<&O::filter>),
    flag("-n, --dry-run", "change nothing, only show what would be kept", set<&O::dry_run>),
    flag("-s, --stats", "print statistics (needs -v)", set<&O::stats>),
};
constexpr Option kArchive[] = {
    value("--target", "TARGET", "name of the new archive; the old one stays", set<&O::target, parse_archive_name>),
    value("--comment", "COMMENT", "another comment", set<&O::comment, parse_comment>),
    value("--timestamp", "TIMESTAMP", "another time: ISO 8601 text, or a file whose time is used",
          set<&O::timestamp, parse_timestamp>),
    value("-C, --compression", "COMPRESSION", "how data is compressed that is cut anew",
          set<&O::compression, parse_compression>),
    value("--chunker-params", "PARAMS", "cut files anew where the archive was cut otherwise",
          set<&O::chunker_params, parse_chunker_params>),
};
constexpr OptionSet kSets[] = {
    {"options", kOptions, whole},
    {"archive filters", kArchiveFilterOptions, part_of<&O::filters>},
    {"pattern options", kPatternOptions, part_of<&O::patterns>},
    {"tag file options", kTagFileOptions, part_of<&O::tag_files>},
    {"archive options", kArchive, whole},
};
constexpr Positional kPositionals[] = {
    {"PATH", "keep only these paths and what is below them", set<&O::paths, parse_path_argument>,
     PositionalKind::Repeated},
};

Status check(const void* options, const CommonOptions& common) {
  return check_progress_and_list(common, static_cast<const O*>(options)->list);
}

}  // namespace

constinit const Command kRecreate = {
    .name = "recreate",
    .summary = "write archives anew, without some of their files",
    .description =
        "Writes archives anew: without what the patterns exclude, with another comment or time, or with files cut "
        "otherwise. Archives are chosen with -a; without it all are. The old archive is deleted once the new one is "
        "complete (undelete brings it back until the next compact), unless --target gives the new one another name.\n\n"
        "Archives that are protected (@PROT) are left out, and those for which nothing is to be done.\n\n"
        "Status letters of --list: A file, d directory, s symbolic link, b c f device or pipe, - excluded; with "
        "--dry-run + for all that is kept.",
    .sets = kSets,
    .positionals = kPositionals,
    .make = make_options<RecreateOptions>,
    .check = check,
};

}  // namespace cairn::cli

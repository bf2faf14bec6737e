#include "cli/diff_options.h"

#include "cli/option_values.h"
#include "cli/spec_values.h"

namespace cairn::cli {
namespace {

using O = DiffOptions;
constexpr Option kOptions[] = {
    flag("--numeric-ids", "compare user and group numbers, not names", set<&O::numeric_ids>),
    flag("--same-chunker-params", "the files of both archives were cut alike, whatever the archives say",
         set<&O::same_chunker_params>),
    value("--format", "FORMAT", "what to print of each difference (BORG_DIFF_FORMAT)", set<&O::format>),
    flag("--json-lines", "print one JSON object per path", set<&O::json_lines>),
    flag("-s, --stats", "print a summary at the end", set<&O::stats>),
    value("--sort-by", "SORT_BY",
          "comma-separated: path, size_added, size_removed, size_diff, size, user, group, uid, gid, ctime, mtime, "
          "ctime_diff, mtime_diff; > in front: descending",
          set<&O::sort_by, parse_diff_sort_fields>),
    flag("--content-only", "leave out differences of metadata", set<&O::content_only>),
};
constexpr OptionSet kSets[] = {
    {"options", kOptions, whole},
    {"pattern options", kPatternOptions, part_of<&O::patterns>},
};
constexpr const char kArchiveHelp[] = "its name, or aid: and the start of its id";
constexpr Positional kPositionals[] = {
    {"ARCHIVE1", kArchiveHelp, set<&O::archive1, parse_archive_name>},
    {"ARCHIVE2", kArchiveHelp, set<&O::archive2, parse_archive_name>},
    {"PATH", "only these paths and what is below them", set<&O::paths, parse_path_argument>, PositionalKind::Repeated},
};

}  // namespace

constinit const Command kDiff = {
    .name = "diff",
    .summary = "show what differs between two archives",
    .description =
        "Prints one line for each path that is not the same in both archives: what was added to and removed from its "
        "content, and changes of mode, owner, link target and times.\n\n"
        "Archives whose files were cut into chunks in different ways need to be read for the comparison; then sizes of "
        "changes are not known.\n\n"
        "Keys for --format: path, change, content, mode, type, owner, user, group, link, directory, blkdev, chrdev, "
        "fifo, mtime, ctime, isomtime, isoctime, and NL, NUL, TAB, SPACE, CR, LF.",
    .sets = kSets,
    .positionals = kPositionals,
    .make = make_options<DiffOptions>,
};

}  // namespace cairn::cli

#include "cli/list_options.h"

#include "cli/option_values.h"
#include "cli/spec_values.h"

namespace cairn::cli {
namespace {

using O = ListOptions;
constexpr Option kOptions[] = {
    flag("--short", "print only the paths", set<&O::short_form>),
    value("--format", "FORMAT", "what to print of each item (BORG_LIST_FORMAT)", set<&O::format>),
    flag("--json-lines", "print one JSON object per item", set<&O::json_lines>),
    value("--depth", "N", "only paths with at most N slashes", set<&O::depth>),
    value("--sort-by", "SPEC",
          "comma-separated: path, type, mode, user, uid, group, gid, size, mtime, ctime, atime; > in front: descending",
          set<&O::sort_by, parse_item_sort_fields>),
};
constexpr OptionSet kSets[] = {
    {"options", kOptions, whole},
    {"pattern options", kPatternOptions, part_of<&O::patterns>},
};
constexpr Positional kPositionals[] = {
    {"NAME", "the archive: its name, or aid: and the start of its id", set<&O::name, parse_archive_name>},
    {"PATH", "only these paths and what is below them", set<&O::paths, parse_path_argument>, PositionalKind::Repeated},
};

}  // namespace

constinit const Command kList = {
    .name = "list",
    .summary = "list the contents of an archive",
    .description =
        "Prints one line per item of the archive.\n\n"
        "Keys for --format: type, mode, uid, gid, user, group, path, target, hlid, inode, flags, size, num_chunks, "
        "mtime, ctime, atime, isomtime, isoctime, isoatime, fingerprint, digest names such as sha256 or blake3, "
        "archiveid, archivename, extra, and NL, NUL, TAB, SPACE, CR, LF. Example: --format \"{size:>12} {path}{NL}\"",
    .sets = kSets,
    .positionals = kPositionals,
    .make = make_options<ListOptions>,
};

}  // namespace cairn::cli

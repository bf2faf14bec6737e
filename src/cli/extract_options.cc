#include "cli/extract_options.h"

#include "cli/common_options.h"
#include "cli/option_values.h"
#include "cli/spec_values.h"

namespace cairn::cli {
namespace {

using O = ExtractOptions;
constexpr Option kOptions[] = {
    flag("--list", "list items on standard error", set<&O::list>),
    flag("-s, --stats", "print statistics about the store", set<&O::stats>),
    flag("-n, --dry-run", "write nothing, but read and verify everything", set<&O::dry_run>),
    flag("--numeric-ids", "restore user and group numbers, ignore their names", set<&O::numeric_ids>),
    flag("--noflags", "do not restore file flags", set<&O::noflags>),
    flag("--noacls", "do not restore access control lists", set<&O::noacls>),
    flag("--noxattrs", "do not restore extended attributes", set<&O::noxattrs>),
    flag("--stdout", "write the content of files to standard output", set<&O::to_stdout>),
    flag("--sparse", "leave holes where blocks are all zero", set<&O::sparse>),
    flag("--continue", "go on with an extraction: the directory may have content, complete files are skipped",
         set<&O::continue_extraction>),
    value("--strip-components", "NUMBER", "drop so many leading parts of each path", set<&O::strip_components>)
        .defaults("0"),
};
constexpr OptionSet kSets[] = {
    {"options", kOptions, whole},
    {"pattern options", kPatternOptions, part_of<&O::patterns>},
};
constexpr Positional kPositionals[] = {
    {"NAME", "the archive: its name, or aid: and the start of its id", set<&O::name, parse_archive_name>},
    {"PATH", "only these paths and what is below them", set<&O::paths, parse_path_argument>, PositionalKind::Repeated},
};

Status check(const void* options, const CommonOptions& common) {
  return check_progress_and_list(common, static_cast<const O*>(options)->list);
}

}  // namespace

constinit const Command kExtract = {
    .name = "extract",
    .summary = "restore files from an archive",
    .description =
        "Restores the archive, or the given paths of it, into the current directory, which must be empty (or see "
        "--continue).",
    .sets = kSets,
    .positionals = kPositionals,
    .make = make_options<ExtractOptions>,
    .check = check,
};

}  // namespace cairn::cli

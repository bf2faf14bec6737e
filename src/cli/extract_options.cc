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
    value("--target", "DIRECTORY", "extract into this directory, which is made if it is not there", set<&O::target>),
    flag("--overwrite", "replace what differs from the archive and leave alone what does not", set<&O::overwrite>),
    flag("--check-content",
         "with --overwrite or --continue: compare the content of all files, do not trust size and time",
         set<&O::check_content>),
    flag("--delete", "with --target: delete what the archive does not have, for an exact mirror",
         set<&O::remove_others>),
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
  const O& o = *static_cast<const O*>(options);
  const auto usage = [](const char* message) { return fail(Code::Usage, message); };
  if (o.target && o.target->empty()) return usage("--target needs the name of a directory.");
  if (o.to_stdout && (o.target || o.overwrite || o.remove_others)) {
    return usage("--stdout writes no files: it does not go with --target, --overwrite or --delete.");
  }
  if (o.check_content && !o.overwrite && !o.continue_extraction) {
    return usage("--check-content needs --overwrite or --continue.");
  }
  if (o.remove_others && !o.target) return usage("--delete needs --target.");
  if (o.remove_others && (!o.paths.empty() || !o.patterns.list.empty())) {
    return usage("--delete takes the whole archive: PATHs, patterns and excludes would have the rest deleted.");
  }
  return check_progress_and_list(common, o.list);
}

}  // namespace

constinit const Command kExtract = {
    .name = "extract",
    .summary = "restore files from an archive",
    .description =
        "Restores the archive, or the given paths of it, into the current directory or the one that --target names "
        "(made with its parents if it is not there). It must be empty, unless --continue or --overwrite is given. "
        "Directories that have to be made because something in them is chosen get what the archive knows of them, "
        "too.\n\n"
        "A PATH may have a leading slash or not. Of several archives of one name choose one by its id, the newest for "
        "example with aid:$(cairn repo-list -a home --last 1 --short). Owners can only be restored by root: for others "
        "the files are theirs. Where content is lost or damaged, zeros are written, messages name the files, and the "
        "exit code is 113.\n\n"
        "To verify an archive use --dry-run, which reads and verifies all of it. To compare it with what is on the "
        "disk, without changing that (files that only the disk has are not told):\n\n"
        "  cairn extract --target / --overwrite --check-content --dry-run --list home\n\n"
        "With --continue or --overwrite, what is there already is compared with the archive. A file that has the "
        "archived size and modification time counts as equal, as with most programs that copy; it is read and its "
        "content compared if its time differs, if it was written less than two seconds ago, or always with "
        "--check-content: use that if programs may have changed files and set the time back, or after a crash of the "
        "machine. Owner, mode, times, flags, ACLs and extended attributes are always compared. What is equal in all of "
        "this is left alone; a file of equal content gets the attributes that differ; everything else is removed and "
        "restored. A file that could not be restored completely (damage, disk full) never gets the archived time, so "
        "the next run restores it again. A file that has other hard links than in the archive is replaced and never "
        "changed in place. A directory that stands in the way of something else is replaced only if it is empty, or "
        "with --delete.\n\n"
        "--delete makes the target an exact mirror: after the whole list of the archive's files has been read, and "
        "before anything is restored, everything in the target that is not in the archive is deleted. It needs "
        "--target, and --overwrite if the target is not empty; it takes no PATHs, patterns or excludes (with "
        "--strip-components, paths without enough components count as not in the archive). Symbolic links are not "
        "followed, and mount points in the target are neither entered nor removed but told with a warning. It is "
        "refused if the repository lies in the target, and if nothing would be restored. With --dry-run it tells what "
        "it would delete.\n\n"
        "--list marks with + what is restored and with D what is deleted; a dry run with --overwrite or --continue "
        "tells + for what is not there yet, M for what would be replaced, m for what would only get other attributes, "
        "and = for what is equal.",
    .sets = kSets,
    .positionals = kPositionals,
    .make = make_options<ExtractOptions>,
    .check = check,
};

}  // namespace cairn::cli

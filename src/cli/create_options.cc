#include "cli/create_options.h"

#include <algorithm>

#include "cli/common_options.h"
#include "cli/option_values.h"
#include "cli/spec_values.h"

namespace cairn::cli {
namespace {

using O = CreateOptions;
constexpr Option kOptions[] = {
    flag("-n, --dry-run", "store nothing, only show what would be stored", set<&O::dry_run>),
    flag("-s, --stats", "print statistics at the end", set<&O::stats>),
    flag("--list", "list each file with a status letter on standard error", set<&O::list>),
    value("--filter", "STATUSCHARS", "with --list: only items with these status letters", set<&O::filter>),
    flag("--json", "print the statistics as JSON on standard output", set<&O::json>),
    value("--stdin-name", "NAME", "path that data from standard input gets", set<&O::stdin_name, parse_stored_path>)
        .defaults("stdin"),
    value("--stdin-user", "USER", "its owner", set<&O::stdin_user>),
    value("--stdin-group", "GROUP", "its group", set<&O::stdin_group>),
    value("--stdin-mode", "M", "its permissions, octal", set<&O::stdin_mode, parse_octal>).defaults("0660"),
    flag("--content-from-command", "PATHs are a command; store what it prints", set<&O::content_from_command>),
    flag("--paths-from-stdin", "read the paths to store from standard input", set<&O::paths_from_stdin>),
    flag("--paths-from-command", "PATHs are a command that prints the paths to store", set<&O::paths_from_command>),
    flag("--paths-from-shell-command", "the same through the shell", set<&O::paths_from_shell_command>),
    value("--paths-delimiter", "DELIM", "what separates those paths (\\n, \\0 ... are understood)",
          set<&O::paths_delimiter, parse_delimiter>)
        .defaults("\\n"),
};
constexpr Option kFileSystem[] = {
    flag("--exclude-dataless", "macOS: leave out files whose data is in the cloud", set<&O::exclude_dataless>),
    flag("-x, --one-file-system", "stay in the file system of each PATH", set<&O::one_file_system>),
    flag("--numeric-ids", "store user and group numbers only", set<&O::numeric_ids>),
    flag("--atime", "store access times", set<&O::atime>),
    flag("--noctime", "do not store change times", set<&O::noctime>),
    flag("--nobirthtime", "do not store creation times", set<&O::nobirthtime>),
    flag("--noflags", "do not read or store file flags", set<&O::noflags>),
    flag("--noacls", "do not read or store access control lists", set<&O::noacls>),
    flag("--noxattrs", "do not read or store extended attributes", set<&O::noxattrs>),
    flag("--sparse", "do not read the holes of sparse files", set<&O::sparse>),
    value("--digests", "ALGOS", "digests of the content to store: none, or a list like sha256,blake3",
          set<&O::digests, parse_digest_names>),
    value("--files-cache", "MODE", "when a file counts as unchanged", set<&O::files_cache, parse_files_cache_mode>)
        .defaults("ctime,size,inode"),
    value("--group-by", "KEYS", "name, host, user: how the previous archive is found",
          set<&O::group_by, parse_create_group_keys>)
        .defaults("name,host"),
    value("--files-changed", "MODE", "how changes while reading are noticed", set<&O::files_changed>)
        .choices("ctime|mtime|disabled")
        .defaults("ctime"),
    flag("--read-special", "read devices and pipes as if they were files", set<&O::read_special>),
    value("--read-special-timeout", "SECONDS", "give one up after that long without data; 0: never",
          set<&O::read_special_timeout, parse_timeout_seconds>)
        .defaults("1800"),
    value("--map", "MAPFILE", "file that says which ranges of the one input to read", set<&O::map>),
    value("--reuse-from", "ARCHIVE", "with --map: the earlier archive that has its unchanged ranges",
          set<&O::reuse_from>),
    value("--reuse-path", "PATH", "with --reuse-from: the file in that archive, if it has several",
          set<&O::reuse_path>),
};
constexpr Option kArchive[] = {
    value("--comment", "COMMENT", "comment of the archive", set<&O::comment, parse_comment>),
    value("--timestamp", "TIMESTAMP", "the archive's time: ISO 8601 text, or a file whose time is used",
          set<&O::timestamp, parse_timestamp>),
    value("--chunker-params", "PARAMS", "how files are cut, e.g. fastcdc,19,23,21,2",
          set<&O::chunker_params, parse_chunker_params>)
        .defaults("default"),
    value("-C, --compression", "COMPRESSION", "how data is compressed (see \"help compression\")",
          set<&O::compression, parse_compression>),
    value("--tag", "TAG", "tag of the archive (repeatable)", set<&O::tags, parse_tag>).repeatable(),
};
constexpr OptionSet kSets[] = {
    {"options", kOptions, whole},
    {"pattern options", kPatternOptions, part_of<&O::patterns>},
    {"tag file options", kTagFileOptions, part_of<&O::tag_files>},
    {"file system options", kFileSystem, whole},
    {"archive options", kArchive, whole},
};
constexpr Positional kPositionals[] = {
    {"NAME", "name of the new archive (see \"help placeholders\")", set<&O::name, parse_archive_name>},
    {"PATH", "what to store; - is standard input", set<&O::paths, parse_path_argument>, PositionalKind::Repeated},
};

Status check(const void* options, const CommonOptions& common) {
  const O& o = *static_cast<const O*>(options);
  CAIRN_CHECKED(check_progress_and_list(common, o.list));
  const auto usage = [](const char* message) { return fail(Code::Usage, message); };
  if (o.paths_from_stdin && !o.paths.empty()) return usage("Must not pass PATH with --paths-from-stdin.");
  if ((o.content_from_command || o.paths_from_command || o.paths_from_shell_command) && o.paths.empty())
    return usage("No command given.");
  const bool from_elsewhere = o.content_from_command || o.paths_from_elsewhere();
  // Roots may also come from "R" lines of patterns; only create knows after reading them.
  const bool may_have_roots = std::ranges::any_of(o.patterns.list, [](const PatternArgument& p) {
    return p.source == PatternSource::Pattern || p.source == PatternSource::PatternFile;
  });
  if (!from_elsewhere && o.paths.empty() && !may_have_roots) return usage("Need at least one PATH argument.");
  return {};
}

}  // namespace

constinit const Command kCreate = {
    .name = "create",
    .summary = "back up files into a new archive",
    .description =
        "Stores the files and directories named by PATH, with everything below them, as one new archive. "
        "Data that the repository already has is not stored again.\n\n"
        "Give the archives of every night the same NAME, without the date: archives of one name are a series. prune "
        "chooses among the archives of a series, and files that did not change since the last one are found quickly "
        "(see --group-by and \"help nightly\").\n\n"
        "  cairn create --stats '{hostname}-home' /home\n\n"
        "A PATH is stored under the name given, without a leading slash. If it contains /./, only the part "
        "after it is stored: /home/./lab becomes lab.\n\n"
        "With --map only some ranges of one file, or with --read-special of one block device, are read. Each line of "
        "MAPFILE is START LENGTH STATE, in bytes and without gaps from 0 to the end of the input; # begins a comment. "
        "STATE is data (read it), zero (there are only zero bytes) or same (as in the archive of --reuse-from). What "
        "the map says is believed: a range that is called same or zero but is not makes a wrong backup.\n\n"
        "To store what a program prints, let create run it. The command stands after --, and no archive is made if it "
        "fails; with a pipe into the PATH - an archive would be made all the same:\n\n"
        "  cairn create --content-from-command --stdin-name db.sql db -- pg_dump mydb\n"
        "  cairn extract --stdout db db.sql\n\n"
        "An interrupted run makes no archive, but after Ctrl-C the next run does not store again what was stored. "
        "After "
        "a crash that is so for what is older than about ten minutes, and compact frees the rest. A PATH that is not "
        "there is a warning (exit code 107) and the archive is made without it.\n\n"
        "A dry run reads no content: --list marks with + all that would be stored.\n\n"
        "Status letters of --list: A added, M modified, U unchanged, C changed while being read, E error, "
        "d directory, s symbolic link, h hard link, b c f device or pipe, i standard input, - excluded, "
        "x left out, ? unknown.",
    .sets = kSets,
    .positionals = kPositionals,
    .make = make_options<CreateOptions>,
    .check = check,
};

}  // namespace cairn::cli

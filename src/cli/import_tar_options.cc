#include "cli/import_tar_options.h"

#include "cli/common_options.h"
#include "cli/option_values.h"
#include "cli/spec_values.h"

namespace cairn::cli {
namespace {

using O = ImportTarOptions;
constexpr Option kOptions[] = {
    value("--tar-filter", "TAR_FILTER", "program that the archive comes through; auto: as TARFILE's name says",
          set<&O::tar_filter>)
        .defaults("auto"),
    flag("-s, --stats", "print statistics at the end", set<&O::stats>),
    flag("--list", "list each member with a status letter on standard error", set<&O::list>),
    value("--filter", "STATUSCHARS", "with --list: only items with these status letters", set<&O::filter>),
    flag("--json", "print the statistics as JSON on standard output", set<&O::json>),
    flag("--ignore-zeros", "read on behind the end of the archive: several archives one after another",
         set<&O::ignore_zeros>),
    value("--strip-components", "NUMBER", "drop so many leading parts of each path", set<&O::strip_components>)
        .defaults("0"),
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
    value("--digests", "ALGOS", "digests of the content to store: none, or a list like sha256,blake3",
          set<&O::digests, parse_digest_names>),
};
constexpr OptionSet kSets[] = {
    {"options", kOptions, whole},
    {"archive options", kArchive, whole},
};
constexpr Positional kPositionals[] = {
    {"NAME", "name of the new archive (see \"help placeholders\")", set<&O::name, parse_archive_name>},
    {"TARFILE", "the tar archive; - is standard input", set<&O::file>},
};

Status check(const void* options, const CommonOptions& common) {
  return check_progress_and_list(common, static_cast<const O*>(options)->list);
}

}  // namespace

constinit const Command kImportTar = {
    .name = "import-tar",
    .summary = "make an archive of a tar file",
    .description =
        "Stores the members of a tar archive as a new archive. All usual formats are read: v7, ustar, GNU and pax, "
        "sparse files in all of their forms, and what export-tar wrote with --tar-format BORG.\n\n"
        "By the ending of TARFILE the archive is decompressed as export-tar compresses. Other programs can be given "
        "with "
        "--tar-filter, with their arguments: --tar-filter \"zcat -f\".\n\n"
        "A tar archive that is damaged, ends too early or has a path with \"..\" in it ends the command, and no "
        "archive "
        "is made.",
    .sets = kSets,
    .positionals = kPositionals,
    .make = make_options<ImportTarOptions>,
    .check = check,
};

}  // namespace cairn::cli

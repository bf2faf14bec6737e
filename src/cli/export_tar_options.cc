#include "cli/export_tar_options.h"

#include "cli/common_options.h"
#include "cli/option_values.h"
#include "cli/spec_values.h"

namespace cairn::cli {
namespace {

using O = ExportTarOptions;
constexpr Option kOptions[] = {
    value("--tar-filter", "TAR_FILTER", "program that the archive goes through; auto: as FILE's name says",
          set<&O::tar_filter>)
        .defaults("auto"),
    flag("--list", "list the exported paths on standard error", set<&O::list>),
    value("--tar-format", "FMT", "how much the tar archive tells", set<&O::tar_format>)
        .choices("BORG|PAX|GNU")
        .defaults("PAX"),
    flag("--sparse", "store files with holes without them (BORG and PAX)", set<&O::sparse>),
    value("--strip-components", "NUMBER", "drop so many leading parts of each path", set<&O::strip_components>)
        .defaults("0"),
};
constexpr OptionSet kSets[] = {
    {"options", kOptions, whole},
    {"pattern options", kPatternOptions, part_of<&O::patterns>},
};
constexpr Positional kPositionals[] = {
    {"NAME", "the archive: its name, or aid: and the start of its id", set<&O::name, parse_archive_name>},
    {"FILE", "the tar archive to write; - is standard output", set<&O::file>},
    {"PATH", "only these paths and what is below them", set<&O::paths, parse_path_argument>, PositionalKind::Repeated},
};

Status check(const void* options, const CommonOptions& common) {
  return check_progress_and_list(common, static_cast<const O*>(options)->list);
}

}  // namespace

constinit const Command kExportTar = {
    .name = "export-tar",
    .summary = "write an archive as a tar file",
    .description =
        "Writes the archive, or the given paths of it, as one tar archive.\n\n"
        "Formats: GNU is understood by old programs, has whole seconds and no attributes; PAX adds times with "
        "fractions, extended attributes and access control lists; BORG also has everything else that Borg stores, for "
        "import-tar.\n\n"
        "By the ending of FILE the archive is compressed: .tar.gz .tgz, .tar.bz2 .tbz, .tar.xz .txz and .tar.lz4 by "
        "the "
        "program of that name, .tar.zst .tar.zstd .tzst without one. Other programs can be given with --tar-filter, "
        "with their arguments.\n\n"
        "Content that is missing or damaged in the repository becomes zeros; messages and the exit code tell so.",
    .sets = kSets,
    .positionals = kPositionals,
    .make = make_options<ExportTarOptions>,
    .check = check,
};

}  // namespace cairn::cli

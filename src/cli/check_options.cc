#include "cli/check_options.h"

#include "cli/option_values.h"

namespace cairn::cli {
namespace {

using O = CheckOptions;
constexpr Option kOptions[] = {
    flag("--repository-only", "check only the repository", set<&O::repository_only>),
    flag("--archives-only", "check only the archives", set<&O::archives_only>),
    flag("--verify-data", "decrypt and verify every object", set<&O::verify_data>),
    flag("--repair", "repair what is damaged, after you have confirmed it", set<&O::repair>),
    flag("--find-lost-archives", "look for archives that are not listed any more; with --repair list them again",
         set<&O::find_lost_archives>),
    value("--max-age", "TIMESPAN", "skip packs that were verified more recently, e.g. 7d",
          set<&O::max_age, parse_time_span>),
    value("--max-duration", "SECONDS", "stop the repository check after that time; the next run continues",
          set<&O::max_duration>)
        .defaults("0"),
    value("--format", "FORMAT", "how archives are shown (BORG_CHECK_FORMAT)", set<&O::format>),
};
constexpr OptionSet kSets[] = {
    {"options", kOptions, whole},
    {"archive filters", kArchiveFilterOptions, part_of<&O::filters>},
};

// These are program errors of exit code 4, not usage errors.
Status check(const void* options, const CommonOptions&) {
  const O& o = *static_cast<const O*>(options);
  const auto refuse = [](const char* message) { return fail(Code::Command, message); };
  if (o.repository_only) {
    const ArchiveFilters& f = o.filters;
    if (o.verify_data || o.format || !f.match.empty() || f.first > 0 || f.last > 0)
      return refuse(
          "--repository-only contradicts --first, --last, -a / --match-archives, --verify-data and --format "
          "arguments.");
    if (o.find_lost_archives) return refuse("--repository-only contradicts the --find-lost-archives option.");
  } else if (o.max_duration != 0) {
    return refuse("--repository-only is required for --max-duration support.");
  }
  if (o.archives_only && o.max_age) return refuse("--archives-only does not allow the --max-age option.");
  // Refused before the question of --repair, not after it.
  if (o.repair && o.max_duration != 0) return refuse("--repair does not allow --max-duration argument.");
  if (o.repair && o.max_age) return refuse("--repair does not allow the --max-age option.");
  return {};
}

}  // namespace

constinit const Command kCheck = {
    .name = "check",
    .summary = "verify a repository and its archives",
    .description =
        "Verifies that every pack is what was stored, that the index fits, and that every archive has all its data. "
        "For that all packs are read and hashed, and the lists of files of all archives. The exit code is 1 if damage "
        "is found.\n\n"
        "--archives-only is quick: it reads the lists of files and looks up that their content is there, but does not "
        "read it. --repository-only reads the packs. It can be done bit by bit with --max-duration, which needs "
        "--repository-only: every run goes on where the last one ended. --verify-data is the slowest: each object is "
        "decrypted and verified too.\n\n"
        "  cairn check --repository-only --max-duration 600\n\n"
        "With --repair the index is made to agree with the packs, and what is good in damaged packs is moved to new "
        "ones. "
        "What is lost is told by chunk, file and archive: lost content reads as zeros until a later backup of the same "
        "data brings it back; an archive that lost a part of its list of files is written again without these files; "
        "an "
        "archive that lost its metadata is deleted (see undelete). The exit code is 1 if anything is lost or could not "
        "be repaired.\n\n"
        "After a repair back up again: content that is still on the disk is stored anew, and so is whole again in all "
        "archives that have it.",
    .sets = kSets,
    .positionals = {},
    .make = make_options<CheckOptions>,
    .check = check,
};

}  // namespace cairn::cli

#include "cli/transfer_options.h"

#include "cli/spec_values.h"

namespace cairn::cli {
namespace {

using O = TransferOptions;
constexpr Option kOptions[] = {
    flag("-n, --dry-run", "copy nothing, only show what would be copied", set<&O::dry_run>),
    value("--other-repo", "SRC_REPOSITORY", "the repository to copy from", set<&O::other_repo, parse_location>)
        .variable("BORG_OTHER_REPO"),
    flag("--from-borg1", "the other repository is one of Borg 1 (not there yet)", set<&O::from_borg1>),
    value("--upgrader", "UPGRADER", "how items are changed on the way", set<&O::upgrader>)
        .choices("NoOp|From12To20")
        .defaults("NoOp"),
    value("-C, --compression", "COMPRESSION", "how data is compressed that is compressed anew",
          set<&O::compression, parse_compression>),
    value("--recompress", "MODE", "compress all content anew, or keep it as it is compressed", set<&O::recompress>)
        .implies("always")
        .choices("never|always")
        .defaults("never"),
    value("--chunker-params", "PARAMS", "cut all files anew", set<&O::chunker_params, parse_chunker_params>),
};
constexpr OptionSet kSets[] = {
    {"options", kOptions, whole},
    {"archive filters", kArchiveFilterOptions, part_of<&O::filters>},
};

}  // namespace

constinit const Command kTransfer = {
    .name = "transfer",
    .summary = "copy archives from another repository",
    .description =
        "Copies archives that the repository does not have yet from the one that --other-repo or BORG_OTHER_REPO "
        "names. "
        "Archives of the same name and time count as copied already. Content that is there already is not read.\n\n"
        "Both must be related: make the new repository with repo-create --other-repo. Otherwise all files have to be "
        "cut "
        "anew, with --chunker-params, and nothing that the repositories have in common is found.\n\n"
        "  export BORG_REPO=/backup/second BORG_OTHER_REPO=/backup/first\n"
        "  export BORG_PASSPHRASE=... BORG_OTHER_PASSPHRASE=...\n"
        "  cairn repo-create -e aes256-ocb -i blake3    # once; both need the same -i\n"
        "  cairn transfer                               # as often as you like\n\n"
        "Deletions are not passed on: prune the second repository too.\n\n"
        "The passphrase of the other repository is looked for in BORG_OTHER_PASSPHRASE, BORG_OTHER_PASSCOMMAND and "
        "BORG_OTHER_PASSPHRASE_FD.\n\n"
        "Everything is verified before it is copied. What is missing or damaged in the other repository stays missing; "
        "messages and the exit code tell so.",
    .sets = kSets,
    .positionals = {},
    .make = make_options<TransferOptions>,
};

}  // namespace cairn::cli

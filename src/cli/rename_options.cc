#include "cli/rename_options.h"

#include "cli/spec_values.h"

namespace cairn::cli {
namespace {

constexpr const char kOldHelp[] = "the archive: its name, or aid: and the start of its id";
constexpr const char kNewHelp[] = "its new name (see \"help placeholders\")";

constexpr Positional kRenamePositionals[] = {
    {"OLDNAME", kOldHelp, set<&RenameOptions::old_name, parse_archive_name>},
    {"NEWNAME", kNewHelp, set<&RenameOptions::new_name, parse_archive_name>},
};
constexpr Positional kCopyPositionals[] = {
    {"OLDNAME", kOldHelp, set<&CopyOptions::old_name, parse_archive_name>},
    {"NEWNAME", "name of the copy (see \"help placeholders\")", set<&CopyOptions::new_name, parse_archive_name>},
};

}  // namespace

constinit const Command kRename = {
    .name = "rename",
    .summary = "rename an archive",
    .description =
        "Gives an archive another name. Its content and times stay, its id changes; the archive under its old name is "
        "marked as deleted, so that undelete would bring it back.",
    .sets = {},
    .positionals = kRenamePositionals,
    .make = make_options<RenameOptions>,
};

constinit const Command kCopy = {
    .name = "copy",
    .summary = "copy an archive under another name",
    .description =
        "Makes a second archive of the same content and the same times in the same repository. Both share their data, "
        "so this is quick and takes no space; deleting one does not hurt the other. To copy archives into another "
        "repository use transfer.",
    .sets = {},
    .positionals = kCopyPositionals,
    .make = make_options<CopyOptions>,
};

}  // namespace cairn::cli

#include "cli/delete_options.h"

#include "cli/common_options.h"
#include "cli/option_values.h"
#include "cli/spec_values.h"

namespace cairn::cli {
namespace {

using O = DeleteOptions;
constexpr Option kOptions[] = {
    flag("-n, --dry-run", "change nothing, only show what would be done", set<&O::dry_run>),
    flag("--list", "list the archives", set<&O::list>),
};
constexpr OptionSet kSets[] = {
    {"options", kOptions, whole},
    {"archive filters", kArchiveFilterOptions, part_of<&O::filters>},
};
constexpr Positional kLiveName[] = {
    {"NAME", "exactly this archive", set<&O::name, parse_archive_name>, PositionalKind::Optional},
};
constexpr Positional kDeletedName[] = {
    {"NAME", "exactly this deleted archive", set<&O::name, parse_archive_name>, PositionalKind::Optional},
};

Status check(const void* options, const CommonOptions& common) {
  return check_progress_and_list(common, static_cast<const O*>(options)->list);
}

}  // namespace

constinit const Command kDelete = {
    .name = "delete",
    .summary = "delete archives",
    .description =
        "Marks archives as deleted. They are listed by \"repo-list --deleted\" and can be brought back with undelete "
        "until compact frees their space.",
    .sets = kSets,
    .positionals = kLiveName,
    .make = make_options<DeleteOptions>,
    .check = check,
};

constinit const Command kUndelete = {
    .name = "undelete",
    .summary = "bring deleted archives back",
    .description =
        "Brings back archives that were deleted or pruned, as long as compact has not run since.\n\n"
        "tag, rename and recreate write the archive anew and mark the one before as deleted: -a brings these old "
        "versions back too. See first what there is (\"repo-list --deleted\"), and choose by aid: and the id.",
    .sets = kSets,
    .positionals = kDeletedName,
    .make = make_options<DeleteOptions>,
    .check = check,
};

}  // namespace cairn::cli

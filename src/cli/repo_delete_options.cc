#include "cli/repo_delete_options.h"

#include "cli/common_options.h"
#include "cli/option_values.h"

namespace cairn::cli {
namespace {

using O = RepoDeleteOptions;
constexpr Option kOptions[] = {
    flag("-n, --dry-run", "delete nothing, only show what would be deleted", set<&O::dry_run>),
    flag("--list", "list the archives before asking", set<&O::list>),
    flag("--force", "do not ask; also delete a store that is no repository", set<&O::force>),
    flag("--cache-only", "delete only the local cache", set<&O::cache_only>),
    flag("--keep-security-info", "keep what this machine remembers about the repository", set<&O::keep_security_info>),
};
constexpr OptionSet kSets[] = {{"options", kOptions, whole}};

Status check(const void* options, const CommonOptions& common) {
  return check_progress_and_list(common, static_cast<const O*>(options)->list);
}

}  // namespace

constinit const Command kRepoDelete = {
    .name = "repo-delete",
    .summary = "delete a whole repository",
    .description =
        "Deletes the repository with all its archives, and the local cache and security information about it, after "
        "you have confirmed it.",
    .sets = kSets,
    .positionals = {},
    .make = make_options<RepoDeleteOptions>,
    .check = check,
};

}  // namespace cairn::cli

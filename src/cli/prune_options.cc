#include "cli/prune_options.h"

#include "cli/common_options.h"
#include "cli/spec_values.h"

namespace cairn::cli {
namespace {

using O = PruneOptions;
using Rule = archive::PruneRule;

template <Rule rule>
Status set_rule(void* target, std::string_view value) {
  CAIRN_TRY(static_cast<O*>(target)->rules[static_cast<std::size_t>(rule)], archive::parse_prune_limit(value));
  return {};
}

constexpr Option kOptions[] = {
    flag("-n, --dry-run", "change nothing, only show what would be done", set<&O::dry_run>),
    flag("--list", "list the archives that are kept and pruned", set<&O::list>),
    flag("--short", "list only their names", set<&O::short_form>),
    flag("--list-pruned", "list the archives that are pruned", set<&O::list_pruned>),
    flag("--list-kept", "list the archives that are kept", set<&O::list_kept>),
    value("--format", "FORMAT", "what to print of each archive (BORG_PRUNE_FORMAT)", set<&O::format>),
    flag("--json", "print JSON on standard output", set<&O::json>),
    value("--from", "TIMESTAMP",
          "keep every archive that is not older than this, apply the rules to the rest: ISO 8601 text, or a file whose "
          "time is used",
          set<&O::from, parse_timestamp>),
    value("--group-by", "KEYS", "apply the rules to each group by name, host, user, tags; none: to all together",
          set<&O::group_by, archive::parse_group_by>)
        .defaults("name,host"),
};
constexpr Option kRules[] = {
    value("--keep", "KEEP", "the newest archives", set_rule<Rule::Keep>),
    value("--keep-secondly", "SECONDLY", "one of each second", set_rule<Rule::Secondly>),
    value("--keep-minutely", "MINUTELY", "one of each minute", set_rule<Rule::Minutely>),
    value("-H, --keep-hourly", "HOURLY", "one of each hour", set_rule<Rule::Hourly>),
    value("-d, --keep-daily", "DAILY", "one of each day", set_rule<Rule::Daily>),
    value("-w, --keep-weekly", "WEEKLY", "one of each week", set_rule<Rule::Weekly>),
    value("-m, --keep-monthly", "MONTHLY", "one of each month", set_rule<Rule::Monthly>),
    value("--keep-13weekly", "QUARTERLY_13WEEKLY", "one of each 13 weeks", set_rule<Rule::Quarterly13Weekly>)
        .exclusive("quarters"),
    value("--keep-3monthly", "QUARTERLY_3MONTHLY", "one of each 3 months", set_rule<Rule::Quarterly3Monthly>)
        .exclusive("quarters"),
    value("-y, --keep-yearly", "YEARLY", "one of each year", set_rule<Rule::Yearly>),
};
constexpr OptionSet kSets[] = {
    {"options", kOptions, whole},
    {"rules", kRules, whole},
    {"archive filters", std::span(kArchiveFilterOptions).first(1), part_of<&O::filters>},
};
constexpr Positional kPositionals[] = {
    {"NAME", "only archives of this name", set<&O::name, parse_archive_name>, PositionalKind::Optional},
};

Status check(const void* options, const CommonOptions& common) {
  return check_progress_and_list(common, static_cast<const O*>(options)->list);
}

}  // namespace

constinit const Command kPrune = {
    .name = "prune",
    .summary = "delete old archives by rules",
    .description =
        "Keeps the archives that a rule asks for and marks all others as deleted: they can be brought back with "
        "undelete until compact frees their space. Archives tagged @PROT are left alone.\n\n"
        "The value of a rule is a number of archives, all, or the time in which they were made: 24H, 7d, 4w, 6m, 10y "
        "(also M and S for minutes and seconds). Each rule goes from the newest archive to the oldest and keeps the "
        "last archive of each of its periods; one that another rule has kept already does not count. If the rule with "
        "the longest periods is not used up, the oldest archive is kept too.\n\n"
        "Unless --group-by says otherwise, archives with different names or from different hosts do not count against "
        "each other. So give the archives of every night the same name: with the date in the name each is alone in its "
        "group and none is ever pruned, unless they are put together:\n\n"
        "  cairn prune --list -d 7 -w 4 -m 12 home\n"
        "  cairn prune --list -d 7 -w 4 -a 'sh:home-2*' --group-by host\n\n"
        "Look first with --dry-run --list. Run compact afterwards.",
    .sets = kSets,
    .positionals = kPositionals,
    .make = make_options<PruneOptions>,
    .check = check,
};

}  // namespace cairn::cli

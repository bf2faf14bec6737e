#include "cli/tag_options.h"

#include "cli/spec_values.h"

namespace cairn::cli {
namespace {

using O = TagOptions;
constexpr Option kOptions[] = {
    value("--set", "TAG", "the archives shall have this tag, and no others (repeatable)", set<&O::set_tags, parse_tag>)
        .repeatable()
        .exclusive("set or clear"),
    flag("--clear", "remove all tags but the special ones", set<&O::clear>).exclusive("set or clear"),
    value("--add", "TAG", "add this tag (repeatable)", set<&O::add, parse_tag>).repeatable(),
    value("--remove", "TAG", "remove this tag (repeatable)", set<&O::remove, parse_tag>).repeatable(),
};
constexpr OptionSet kSets[] = {
    {"options", kOptions, whole},
    {"archive filters", kArchiveFilterOptions, part_of<&O::filters>},
};
constexpr Positional kPositionals[] = {
    {"NAME", "exactly this archive", set<&O::name, parse_archive_name>, PositionalKind::Optional},
};

}  // namespace

constinit const Command kTag = {
    .name = "tag",
    .summary = "change or list the tags of archives",
    .description =
        "Changes tags in this order: --set or --clear, --add, --remove, and prints for each archive its old and new id "
        "and its tags. Without any of them it lists the tags. To change the tags of all archives use -a 'sh:*'.\n\n"
        "A changed archive gets a new id, and the one before is marked as deleted, so that undelete would bring it "
        "back "
        "beside the new one.\n\n"
        "A tag has 1 to 10 characters. Tags that start with @ are special; there is one, @PROT: archives that have it "
        "are neither deleted nor pruned. --set takes no special tag away unless it is given too.",
    .sets = kSets,
    .positionals = kPositionals,
    .make = make_options<TagOptions>,
};

}  // namespace cairn::cli

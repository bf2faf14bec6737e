#include "cli/help_options.h"

#include "cli/option_values.h"

namespace cairn::cli {
namespace {

using O = HelpOptions;
constexpr Option kOptions[] = {
    flag("--epilog-only", "only the explanation", set<&O::epilog_only>),
    flag("--usage-only", "only usage and options", set<&O::usage_only>),
    value("--man", "DIR", "write the manual pages into DIR", set<&O::manual_directory>).hidden(),
};
constexpr OptionSet kSets[] = {{"options", kOptions, whole}};
constexpr Positional kPositionals[] = {
    {"TOPIC", "command or topic", set<&O::topic>, PositionalKind::Repeated},
};

}  // namespace

constinit const Command kHelp = {
    .name = "help",
    .summary = "explain a command or a topic",
    .description = "Topics: patterns, match-archives, placeholders, compression, environment.",
    .sets = kSets,
    .positionals = kPositionals,
    .make = make_options<HelpOptions>,
};

}  // namespace cairn::cli

#include "cli/version_options.h"

#include "cli/option_values.h"

namespace cairn::cli {
namespace {

using O = VersionOptions;
constexpr Option kOptions[] = {
    flag("--json", "print JSON on standard output", set<&O::json>),
    flag("--from-borg1", "ask the server of Borg 1", set<&O::from_borg1>),
};
constexpr OptionSet kSets[] = {{"options", kOptions, whole}};

}  // namespace

constinit const Command kVersion = {
    .name = "version",
    .summary = "show the version of the format that client and server speak",
    .description = "Prints the Borg version whose behaviour is provided, for the client and for the server.",
    .sets = kSets,
    .positionals = {},
    .make = make_options<VersionOptions>,
};

}  // namespace cairn::cli

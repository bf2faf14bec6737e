#include "cli/repo_compress_options.h"

#include "cli/spec_values.h"

namespace cairn::cli {
namespace {

using O = RepoCompressOptions;
constexpr Option kOptions[] = {
    value("-C, --compression", "COMPRESSION", "how everything is to be compressed (see \"help compression\")",
          set<&O::compression, parse_compression>),
    flag("-s, --stats", "print statistics at the end", set<&O::stats>),
};
constexpr OptionSet kSets[] = {{"options", kOptions, whole}};

}  // namespace

constinit const Command kRepoCompress = {
    .name = "repo-compress",
    .summary = "compress a repository anew",
    .description =
        "Gives everything in the repository the compression of --compression, else the repository's default (that of "
        "repo-create --compression, lz4 if it was not given). What is compressed so already, or would not become "
        "different, stays as it is.\n\n"
        "Everything is verified before it replaces what was there. After Ctrl-C the command ends with the packs under "
        "way; the next run goes on.",
    .sets = kSets,
    .positionals = {},
    .make = make_options<RepoCompressOptions>,
};

}  // namespace cairn::cli

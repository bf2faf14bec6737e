#include "cli/repo_create_options.h"

#include "cli/option_values.h"
#include "cli/spec_values.h"

namespace cairn::cli {
namespace {

using O = RepoCreateOptions;
constexpr Option kOptions[] = {
    value("--other-repo", "SRC_REPOSITORY", "take key material from this repository",
          set<&O::other_repo, parse_location>)
        .variable("BORG_OTHER_REPO"),
    flag("--from-borg1", "the other repository is one of Borg 1", set<&O::from_borg1>),
    value("-e, --encryption", "ENCRYPTION", "how the repository is protected", set<&O::encryption>)
        .choices("aes256-ocb|chacha20-poly1305|authenticated-sha256|authenticated-blake3")
        .required(),
    value("-i, --id-hash", "HASH", "hash that names chunks; encrypting modes only", set<&O::id_hash>)
        .choices("sha256|blake3")
        .defaults("sha256"),
    value("--key-location", "LOCATION", "where the key is kept", set<&O::key_location>)
        .choices("repokey|keyfile")
        .defaults("repokey"),
    value("-C, --compression", "COMPRESSION", "the repository's default compression",
          set<&O::compression, parse_compression>),
    value("--chunker-params", "PARAMS", "the repository's default way to cut files",
          set<&O::chunker_params, parse_chunker_params>),
    flag("--copy-crypt-key", "take over the encryption key too, not only what deduplication needs",
         set<&O::copy_crypt_key>),
};
constexpr OptionSet kSets[] = {{"options", kOptions, whole}};

}  // namespace

constinit const Command kRepoCreate = {
    .name = "repo-create",
    .summary = "create a new, empty repository",
    .description =
        "Creates a repository at the place that --repo or BORG_REPO names, with a new key. Missing parent directories "
        "are created.\n\n"
        "aes256-ocb is fastest on processors with AES instructions, chacha20-poly1305 elsewhere. The authenticated "
        "modes detect changes but do not encrypt.\n\n"
        "The key is protected by a passphrase. With --key-location repokey it is kept inside the repository, with "
        "keyfile in a file on this machine. Without the key and its passphrase the data is lost: keep a copy of both "
        "(\"cairn key export\").",
    .sets = kSets,
    .positionals = {},
    .make = make_options<RepoCreateOptions>,
};

}  // namespace cairn::cli

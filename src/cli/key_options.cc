#include "cli/key_options.h"

#include "cli/option_values.h"

namespace cairn::cli {
namespace {

constexpr Option kAddOptions[] = {
    value("--label", "LABEL", "label of the new key", set<&KeyAddOptions::label>).required()};

constexpr const char* kWhich = "which key";
constexpr Option kRemoveOptions[] = {
    value("--label", "LABEL", "the key with this label", set<&KeyRemoveOptions::label>)
        .exclusive(kWhich)
        .one_required(),
    value("--key", "ID", "the key with this id, or the start of it", set<&KeyRemoveOptions::key>).exclusive(kWhich),
    flag("--passphrase", "the key that the current passphrase unlocks", set<&KeyRemoveOptions::current>)
        .exclusive(kWhich),
};
constexpr Option kExportOptions[] = {
    value("--label", "LABEL", "the key with this label", set<&KeyExportOptions::label>).exclusive(kWhich),
    value("--key", "ID", "the key with this id, or the start of it", set<&KeyExportOptions::key>).exclusive(kWhich),
    flag("--paper", "a form for printing and typing in again", set<&KeyExportOptions::paper>),
    flag("--qr-html", "an HTML page with QR code and paper form", set<&KeyExportOptions::qr_html>),
};
constexpr Option kImportOptions[] = {
    flag("--paper", "type in a paper form", set<&KeyImportOptions::paper>),
    value("--key-location", "LOCATION", "where to store the key", set<&KeyImportOptions::key_location>)
        .choices("repokey|keyfile")
        .defaults("repokey"),
};
constexpr Option kLocationOptions[] = {flag("--keep", "keep the old copy", set<&KeyChangeLocationOptions::keep>)};

constexpr OptionSet kAddSets[] = {{"options", kAddOptions, whole}};
constexpr OptionSet kRemoveSets[] = {{"options", kRemoveOptions, whole}};
constexpr OptionSet kExportSets[] = {{"options", kExportOptions, whole}};
constexpr OptionSet kImportSets[] = {{"options", kImportOptions, whole}};
constexpr OptionSet kLocationSets[] = {{"options", kLocationOptions, whole}};

constexpr Positional kExportPath[] = {
    {"PATH", "output file, default standard output", set<&KeyExportOptions::path>, PositionalKind::Optional}};
constexpr Positional kImportPath[] = {
    {"PATH", "input file, - is standard input", set<&KeyImportOptions::path>, PositionalKind::Optional}};
constexpr Positional kNewLocation[] = {{"KEY_LOCATION", "new place of the key",
                                        set<&KeyChangeLocationOptions::location>, PositionalKind::Required,
                                        "repokey|keyfile"}};

}  // namespace

constinit const Command kKeyExport = {
    .name = "key export",
    .summary = "write a backup copy of a key",
    .description =
        "Writes the key, still protected by its passphrase, as text. Keep it away from the repository: without it a "
        "damaged or lost key means lost data.",
    .sets = kExportSets,
    .positionals = kExportPath,
    .make = make_options<KeyExportOptions>,
};

constinit const Command kKeyImport = {
    .name = "key import",
    .summary = "bring a backup copy of a key back",
    .description =
        "Stores a key that \"key export\" has written; the repository needs no other key for that. A file that was "
        "written with --paper is no key file: it is typed in with --paper, line by line, each with a checksum.",
    .sets = kImportSets,
    .positionals = kImportPath,
    .make = make_options<KeyImportOptions>,
};

constinit const Command kKeyChangePassphrase = {
    .name = "key change-passphrase",
    .summary = "change the passphrase of the key in use",
    .description =
        "Protects the key in use with a new passphrase. Data is not encrypted again; copies of the key made earlier "
        "keep the old passphrase.",
    .sets = {},
    .positionals = {},
    .make = make_options<KeyChangePassphraseOptions>,
};

constinit const Command kKeyAdd = {
    .name = "key add",
    .summary = "add a key with a passphrase of its own",
    .description = "Stores the same key material once more under a new label and a new passphrase.",
    .sets = kAddSets,
    .positionals = {},
    .make = make_options<KeyAddOptions>,
};

constinit const Command kKeyRemove = {
    .name = "key remove",
    .summary = "remove a key",
    .description = "Removes one of several keys. The key labelled admin and the last key cannot be removed.",
    .sets = kRemoveSets,
    .positionals = {},
    .make = make_options<KeyRemoveOptions>,
};

constinit const Command kKeyList = {
    .name = "key list",
    .summary = "list the keys of a repository",
    .description =
        "Prints one line per key; a star marks the key in use. The id changes whenever the key is written anew, with "
        "each change of its passphrase for example; the label stays.",
    .sets = {},
    .positionals = {},
    .make = make_options<KeyListOptions>,
};

constinit const Command kKeyChangeLocation = {
    .name = "key change-location",
    .summary = "move the key in use",
    .description = "Moves the key in use between the repository and a key file on this machine.",
    .sets = kLocationSets,
    .positionals = kNewLocation,
    .make = make_options<KeyChangeLocationOptions>,
};

}  // namespace cairn::cli

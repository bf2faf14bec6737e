#include "cli/debug_options.h"

#include <charconv>

#include "cli/spec_values.h"

namespace cairn::cli {
namespace {

Result<chunk::Params> parse_params(std::string_view text) { return chunk::parse_params(text); }

// 128 bytes as in the key of some repositories of Borg 1. The key is a secret: no message repeats it.
Result<std::vector<std::byte>> parse_id_key(std::string_view hex) {
  if (hex.size() != 64 && hex.size() != 256) {
    return fail(Code::Usage, "an id key has 32 or 128 bytes, 64 or 256 hexadecimal digits");
  }
  std::vector<std::byte> key(hex.size() / 2);
  if (!from_hex(hex, key)) return fail(Code::Usage, "not hexadecimal");
  return key;
}

// As a key's text shows it, signed; the same 32 bits without a sign are accepted too.
Result<std::int32_t> parse_seed(std::string_view text) {
  std::int64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc() || end != text.data() + text.size() || seed < INT32_MIN || seed > UINT32_MAX) {
    return fail(Code::Usage, "a chunk seed is an integer of 32 bits");
  }
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(seed));
}

using O = DebugChunkOptions;
constexpr Option kChunkOptions[] = {
    value("--chunker-params", "PARAMS", "how to cut, as for create", set<&O::chunker, parse_params>)
        .defaults("fastcdc,19,23,21,2"),
    value("--id-key", "HEX", "derive the chunker's secrets from this id key", set<&O::id_key, parse_id_key>),
    value("--chunk-seed", "N", "the seed that buzhash takes", set<&O::chunk_seed, parse_seed>).defaults("0"),
};
constexpr OptionSet kChunkSets[] = {{"options", kChunkOptions, whole}};
constexpr Positional kChunkPath[] = {
    {"FILE", "what to cut, - is standard input (default)", set<&O::path>, PositionalKind::Optional}};

constexpr const char* kArchiveHelp = "the archive: its name, or aid: and the start of its id";
constexpr const char* kIdHelp = "the object's id, 64 hexadecimal digits";

constexpr Positional kItemsArguments[] = {
    {"NAME", kArchiveHelp, set<&DebugDumpArchiveItemsOptions::name, parse_archive_name>}};
constexpr Positional kArchiveArguments[] = {
    {"NAME", kArchiveHelp, set<&DebugDumpArchiveOptions::name, parse_archive_name>},
    {"PATH", "the file to write, - is standard output", set<&DebugDumpArchiveOptions::path>}};
constexpr Positional kSearchArguments[] = {
    {"WANTED", "hex:1234abcd (bytes) or str:foobar (text)", set<&DebugSearchObjectsOptions::wanted>}};
constexpr Positional kIdHashArguments[] = {{"PATH", "the content", set<&DebugIdHashOptions::path>}};
constexpr Positional kParseArguments[] = {
    {"ID", kIdHelp, set<&DebugParseObjectOptions::id>},
    {"OBJECT_PATH", "the object, as get-obj writes it", set<&DebugParseObjectOptions::object_path>},
    {"BINARY_PATH", "where its content is written", set<&DebugParseObjectOptions::binary_path>},
    {"JSON_PATH", "where its metadata is written", set<&DebugParseObjectOptions::json_path>}};
constexpr Option kFormatOptions[] = {value("-C, --compression", "COMPRESSION",
                                           "how data is compressed (see \"help compression\")",
                                           set<&DebugFormatObjectOptions::compression, parse_compression>)};
constexpr OptionSet kFormatSets[] = {{"options", kFormatOptions, whole}};
constexpr Positional kFormatArguments[] = {
    {"ID", kIdHelp, set<&DebugFormatObjectOptions::id>},
    {"BINARY_PATH", "the content", set<&DebugFormatObjectOptions::binary_path>},
    {"JSON_PATH", "the metadata: {\"type\": \"F\"}", set<&DebugFormatObjectOptions::json_path>},
    {"OBJECT_PATH", "where the object is written", set<&DebugFormatObjectOptions::object_path>}};
constexpr Positional kGetArguments[] = {{"ID", kIdHelp, set<&DebugObjectOptions::id>},
                                        {"PATH", "the file to write", set<&DebugObjectOptions::path>}};
constexpr Positional kPutArguments[] = {
    {"ID", kIdHelp, set<&DebugObjectOptions::id>},
    {"PATH", "the object, as format-obj writes it", set<&DebugObjectOptions::path>}};
// Required and Repeated are one: without ids there is nothing to do.
constexpr Positional kDeleteArguments[] = {
    {"IDs", "ids of the objects", set<&DebugDeleteObjectsOptions::ids>, PositionalKind::Repeated}};
constexpr Positional kProfileArguments[] = {{"INPUT", "Borg's profile", set<&DebugConvertProfileOptions::input>},
                                            {"OUTPUT", "the file to write", set<&DebugConvertProfileOptions::output>}};

Status check_ids(const void* options, const CommonOptions& /*common*/) {
  if (!static_cast<const DebugDeleteObjectsOptions*>(options)->ids.empty()) return {};
  return fail(Code::Usage, "the following arguments are required: IDs");
}

}  // namespace

constinit const Command kDebugChunk = {
    .name = "debug chunk",
    .summary = "show how a file is cut into chunks",
    .description =
        "Prints the size of each chunk of the file, one per line, with the word \"zero\" behind it if the chunk "
        "consists of zero bytes. No repository is needed: without --id-key the cuts are those of benchmarks, which "
        "use keys of zeros; with it, those of the repository that has this key.\n\nHoles of sparse files are not read. "
        "The chunker \"fail\" simulates a broken reader and cuts nothing, so it is refused.",
    .sets = kChunkSets,
    .positionals = kChunkPath,
    .make = make_options<DebugChunkOptions>,
};

constinit const Command kDebugInfo = {
    .name = "debug info",
    .summary = "show facts about program and machine",
    .description = "Prints what helps with reports of faults: the program, the system, the processor, the process.",
    .sets = {},
    .positionals = {},
    .make = make_options<DebugInfoOptions>,
};

constinit const Command kDebugDumpArchiveItems = {
    .name = "debug dump-archive-items",
    .summary = "write the item stream of an archive to files",
    .description =
        "Writes each object of the archive's item stream, decrypted and decompressed, to a file of its own in the "
        "working directory: NUMBER_ID.items.",
    .sets = {},
    .positionals = kItemsArguments,
    .make = make_options<DebugDumpArchiveItemsOptions>,
};

constinit const Command kDebugDumpArchive = {
    .name = "debug dump-archive",
    .summary = "write all metadata of an archive as JSON",
    .description =
        "Writes what the archive's objects say, as one JSON document. Byte strings that are no text begin with U+007F "
        "and are hexadecimal; times are nanoseconds.",
    .sets = {},
    .positionals = kArchiveArguments,
    .make = make_options<DebugDumpArchiveOptions>,
};

constinit const Command kDebugDumpObjects = {
    .name = "debug dump-repo-objs",
    .summary = "write all objects of the repository to files",
    .description =
        "Writes each object of the index, decrypted and decompressed, to a file of its own in the working directory: "
        "ID.obj. Objects that are damaged or missing are told, with their exit code, and left out.",
    .sets = {},
    .positionals = {},
    .make = make_options<DebugDumpObjectsOptions>,
};

constinit const Command kDebugSearchObjects = {
    .name = "debug search-repo-objs",
    .summary = "find bytes in the objects of the repository",
    .description =
        "Looks for the bytes in every object of the index, decrypted and decompressed, and across the border of "
        "objects that follow each other. Prints how often each object has them, and what stands around the first "
        "place.",
    .sets = {},
    .positionals = kSearchArguments,
    .make = make_options<DebugSearchObjectsOptions>,
};

constinit const Command kDebugIdHash = {
    .name = "debug id-hash",
    .summary = "show the id that a content has",
    .description = "Prints the id that the content of the file would have as an object of this repository.",
    .sets = {},
    .positionals = kIdHashArguments,
    .make = make_options<DebugIdHashOptions>,
};

constinit const Command kDebugParseObject = {
    .name = "debug parse-obj",
    .summary = "take an object apart",
    .description =
        "Decrypts and decompresses an object that get-obj has written, and writes its content and its metadata to "
        "files.",
    .sets = {},
    .positionals = kParseArguments,
    .make = make_options<DebugParseObjectOptions>,
};

constinit const Command kDebugFormatObject = {
    .name = "debug format-obj",
    .summary = "make an object",
    .description =
        "Compresses and encrypts a content into an object with this id, which is not checked against the content. Of "
        "the metadata, the type counts (default: F); the rest follows from the content.",
    .sets = kFormatSets,
    .positionals = kFormatArguments,
    .make = make_options<DebugFormatObjectOptions>,
};

constinit const Command kDebugGetObject = {
    .name = "debug get-obj",
    .summary = "fetch an object as it is stored",
    .description = "Writes the object to a file as it is stored, encrypted.",
    .sets = {},
    .positionals = kGetArguments,
    .make = make_options<DebugObjectOptions>,
};

constinit const Command kDebugPutObject = {
    .name = "debug put-obj",
    .summary = "store an object",
    .description =
        "Stores an object that format-obj or get-obj has written. It must be a genuine object of this repository, with "
        "this id and the content that belongs to it; others are refused. If the repository has one with this id "
        "already, the new one takes its place.",
    .sets = {},
    .positionals = kPutArguments,
    .make = make_options<DebugObjectOptions>,
};

constinit const Command kDebugDeleteObjects = {
    .name = "debug delete-obj",
    .summary = "delete objects, whether they are needed or not",
    .description =
        "Removes the objects from the repository at once, by rewriting their packs. Archives that need them are "
        "damaged by that, and nothing brings them back: this is for tests and for repairs by hand.",
    .sets = {},
    .positionals = kDeleteArguments,
    .make = make_options<DebugDeleteObjectsOptions>,
    .check = check_ids,
};

constinit const Command kDebugConvertProfile = {
    .name = "debug convert-profile",
    .summary = "turn a profile of Borg into one of Python",
    .description = "Reads a profile that Borg has written and writes it in the form that Python's pstats reads.",
    .sets = {},
    .positionals = kProfileArguments,
    .make = make_options<DebugConvertProfileOptions>,
};

}  // namespace cairn::cli

#include "cli/debug_options.h"

#include <charconv>

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

}  // namespace cairn::cli

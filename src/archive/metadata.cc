#include "archive/metadata.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "archive/keyed_values.h"
#include "msgpack/reader.h"
#include "msgpack/writer.h"

namespace cairn::archive {
namespace {

using chunk::Algorithm;
using chunk::Params;

// Names and order of the parameters as archives record them.
void encode_params(const Params& params, msgpack::Writer& writer) {
  const auto numbers = [&](std::initializer_list<std::int64_t> values) {
    writer.array(values.size() + 1);
    writer.str(chunk::name_of(params.algorithm));
    for (const std::int64_t value : values) writer.integer(value);
  };
  switch (params.algorithm) {
    case Algorithm::Buzhash:
      return numbers({params.min_exp, params.max_exp, params.mask_bits, params.window});
    case Algorithm::Buzhash64:
      return numbers({params.min_exp, params.max_exp, params.mask_bits, params.window, params.nc_level});
    case Algorithm::Fixed:
      return numbers({params.block_size, params.header_size});
    case Algorithm::Fail:
      writer.array(3);
      writer.str(chunk::name_of(params.algorithm));
      writer.integer(params.block_size);
      writer.str(params.fail_map);
      return;
    default:
      return numbers({params.min_exp, params.max_exp, params.mask_bits, params.nc_level});
  }
}

std::optional<Algorithm> algorithm_named(std::string_view name) {
  for (const Algorithm algorithm :
       {Algorithm::FastCdc, Algorithm::Buzhash64, Algorithm::Buzhash, Algorithm::ToeplitzAes, Algorithm::RabinAes,
        Algorithm::GoldilocksAes, Algorithm::Fixed, Algorithm::Fail}) {
    if (chunk::name_of(algorithm) == name) return algorithm;
  }
  return std::nullopt;
}

Result<std::vector<std::int64_t>> read_numbers(msgpack::Reader& reader, std::size_t count) {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    CAIRN_TRY(const std::int64_t number, reader.integer());
    numbers.push_back(number);
  }
  return numbers;
}

// Exponents are small; a value that an int cannot hold is damage.
Status assign(std::span<const std::int64_t> numbers, std::initializer_list<int*> to) {
  if (numbers.size() != to.size()) return fail(Code::Integrity, "chunker_params have a wrong number of values");
  std::size_t i = 0;
  for (int* target : to) {
    const std::int64_t number = numbers[i++];
    if (number < INT32_MIN || number > INT32_MAX) return fail(Code::Integrity, "chunker_params are out of range");
    *target = static_cast<int>(number);
  }
  return {};
}

Result<Params> read_params(msgpack::Reader& reader) {
  CAIRN_TRY(const std::size_t count, reader.array());
  if (count == 0) return fail(Code::Integrity, "chunker_params are empty");
  Params params;
  CAIRN_TRY(const msgpack::Type first, reader.peek());
  if (first == msgpack::Type::Integer) {  // the form before chunkers had names
    params.algorithm = Algorithm::Buzhash;
    CAIRN_TRY(const std::vector<std::int64_t> numbers, read_numbers(reader, count));
    CAIRN_CHECKED(assign(numbers, {&params.min_exp, &params.max_exp, &params.mask_bits, &params.window}));
    return params;
  }
  CAIRN_TRY(const std::string_view name, reader.text_or_bin());
  const std::optional<Algorithm> algorithm = algorithm_named(name);
  if (!algorithm) return fail(Code::Integrity, fmt::format("unknown chunker \"{}\"", name));
  params.algorithm = *algorithm;
  if (*algorithm == Algorithm::Fail) {
    if (count != 3) return fail(Code::Integrity, "chunker_params have a wrong number of values");
    CAIRN_TRY(params.block_size, reader.integer());
    CAIRN_TRY(params.fail_map, reader.text_or_bin());
    return params;
  }
  CAIRN_TRY(const std::vector<std::int64_t> numbers, read_numbers(reader, count - 1));
  switch (*algorithm) {
    case Algorithm::Fixed:
      if (numbers.empty() || numbers.size() > 2) {
        return fail(Code::Integrity, "chunker_params have a wrong number of values");
      }
      params.block_size = numbers[0];
      params.header_size = numbers.size() > 1 ? numbers[1] : 0;
      break;
    case Algorithm::Buzhash:
      CAIRN_CHECKED(assign(numbers, {&params.min_exp, &params.max_exp, &params.mask_bits, &params.window}));
      break;
    case Algorithm::Buzhash64:
      CAIRN_CHECKED(
          assign(numbers, {&params.min_exp, &params.max_exp, &params.mask_bits, &params.window, &params.nc_level}));
      break;
    default:
      CAIRN_CHECKED(assign(numbers, {&params.min_exp, &params.max_exp, &params.mask_bits, &params.nc_level}));
      break;
  }
  return params;
}

Status read_text(msgpack::Reader& reader, std::string& to) {
  CAIRN_TRY(const std::string_view text, reader.text_or_bin());
  to = text;
  return {};
}

Status read_optional_text(msgpack::Reader& reader, std::optional<std::string>& to) {
  std::string text;
  CAIRN_CHECKED(read_text(reader, text));
  to = std::move(text);
  return {};
}

Status read_ids(msgpack::Reader& reader, std::vector<ChunkId>& to) {
  CAIRN_TRY(const std::size_t count, reader.array());
  to.clear();
  for (std::size_t i = 0; i < count; ++i) {
    CAIRN_TRY(const std::string_view raw, reader.text_or_bin());
    if (raw.size() != 32) return fail(Code::Integrity, fmt::format("an id has {} bytes instead of 32", raw.size()));
    to.push_back(ChunkId::copy(bytes_of(raw).data()));
  }
  return {};
}

Status read_tags(msgpack::Reader& reader, std::vector<std::string>& to) {
  CAIRN_TRY(const std::size_t count, reader.array());
  to.clear();
  for (std::size_t i = 0; i < count; ++i) {
    CAIRN_TRY(const std::string_view tag, reader.text_or_bin());
    to.emplace_back(tag);
  }
  std::sort(to.begin(), to.end());
  return {};
}

// The keys that an object must have to be taken for an archive, one bit each.
constexpr std::array<std::string_view, 5> kRequired = {"version", "name", "command_line", "time", "item_ptrs"};
constexpr unsigned kAllRequired = (1U << kRequired.size()) - 1;
constexpr unsigned kItemPointersBit = 1U << (kRequired.size() - 1);

unsigned required_bit(std::string_view key) {
  for (std::size_t i = 0; i < kRequired.size(); ++i) {
    if (kRequired[i] == key) return 1U << i;
  }
  return 0;
}

// Reads the value of `key` if it is known, and says whether it is.
Result<bool> read_known(std::string_view key, msgpack::Reader& reader, Metadata& metadata) {
  const auto known = [](Status status) -> Result<bool> {
    if (!status) return fail(std::move(status).error());
    return true;
  };
  const auto read_count = [&](std::optional<std::uint64_t>& to) -> Result<bool> {
    CAIRN_TRY(to, reader.uinteger());
    return true;
  };
  if (key == "version") {
    CAIRN_TRY(const std::uint64_t version, reader.uinteger());
    if (version != 1 && version != 2) {
      return fail(Code::Integrity, fmt::format("unknown archive metadata version {}", version));
    }
    metadata.version = static_cast<int>(version);
    return true;
  }
  if (key == "name") return known(read_text(reader, metadata.name));
  if (key == "item_ptrs") return known(read_ids(reader, metadata.item_ptrs));
  if (key == "command_line") {
    CAIRN_TRY(const msgpack::Type type, reader.peek());
    if (type != msgpack::Type::Array) return known(read_text(reader, metadata.command_line));
    return false;  // Borg 1 has a list of words here; whoever transfers it quotes them
  }
  if (key == "time") return known(read_text(reader, metadata.time));
  if (key == "recreate_command_line") {
    CAIRN_TRY(const msgpack::Type type, reader.peek());
    if (type == msgpack::Type::Array) return false;
    return known(read_optional_text(reader, metadata.recreate_command_line));
  }
  if (key == "cwd") return known(read_optional_text(reader, metadata.cwd));
  if (key == "hostname") return known(read_text(reader, metadata.hostname));
  if (key == "username") return known(read_text(reader, metadata.username));
  if (key == "comment") return known(read_text(reader, metadata.comment));
  if (key == "start") return known(read_optional_text(reader, metadata.start));
  if (key == "end") return known(read_optional_text(reader, metadata.end));
  if (key == "tags") return known(read_tags(reader, metadata.tags));
  if (key == "size") return read_count(metadata.size);
  if (key == "nfiles") return read_count(metadata.nfiles);
  if (key == "chunker_params") {
    CAIRN_TRY(metadata.chunker_params, read_params(reader));
    return true;
  }
  if (key == "tam") return known(reader.skip());
  return false;
}

}  // namespace

void encode(const Metadata& metadata, Buffer& out) {
  // Every pair encoded by itself, so that unknown keys find their places by sorting.
  KeyedValues pairs;
  Buffer scratch;
  const auto add = [&](std::string_view key, const auto& write) {
    scratch.clear();
    msgpack::Writer writer(scratch);
    write(writer);
    pairs.emplace_back(key, text_of(scratch));
  };
  const auto add_text = [&](std::string_view key, std::string_view text) {
    add(key, [&](msgpack::Writer& writer) { writer.str(text); });
  };
  const auto add_count = [&](std::string_view key, std::uint64_t count) {
    add(key, [&](msgpack::Writer& writer) { writer.uinteger(count); });
  };
  add_count("version", static_cast<std::uint64_t>(metadata.version));
  add_text("name", metadata.name);
  add("item_ptrs", [&](msgpack::Writer& writer) {
    writer.array(metadata.item_ptrs.size());
    for (const ChunkId& id : metadata.item_ptrs) writer.bin(id.raw);
  });
  add_text("command_line", metadata.command_line);
  if (metadata.recreate_command_line) add_text("recreate_command_line", *metadata.recreate_command_line);
  if (metadata.cwd) add_text("cwd", *metadata.cwd);
  add_text("hostname", metadata.hostname);
  add_text("username", metadata.username);
  add_text("comment", metadata.comment);
  add_text("time", metadata.time);
  if (metadata.start) add_text("start", *metadata.start);
  if (metadata.end) add_text("end", *metadata.end);
  add("tags", [&](msgpack::Writer& writer) {
    writer.array(metadata.tags.size());
    for (const std::string& tag : metadata.tags) writer.str(tag);
  });
  if (metadata.chunker_params) {
    add("chunker_params", [&](msgpack::Writer& writer) { encode_params(*metadata.chunker_params, writer); });
  }
  if (metadata.size) add_count("size", *metadata.size);
  if (metadata.nfiles) add_count("nfiles", *metadata.nfiles);

  // A key that was read in a form that the struct cannot hold is among the unknown ones, and wins.
  pairs.insert(pairs.end(), metadata.unknown.begin(), metadata.unknown.end());
  sort_by_key(pairs);
  msgpack::Writer writer(out);
  writer.map(pairs.size());
  for (const auto& [key, value] : pairs) {
    writer.str(key);
    writer.raw(bytes_of(value));
  }
}

Result<Metadata> decode_metadata(Bytes bytes) {
  msgpack::Reader reader(bytes);
  CAIRN_TRY(const std::size_t count, reader.map());
  Metadata metadata;
  unsigned seen = 0;
  for (std::size_t i = 0; i < count; ++i) {
    CAIRN_TRY(const std::string_view key, reader.text_or_bin());
    auto known = read_known(key, reader, metadata);
    seen |= required_bit(key);
    if (!known) return fail(std::move(known).error().at(fmt::format("archive metadata key {}", key)));
    if (*known) continue;
    CAIRN_TRY(const Bytes value, reader.raw());
    metadata.unknown.emplace_back(key, text_of(value));
  }
  if (!reader.at_end()) return fail(Code::Integrity, "archive metadata is followed by other bytes");
  if (metadata.version == 1)
    seen |= kItemPointersBit;  // Borg 1 lists its items inline; they stay among the unknown keys
  if (seen != kAllRequired) return fail(Code::Integrity, "archive metadata lacks a required key");
  sort_by_key(metadata.unknown);
  return metadata;
}

}  // namespace cairn::archive

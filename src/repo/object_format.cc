#include "repo/object_format.h"

#include <fmt/format.h>

#include "msgpack/reader.h"
#include "msgpack/writer.h"

namespace cairn::repo {
namespace {
constexpr std::string_view kMagic = "BORG_OBJ";
constexpr std::byte kVersion{2};
}  // namespace

void encode_header(const ObjectHeader& header, std::byte* out) {
  std::memcpy(out, kMagic.data(), kMagic.size());
  out[8] = kVersion;
  std::memcpy(out + 9, header.id.raw.data(), 32);
  store_le<std::uint32_t>(out + 41, header.meta_size);
  store_le<std::uint32_t>(out + 45, header.data_size);
}

Result<ObjectHeader> parse_header(Bytes bytes) {
  if (bytes.size() < kObjectHeaderSize) return fail(Code::Integrity, "object shorter than its header");
  if (text_of(bytes.first(kMagic.size())) != kMagic) return fail(Code::Integrity, "no object header");
  if (bytes[8] != kVersion) {
    return fail(Code::Integrity, fmt::format("unsupported object version {}", std::to_integer<int>(bytes[8])));
  }
  ObjectHeader header{.id = ChunkId::copy(bytes.data() + 9),
                      .meta_size = load_le<std::uint32_t>(bytes.data() + 41),
                      .data_size = load_le<std::uint32_t>(bytes.data() + 45)};
  if (header.meta_size > kMaxMetaSlot || header.object_size() > kMaxObjectSize) {
    return fail(Code::Integrity, "object size inconsistent");
  }
  return header;
}

std::array<std::byte, kSlotAadSize> slot_aad(const ChunkId& stored_id, char slot, const ChunkId& wanted_id) {
  std::array<std::byte, kSlotAadSize> aad;
  std::memcpy(aad.data(), kMagic.data(), kMagic.size());
  aad[8] = kVersion;
  std::memcpy(aad.data() + 9, stored_id.raw.data(), 32);
  aad[41] = static_cast<std::byte>(slot);
  std::memcpy(aad.data() + 42, wanted_id.raw.data(), 32);
  return aad;
}

void encode_meta(const ObjectMeta& meta, Buffer& out) {
  msgpack::Writer writer(out);
  writer.map(4U + (meta.size ? 1U : 0U) + (meta.facts.psize ? 1U : 0U) + (meta.facts.olevel ? 1U : 0U));
  writer.str("type");
  writer.str(std::string_view(&meta.type, 1));
  if (meta.size) {
    writer.str("size");
    writer.uinteger(*meta.size);
  }
  writer.str("ctype");
  writer.uinteger(meta.facts.ctype);
  writer.str("clevel");
  writer.uinteger(meta.facts.clevel);
  writer.str("csize");
  writer.uinteger(meta.facts.csize);
  if (meta.facts.psize) {
    writer.str("psize");
    writer.uinteger(*meta.facts.psize);
  }
  if (meta.facts.olevel) {
    writer.str("olevel");
    writer.uinteger(*meta.facts.olevel);
  }
}

Result<ObjectMeta> decode_meta(Bytes bytes) {
  msgpack::Reader reader(bytes);
  ObjectMeta meta;
  bool has_type = false;
  bool has_ctype = false;
  bool has_csize = false;
  auto byte_value = [&reader]() -> Result<std::uint8_t> {
    CAIRN_TRY(const std::uint64_t value, reader.uinteger());
    if (value > 255) return fail(Code::Integrity, "object metadata: value out of range");
    return static_cast<std::uint8_t>(value);
  };
  CAIRN_TRY(const std::size_t count, reader.map());
  for (std::size_t i = 0; i < count; ++i) {
    CAIRN_TRY(const std::string_view key, reader.text_or_bin());
    if (key == "type") {
      CAIRN_TRY(const std::string_view type, reader.text_or_bin());
      if (type.size() != 1) return fail(Code::Integrity, "object metadata: bad type");
      meta.type = type[0];
      has_type = true;
    } else if (key == "size") {
      CAIRN_TRY(meta.size, reader.uinteger());
    } else if (key == "ctype") {
      CAIRN_TRY(meta.facts.ctype, byte_value());
      has_ctype = true;
    } else if (key == "clevel") {
      CAIRN_TRY(meta.facts.clevel, byte_value());
    } else if (key == "csize") {
      CAIRN_TRY(meta.facts.csize, reader.uinteger());
      has_csize = true;
    } else if (key == "psize") {
      CAIRN_TRY(meta.facts.psize, reader.uinteger());
    } else if (key == "olevel") {
      CAIRN_TRY(meta.facts.olevel, byte_value());
    } else {
      CAIRN_CHECKED(reader.skip());
    }
  }
  if (!has_type || !has_ctype || !has_csize) return fail(Code::Integrity, "object metadata: a key is missing");
  return meta;
}

}  // namespace cairn::repo

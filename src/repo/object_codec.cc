#include "repo/object_codec.h"

#include <cstring>

#include <fmt/format.h>

#include "base/check.h"
#include "exec/memory_bound.h"

namespace cairn::repo {
namespace {

// Where nothing is compressed, sealing and opening an object moves bytes and little else.
bool is_plain(const ObjectMeta& meta) { return meta.facts.ctype == static_cast<std::uint8_t>(compress::Method::None); }

std::size_t touched(bool memory_bound, std::size_t bytes) { return memory_bound ? exec::side_by_side(bytes) : 0; }

}  // namespace

Result<std::size_t> ObjectWriter::prepare(char type, const ChunkId& id, Bytes plain, const compress::Spec& spec,
                                          bool decode_check) {
  // lz4 runs at the speed of memory where it finds nothing, and at a tenth of it where it does.
  const bool only_lz4 = spec.method == compress::Method::Lz4 && !spec.automatic;
  CAIRN_TRY(const compress::Compressed compressed,
            exec::memory_bound(touched(only_lz4 && !lz4_gains_, plain.size()),
                               [&] { return compressor_.compress(spec, plain, type == 'F'); }));
  lz4_gains_ = compressed.payload.data() != plain.data();
  if (decode_check && compressed.payload.data() != plain.data()) {
    const auto decoded = decoder_.decompress(compressed.facts, plain.size(), compressed.payload, decoded_);
    if (!decoded || decoded_.size() != plain.size() || std::memcmp(decoded_.data(), plain.data(), plain.size()) != 0) {
      return fail(Code::Error,
                  fmt::format("chunk {}: what {} made of it does not decode to the same bytes", id.hex(), spec.text()));
    }
  }
  return prepare(id, ObjectMeta{.type = type, .size = plain.size(), .facts = compressed.facts}, compressed.payload);
}

Result<std::size_t> ObjectWriter::prepare(const ChunkId& id, const ObjectMeta& meta, Bytes payload) {
  meta_.clear();
  encode_meta(meta, meta_);
  payload_ = payload;
  payload_is_plain_ = is_plain(meta);
  header_ = ObjectHeader{.id = id,
                         .meta_size = static_cast<std::uint32_t>(meta_.size() + overhead_),
                         .data_size = static_cast<std::uint32_t>(payload.size() + overhead_)};
  if (header_.object_size() > kMaxObjectSize) {
    return fail(Code::Error, fmt::format("object {} would be too large: {} bytes", id.hex(), header_.object_size()));
  }
  return static_cast<std::size_t>(header_.object_size());
}

Status ObjectWriter::write(MutableBytes out) {
  CAIRN_CHECK(out.size() == header_.object_size(), "an object is written into a range of its own size");
  encode_header(header_, out.data());
  // Borg's order of IVs: data first. Readers do not care, but equal sessions then give equal bytes.
  const auto data_aad = slot_aad(header_.id, 'D', header_.id);
  CAIRN_CHECKED(exec::memory_bound(touched(payload_is_plain_, payload_.size()), [&] {
    return sealer_.seal(data_aad, payload_, out.subspan(kObjectHeaderSize + header_.meta_size));
  }));
  const auto meta_aad = slot_aad(header_.id, 'M', header_.id);
  return sealer_.seal(meta_aad, meta_, out.subspan(kObjectHeaderSize, header_.meta_size));
}

Result<ObjectReader::Head> ObjectReader::read_head(Bytes object_start) {
  CAIRN_TRY(const ObjectHeader header, parse_header(object_start));
  if (object_start.size() < kObjectHeaderSize + header.meta_size) {
    return fail(Code::Integrity, "object size inconsistent");
  }
  const auto aad = slot_aad(header.id, 'M', header.id);
  CAIRN_CHECKED(opener_.open(aad, object_start.subspan(kObjectHeaderSize, header.meta_size), meta_));
  CAIRN_TRY(const ObjectMeta meta, decode_meta(meta_));
  if (meta.facts.csize + overhead_ != header.data_size) return fail(Code::Integrity, "object size inconsistent");
  return Head{header, meta};
}

Result<ObjectReader::Payload> ObjectReader::read_payload(Bytes object, const ChunkId& wanted) {
  CAIRN_TRY(const ObjectHeader header, parse_header(object));
  if (header.object_size() != object.size()) return fail(Code::Integrity, "object size inconsistent");
  const auto meta_aad = slot_aad(header.id, 'M', wanted);
  CAIRN_CHECKED(opener_.open(meta_aad, object.subspan(kObjectHeaderSize, header.meta_size), meta_));
  CAIRN_TRY(const ObjectMeta meta, decode_meta(meta_));
  const auto data_aad = slot_aad(header.id, 'D', wanted);
  const Bytes sealed = object.subspan(kObjectHeaderSize + header.meta_size);
  CAIRN_CHECKED(exec::memory_bound(touched(is_plain(meta), sealed.size()),
                                   [&] { return opener_.open(data_aad, sealed, payload_); }));
  if (meta.facts.csize != payload_.size()) return fail(Code::Integrity, "compressed size does not match the metadata");
  return Payload{meta, payload_.view()};
}

Result<ObjectMeta> ObjectReader::read(Bytes object, const ChunkId& wanted, char type, Verify verify, Buffer& plain,
                                      std::optional<std::uint64_t> expected_size) {
  CAIRN_TRY(const Payload payload, read_payload(object, wanted));
  const ObjectMeta& meta = payload.meta;
  if (type != 0 && meta.type != type) {
    return fail(Code::Integrity, fmt::format("ro_type expected: {} got: {}", type, meta.type));
  }
  const auto size = meta.size ? meta.size : expected_size;
  const bool copies = is_plain(meta) || meta.facts.ctype == static_cast<std::uint8_t>(compress::Method::Lz4);
  CAIRN_CHECKED(exec::memory_bound(touched(copies, payload.bytes.size() + size.value_or(0)),
                                   [&] { return compressor_.decompress(meta.facts, size, payload.bytes, plain); }));
  if (expected_size && plain.size() != *expected_size) {
    return fail(Code::Integrity, fmt::format("size is {}, expected {}", plain.size(), *expected_size));
  }
  if (verify == Verify::Id) {
    const bool memory_bound = id_hash_.kind() == hash::IdHashKind::Blake3;
    const ChunkId id = exec::memory_bound(touched(memory_bound, plain.size()), [&] { return id_hash_(plain); });
    if (id != wanted) return fail(Code::Integrity, "id verification failed");
  }
  return meta;
}

Status ObjectReader::authenticate(Bytes object, const ChunkId& wanted) {
  CAIRN_TRY(const Payload payload, read_payload(object, wanted));
  (void)payload;
  return {};
}

}  // namespace cairn::repo

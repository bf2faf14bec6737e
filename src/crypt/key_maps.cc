// Reading and writing the maps of a borg key; see the header.
#include "crypt/key_maps.h"

#include <algorithm>
#include <limits>

#include "msgpack/reader.h"
#include "msgpack/writer.h"

namespace cairn::crypt {

namespace {

// What a hostile repository may ask of us at most: 4 GiB of memory, and 64 GiB filled in all (about a minute).
constexpr std::uint64_t kMaxMemoryKib = std::uint64_t{4} << 20U;
constexpr std::uint64_t kMaxTime = 1000;
constexpr std::uint64_t kMaxLanes = 255;
constexpr std::uint64_t kMaxWorkKib = std::uint64_t{64} << 20U;

constexpr std::size_t kMaxSalt = 1024;
constexpr std::size_t kMaxData = 64 * 1024;

std::unexpected<Error> invalid(std::string_view what) {
  return fail(Code::KeyfileInvalid, "Invalid key data: " + std::string(what) + ".");
}

std::unexpected<Error> unsupported() {
  return fail(Code::UnsupportedKeyFormat,
              "Your Borg key is stored in an unsupported format. Try using a newer version of Borg.");
}

// What msgpack reports as damage is, here, a key that is none.
#define CAIRN_READ(declaration, ...) CAIRN_READ_(CAIRN_CONCAT(cairn_read_, __LINE__), declaration, __VA_ARGS__)
#define CAIRN_READ_(temporary, declaration, ...)          \
  auto temporary = (__VA_ARGS__);                         \
  if (!temporary) return invalid("not the map of a key"); \
  declaration = *temporary

std::optional<Argon2Type> argon2_type(std::string_view name) {
  if (name == "id") return Argon2Type::Id;
  if (name == "i") return Argon2Type::I;
  if (name == "d") return Argon2Type::D;
  return std::nullopt;
}

std::string_view name_of(Argon2Type type) { return type == Argon2Type::Id ? "id" : type == Argon2Type::I ? "i" : "d"; }

}  // namespace

Result<EncryptedKey> parse_encrypted_key(Bytes map) {
  msgpack::Reader reader(map);
  std::optional<std::uint64_t> version, time, memory, lanes;
  std::optional<std::string_view> type, algorithm, label;
  std::optional<Bytes> salt, data;
  CAIRN_READ(const std::size_t count, reader.map());
  for (std::size_t i = 0; i < count; ++i) {
    CAIRN_READ(const std::string_view name, reader.str());
    if (name == "version") {
      CAIRN_READ(version, reader.uinteger());
    } else if (name == "algorithm") {
      CAIRN_READ(algorithm, reader.str());
    } else if (name == "argon2_time_cost") {
      CAIRN_READ(time, reader.uinteger());
    } else if (name == "argon2_memory_cost") {
      CAIRN_READ(memory, reader.uinteger());
    } else if (name == "argon2_parallelism") {
      CAIRN_READ(lanes, reader.uinteger());
    } else if (name == "argon2_type") {
      CAIRN_READ(type, reader.str());
    } else if (name == "salt") {
      CAIRN_READ(salt, reader.bin());
    } else if (name == "data") {
      CAIRN_READ(data, reader.bin());
    } else if (name == "label") {
      CAIRN_READ(label, reader.str());
    } else if (!reader.skip()) {
      return invalid("not the map of a key");
    }
  }
  if (!version || !algorithm || !data) return invalid("a field is missing");
  if (*version != 1 || *algorithm != kKeyAlgorithm) return unsupported();
  if (!time || !memory || !lanes || !type || !salt) return invalid("a field is missing");
  const auto known_type = argon2_type(*type);
  if (!known_type) return unsupported();
  // The lower bounds are those of Argon2 itself.
  if (*time < 1 || *time > kMaxTime || *lanes < 1 || *lanes > kMaxLanes || *memory > kMaxMemoryKib ||
      *memory < 8 * *lanes || *memory * *time > kMaxWorkKib)
    return invalid("the argon2 parameters are out of bounds");
  if (salt->size() < 8 || salt->size() > kMaxSalt) return invalid("the salt has an impossible size");
  if (data->size() < 16 || data->size() > kMaxData) return invalid("the data has an impossible size");

  EncryptedKey key;
  key.algorithm = *algorithm;
  key.costs = {.type = *known_type,
               .time = static_cast<std::uint32_t>(*time),
               .memory_kib = static_cast<std::uint32_t>(*memory),
               .lanes = static_cast<std::uint32_t>(*lanes)};
  key.salt.assign(salt->begin(), salt->end());
  key.data.assign(data->begin(), data->end());
  if (label) key.label = std::string(*label);
  return key;
}

void write_encrypted_key(const EncryptedKey& key, Buffer& out) {
  msgpack::Writer writer(out);
  writer.map(key.label ? 9 : 8);
  writer.str("algorithm");
  writer.str(key.algorithm);
  writer.str("argon2_memory_cost");
  writer.uinteger(key.costs.memory_kib);
  writer.str("argon2_parallelism");
  writer.uinteger(key.costs.lanes);
  writer.str("argon2_time_cost");
  writer.uinteger(key.costs.time);
  writer.str("argon2_type");
  writer.str(name_of(key.costs.type));
  writer.str("data");
  writer.bin(key.data);
  if (key.label) {
    writer.str("label");
    writer.str(*key.label);
  }
  writer.str("salt");
  writer.bin(key.salt);
  writer.str("version");
  writer.uinteger(1);
}

Result<KeyMaterial> parse_key(Bytes map, const RepositoryId& repository) {
  msgpack::Reader reader(map);
  std::optional<std::uint64_t> version;
  std::optional<std::int64_t> chunk_seed;
  std::optional<Bytes> crypt_key, id_key, repository_id;
  CAIRN_READ(const std::size_t count, reader.map());
  for (std::size_t i = 0; i < count; ++i) {
    CAIRN_READ(const std::string_view name, reader.str());
    if (name == "version") {
      CAIRN_READ(version, reader.uinteger());
    } else if (name == "chunk_seed") {
      CAIRN_READ(chunk_seed, reader.integer());
    } else if (name == "crypt_key") {
      CAIRN_READ(crypt_key, reader.bin());
    } else if (name == "id_key") {
      CAIRN_READ(id_key, reader.bin());
    } else if (name == "repository_id") {
      CAIRN_READ(repository_id, reader.bin());
    } else if (!reader.skip()) {
      return invalid("not the map of a key");
    }
  }
  if (!version || !chunk_seed || !crypt_key || !id_key || !repository_id) return invalid("a field is missing");
  if (*version != 1 && *version != 2) return unsupported();
  KeyMaterial material;
  if (crypt_key->size() != material.crypt_key.size() || id_key->size() != material.id_key.size() ||
      repository_id->size() != material.repository_id.raw.size())
    return invalid("a secret has the wrong size");
  if (*chunk_seed < std::numeric_limits<std::int32_t>::min() || *chunk_seed > std::numeric_limits<std::int32_t>::max())
    return invalid("the chunk seed is out of range");
  std::ranges::copy(*crypt_key, material.crypt_key.begin());
  std::ranges::copy(*id_key, material.id_key.begin());
  material.chunk_seed = static_cast<std::int32_t>(*chunk_seed);
  material.repository_id = RepositoryId::copy(repository_id->data());
  if (material.repository_id != repository)
    return fail(Code::KeyfileMismatch, "The key for repository " + repository.hex() +
                                           " holds the secrets of repository " + material.repository_id.hex() + ".");
  return material;
}

void write_key(const KeyMaterial& material, Buffer& out) {
  out.reserve(out.size() + 512);  // so that growing leaves no copy of the secrets behind
  msgpack::Writer writer(out);
  writer.map(5);
  writer.str("chunk_seed");
  writer.integer(material.chunk_seed);
  writer.str("crypt_key");
  writer.bin(material.crypt_key);
  writer.str("id_key");
  writer.bin(material.id_key);
  writer.str("repository_id");
  writer.bin(material.repository_id.bytes());
  writer.str("version");
  writer.uinteger(2);
}

}  // namespace cairn::crypt

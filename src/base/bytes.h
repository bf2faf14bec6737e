// Byte views, strong ids and little-endian access.
//
// Bytes travel as spans (never owning); owners are Buffer, std::string (text in the file system's bytes) and the
// arrays inside ids. Two things with one shape but different meaning are two types.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cairn {

using Bytes = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;

// The bytes of a text, and bytes seen as text (no encoding implied).
inline Bytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }
inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};  // NOLINT: char may alias std::byte
}

template <std::unsigned_integral T>
T load_le(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  if constexpr (std::endian::native == std::endian::big) value = std::byteswap(value);
  return value;
}
template <std::unsigned_integral T>
T load_be(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  if constexpr (std::endian::native == std::endian::little) value = std::byteswap(value);
  return value;
}
template <std::unsigned_integral T>
void store_le(std::byte* to, T value) {
  if constexpr (std::endian::native == std::endian::big) value = std::byteswap(value);
  std::memcpy(to, &value, sizeof value);
}
template <std::unsigned_integral T>
void store_be(std::byte* to, T value) {
  if constexpr (std::endian::native == std::endian::little) value = std::byteswap(value);
  std::memcpy(to, &value, sizeof value);
}

// Lower-case hex of `bytes`; from_hex accepts either case and nothing else, of exactly twice `to.size()` digits.
std::string to_hex(Bytes bytes);
bool from_hex(std::string_view hex, MutableBytes to);

// 32 bytes with a meaning; compares, hashes, prints as hex, converts to nothing else.
template <class Tag>
struct Id256 {
  std::array<std::byte, 32> raw{};

  friend auto operator<=>(const Id256&, const Id256&) = default;
  Bytes bytes() const { return raw; }
  std::string hex() const { return to_hex(raw); }
  static std::optional<Id256> from_hex(std::string_view text) {
    Id256 id;
    if (!cairn::from_hex(text, id.raw)) return std::nullopt;
    return id;
  }
  // `from` must hold 32 bytes.
  static Id256 copy(const std::byte* from) {
    Id256 id;
    std::memcpy(id.raw.data(), from, 32);
    return id;
  }
};

using ChunkId = Id256<struct ChunkIdTag>;            // keyed hash of an object's plaintext; an archive's id is one too
using PackId = Id256<struct PackIdTag>;              // BLAKE3 of a stored pack, its name
using Digest256 = Id256<struct Digest256Tag>;        // a plain 32-byte digest
using RepositoryId = Id256<struct RepositoryIdTag>;  // random name of a repository

// Ids are uniformly distributed already: their first bytes are a hash.
template <class Tag>
struct IdHash {
  std::size_t operator()(const Id256<Tag>& id) const { return load_le<std::uint64_t>(id.raw.data()); }
};

}  // namespace cairn

template <class Tag>
struct std::hash<cairn::Id256<Tag>> : cairn::IdHash<Tag> {};

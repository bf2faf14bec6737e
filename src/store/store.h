// The key-value store below a repository: named values, written whole, read in ranges.
//
// Names     logical: "config/config", "packs/<64 hex>"; the backend nests packs/ by the first two digits. Every name is
//           checked against the rules of docs/format (store, section 2) before use; listed entries that break them are
//           skipped.
// Threads   every operation may be called from any number of threads at once.
// Atomic    a reader sees the old value, the new value or NotFound, never a mixture.
// Durable   put, move and remove are durable once sync() has returned; sync() is cheap when nothing is pending.
// Errors    NotFound (no such object), RepositoryDoesNotExist / RepositoryAlreadyExists (the store itself),
//           PermissionDenied (BORG_REPO_PERMISSIONS), NoSpace, Io; the message names the object.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"

namespace cairn::store {

struct Entry {
  std::string name;  // without the namespace and without ".del"
  std::uint64_t size = 0;
  double mtime = 0;  // seconds since 1970 by the storage's own clock; 0 = it cannot tell
};

struct Info {
  bool exists = false;
  bool directory = false;
  std::uint64_t size = 0;
  double mtime = 0;
};

struct Range {
  std::string name;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

enum class Which { Live, Deleted };  // Deleted: names that carry ".del", given without it

class Store {
 public:
  virtual ~Store() = default;

  // An existing empty place is accepted; anything inside is RepositoryAlreadyExists. Makes all namespaces.
  virtual Status create() = 0;
  virtual Status destroy() = 0;              // everything, recursively
  virtual Status open() = 0;                 // RepositoryDoesNotExist
  virtual std::string location() const = 0;  // for messages

  virtual Result<std::vector<Entry>> list(std::string_view space, Which which = Which::Live) = 0;  // sorted by name
  virtual Result<Info> info(std::string_view name) = 0;  // missing is no error
  // Replaces `out` by the value, or by what exists of the range (short or empty beyond the end).
  virtual Status load(std::string_view name, Buffer& out) = 0;
  virtual Status load_range(std::string_view name, std::uint64_t offset, std::uint64_t size, Buffer& out) = 0;
  virtual Status put(std::string_view name, Bytes value) = 0;
  virtual Status remove(std::string_view name) = 0;
  virtual Status move(std::string_view from, std::string_view to) = 0;  // ".del" may be part of either
  virtual Result<Digest256> hash(std::string_view name) = 0;            // BLAKE3 of the value
  virtual Status sync() = 0;
};

// Name rules.
bool is_valid_name(std::string_view name);
std::string nested(std::string_view name);  // "packs/58aa.." -> "packs/58/58aa.."
inline constexpr std::string_view kNamespaces[] = {"archives", "cache", "config", "index", "keys", "locks", "packs"};

}  // namespace cairn::store

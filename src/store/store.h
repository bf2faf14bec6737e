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
#include <span>
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

struct Quota {
  std::uint64_t limit = 0;
  std::uint64_t usage = 0;
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

  // What follows has an answer that fits every backend; one that knows better overrides it.

  // Names alone, sorted: spares a look at every object where the backend would need one for size and mtime.
  virtual Result<std::vector<std::string>> list_names(std::string_view space, Which which = Which::Live);
  // The ranges one after another; each must exist in full (Integrity otherwise: a short read).
  virtual Status gather(std::span<const Range> ranges, Buffer& out);
  // Gathers the ranges into a new object of packs/, named by the BLAKE3 of its content. Sources stay.
  virtual Result<PackId> defrag(std::span<const Range> ranges);
  // Limit and usage in bytes; nothing where no quota is set.
  virtual Result<std::optional<Quota>> quota() { return std::nullopt; }
  // Removes what interrupted writers left (*.tmp older than a day by the storage's clock) and says how many. Only under
  // an exclusive lock.
  virtual Result<std::uint64_t> remove_stale_temporaries() { return 0; }
  // The letters (section 7: l list, r read, w write new, W overwrite, D delete) that BORG_REPO_PERMISSIONS grants on a
  // name or namespace ("packs").
  virtual std::string granted(std::string_view name) const;
  // True if any of `letters` is granted.
  bool permits(std::string_view name, std::string_view letters) const {
    return granted(name).find_first_of(letters) != std::string::npos;
  }
};

// Name rules (names.cc).
bool is_valid_name(std::string_view name);                                      // the empty name is the root
std::string nested(std::string_view name);                                      // "packs/58aa.." -> "packs/58/58aa.."
std::string unnested(std::string_view path);                                    // the way back
std::string_view space_of(std::string_view name);                               // "packs/58aa.." -> "packs"
Status check_any_name(std::string_view name);                                   // valid
Status check_object_name(std::string_view name);                                // valid, "space/key", a known space
Status check_space(std::string_view space);                                     // a known space
bool key_of_entry(std::string_view entry, Which which, std::string_view& key);  // false: not one of `which`
inline constexpr std::string_view kNamespaces[] = {"archives", "cache", "config", "index", "keys", "locks", "packs"};

}  // namespace cairn::store

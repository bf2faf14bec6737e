// What differs between two states of one path.
// Source: docs/format (archive, section 10; cli, section 10.11).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "archive/item.h"
#include "base/clock.h"

namespace cairn::ops {

enum class Presence { Changed, Added, Removed };
enum class NodeKind { Link, Directory, BlockDevice, CharacterDevice, Fifo };

template <class T>
struct BeforeAfter {
  T before{}, after{};
};

struct Owner {
  std::optional<std::string> user{}, group{};  // numbers as text with numeric ids
  friend bool operator==(const Owner&, const Owner&) = default;
};

struct ContentChange {
  bool known = true;  // false: the content differs, nobody counted by how much
  std::uint64_t added = 0, removed = 0;
};

struct ItemChanges {
  std::string path;
  Presence presence = Presence::Changed;
  std::optional<ContentChange> content{};
  std::optional<NodeKind> node{};  // of what came or went; Link also if it points elsewhere now
  std::optional<BeforeAfter<Owner>> owner{};
  std::optional<BeforeAfter<std::uint32_t>> mode{};
  std::optional<BeforeAfter<Nanoseconds>> ctime{}, mtime{};

  bool any() const { return content || node || owner || mode || ctime || mtime; }
};

struct CompareOptions {
  bool numeric_ids = false;
  bool content_only = false;
};

// Differences beside content.
bool same_metadata(const archive::Item& before, const archive::Item& after, const CompareOptions& options);
bool same_chunks(const archive::Item& before, const archive::Item& after);

// All differences of a pair, of which one may be missing. `content` is what is known of two files' content.
ItemChanges compare_items(const archive::Item* before, const archive::Item* after, const CompareOptions& options,
                          std::optional<ContentChange> content);

}  // namespace cairn::ops

#include "ops/item_changes.h"

#include <sys/stat.h>

#include "base/check.h"

namespace cairn::ops {
namespace {

std::optional<NodeKind> kind_of(const archive::Item& item) {
  switch (item.mode & S_IFMT) {
    case S_IFLNK:
      return NodeKind::Link;
    case S_IFDIR:
      return NodeKind::Directory;
    case S_IFBLK:
      return NodeKind::BlockDevice;
    case S_IFCHR:
      return NodeKind::CharacterDevice;
    case S_IFIFO:
      return NodeKind::Fifo;
    default:
      return std::nullopt;
  }
}

std::optional<std::string> number_text(const std::optional<std::int64_t>& id) {
  if (!id) return std::nullopt;
  return std::to_string(*id);
}

Owner owner_of(const archive::Item& item, const CompareOptions& options) {
  if (options.numeric_ids) return {.user = number_text(item.uid), .group = number_text(item.gid)};
  return {.user = item.user, .group = item.group};
}

bool same_owner(const archive::Item& before, const archive::Item& after, const CompareOptions& options) {
  if (options.numeric_ids) return before.uid == after.uid && before.gid == after.gid;
  return before.user == after.user && before.group == after.group;
}

std::uint64_t content_bytes(const archive::Item& item) {
  std::uint64_t sum = 0;
  for (const archive::ChunkRef& chunk : *item.chunks) sum += chunk.size;
  return sum;
}

}  // namespace

bool same_metadata(const archive::Item& before, const archive::Item& after, const CompareOptions& options) {
  if (before.target != after.target) return false;
  if (options.content_only) return true;
  return before.mode == after.mode && before.ctime == after.ctime && before.mtime == after.mtime &&
         same_owner(before, after, options);
}

bool same_chunks(const archive::Item& before, const archive::Item& after) {
  // Content appears or goes only together with the type, which is metadata.
  return !before.chunks || !after.chunks || *before.chunks == *after.chunks;
}

ItemChanges compare_items(const archive::Item* before, const archive::Item* after, const CompareOptions& options,
                          std::optional<ContentChange> content) {
  CAIRN_CHECK(before != nullptr || after != nullptr, "a pair without items");
  if (before == nullptr || after == nullptr) {
    const archive::Item& only = before == nullptr ? *after : *before;
    ItemChanges changes{.path = only.path, .presence = before == nullptr ? Presence::Added : Presence::Removed};
    changes.node = kind_of(only);
    if (only.chunks) {
      ContentChange& change = changes.content.emplace();
      (before == nullptr ? change.added : change.removed) = content_bytes(only);
    }
    return changes;
  }
  ItemChanges changes{.path = before->path};
  changes.content = content;
  if (before->target && after->target && before->target != after->target) changes.node = NodeKind::Link;
  if (options.content_only) return changes;
  if (!same_owner(*before, *after, options)) changes.owner = {owner_of(*before, options), owner_of(*after, options)};
  if (before->mode != after->mode) changes.mode = {before->mode, after->mode};
  if (before->ctime && after->ctime && before->ctime != after->ctime) changes.ctime = {*before->ctime, *after->ctime};
  if (before->mtime != after->mtime) changes.mtime = {before->mtime, after->mtime};
  return changes;
}

}  // namespace cairn::ops

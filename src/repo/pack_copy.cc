#include "repo/pack_copy.h"

#include <algorithm>

#include <fmt/format.h>

#include "exec/memory_bound.h"
#include "hash/blake3.h"
#include "repo/pack_walk.h"

namespace cairn::repo {
namespace {

constexpr std::uint64_t kPiece = std::uint64_t{1} << 20U;

std::string pack_name(const PackId& pack) { return fmt::format("packs/{}", pack.hex()); }

}  // namespace

bool are_disjoint(std::span<const PackObject> sorted, std::uint64_t pack_size) {
  std::uint64_t end = 0;
  for (const PackObject& object : sorted) {
    if (object.offset < end || object.size < kObjectHeaderSize) return false;
    end = std::uint64_t{object.offset} + object.size;
  }
  return end <= pack_size;
}

// Collects every object of the gaps whose header and metadata are genuine.
Status PackCopier::walk_gaps(const PackId& pack, std::uint64_t size, std::span<const PackObject> indexed, Gaps& gaps) {
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i <= indexed.size(); ++i) {
    const std::uint64_t end = i < indexed.size() ? indexed[i].offset : size;
    if (begin < end) {
      CAIRN_TRY(
          const WalkResult walked,
          walk_pack(repository_.store(), pack_name(pack), begin, end, reader_.get(), [&](const WalkedObject& object) {
            gaps.kept.push_back({.id = object.id,
                                 .offset = static_cast<std::uint32_t>(object.offset),
                                 .size = static_cast<std::uint32_t>(object.size)});
          }));
      if (walked.damaged_ranges > 0) gaps.damaged = true;
    }
    if (i < indexed.size()) begin = end + indexed[i].size;
  }
  return {};
}

Result<Gaps> PackCopier::survey_gaps(const PackId& pack, std::uint64_t size, std::span<const PackObject> indexed,
                                     const std::function<bool(const PackId&)>& present) {
  Gaps gaps;
  CAIRN_CHECKED(walk_gaps(pack, size, indexed, gaps));
  std::erase_if(gaps.kept, [&](const PackObject& object) {
    const auto elsewhere = repository_.index().find(object.id);
    if (!elsewhere || !present(elsewhere->pack)) return false;
    gaps.superseded_bytes += object.size;
    ++gaps.superseded_objects;
    return true;
  });
  return gaps;
}

// The copy may move while we look: another worker rewrites its pack.
Result<bool> PackCopier::indexed_copy_is_good(const ChunkId& id) {
  constexpr int kAttempts = 4;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const auto location = repository_.index().find(id);
    if (!location) return false;
    auto status = repository_.store().load_range(pack_name(location->pack), location->offset, location->size, object_);
    if (status) return reader_->authenticate(object_, id).has_value();
    if (status.error().code() == Code::Io) return false;  // unreadable is no good copy
    if (status.error().code() != Code::NotFound) return fail(std::move(status).error());
  }
  return false;
}

Result<Gaps> PackCopier::examine_gaps(const PackId& pack, std::uint64_t size, std::span<const PackObject> indexed) {
  Gaps found;
  CAIRN_CHECKED(walk_gaps(pack, size, indexed, found));
  Gaps gaps{.kept = {}, .damaged = found.damaged};
  for (const PackObject& object : found.kept) {
    bool superfluous = false;
    if (repository_.index().contains(object.id)) {
      superfluous = !repository_.index().is_used(object.id);  // then no copy is needed
      if (!superfluous) {
        CAIRN_TRY(superfluous, indexed_copy_is_good(object.id));
      }
    }
    if (superfluous) {
      gaps.superseded_bytes += object.size;
      ++gaps.superseded_objects;
      continue;
    }
    CAIRN_CHECKED(repository_.store().load_range(pack_name(pack), object.offset, object.size, object_));
    if (reader_->authenticate(object_, object.id)) {
      gaps.kept.push_back(object);
    } else {
      gaps.damaged = true;
    }
  }
  return gaps;
}

Result<bool> PackCopier::append(const PackId& pack, std::uint64_t size, std::span<const PackObject> objects,
                                bool gaps_damaged, std::string& why) {
  const std::size_t start = output_.size();
  const std::size_t moved_before = moved_.size();
  const std::string name = pack_name(pack);
  auto give_up = [&](std::string reason) {
    output_.resize(start);
    moved_.resize(moved_before);
    why = std::move(reason);
    return false;
  };
  hash::Blake3 hasher;
  std::size_t next = 0;
  for (std::uint64_t offset = 0; offset < size;) {
    CAIRN_TRY(const bool read, [&]() -> Result<bool> {
      auto status = repository_.store().load_range(name, offset, std::min(kPiece, size - offset), piece_);
      if (status) return true;
      if (status.error().code() != Code::Io && status.error().code() != Code::NotFound) {
        return fail(std::move(status).error());
      }
      why = status.error().text();
      return false;
    }());
    if (!read) return give_up(std::move(why));
    if (piece_.empty()) return give_up("it is shorter than listed");
    exec::memory_bound(exec::side_by_side(piece_.size()), [&] { hasher.update(piece_); });
    const std::uint64_t end = offset + piece_.size();
    // The parts of kept objects that lie in this piece. An object may go on in the next one.
    while (next < objects.size()) {
      const PackObject& object = objects[next];
      const std::uint64_t object_end = std::uint64_t{object.offset} + object.size;
      const std::uint64_t from = std::max<std::uint64_t>(object.offset, offset);
      const std::uint64_t to = std::min(object_end, end);
      if (from >= to) break;
      if (from == object.offset && object.indexed) {
        moved_.push_back({.id = object.id, .offset = static_cast<std::uint32_t>(output_.size()), .size = object.size});
      }
      output_.append(piece_.view(static_cast<std::size_t>(from - offset), static_cast<std::size_t>(to - from)));
      if (object_end > end) break;
      ++next;
    }
    offset = end;
  }
  if (next < objects.size()) return give_up("it ends before its last object");
  // The index must speak of this pack: a copy by wrong offsets would lose objects.
  std::size_t place = start;
  for (const PackObject& object : objects) {
    const auto header = parse_header(output_.view(place, object.size));
    if (!header || header->id != object.id || header->object_size() != object.size) {
      return give_up(fmt::format("chunk {} is not where the index says", object.id.hex()));
    }
    place += object.size;
  }
  if (hasher.finish().raw == pack.raw) return true;

  // Not what was written. Only what is proven genuine may go on.
  if (gaps_damaged) return give_up("its content does not match its name, and damage lies outside of indexed objects");
  std::size_t at = start;
  for (const PackObject& object : objects) {
    if (auto status = reader_->authenticate(output_.view(at, object.size), object.id); !status) {
      return give_up(fmt::format("chunk {} is damaged: {}", object.id.hex(), status.error().message()));
    }
    at += object.size;
  }
  return true;
}

}  // namespace cairn::repo

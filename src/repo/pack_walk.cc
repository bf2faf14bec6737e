#include "repo/pack_walk.h"

#include <algorithm>
#include <optional>

namespace cairn::repo {
namespace {

constexpr std::uint64_t kHeadWindow = std::uint64_t{16} << 10U;  // usually holds a header and its metadata slot
constexpr std::uint64_t kSearchWindow = std::uint64_t{1} << 20U;
constexpr std::string_view kMagic = "BORG_OBJ";

// A moving view of a pack, so that neighbouring small objects cost one read.
class Window {
 public:
  Window(const LoadRange& load, std::uint64_t end) : load_(load), end_(end) {}

  // At least `wanted` bytes at `offset`, or what exists up to the end.
  Result<Bytes> at(std::uint64_t offset, std::uint64_t wanted, std::uint64_t window) {
    const std::uint64_t available = std::min(wanted, end_ - std::min(end_, offset));
    if (offset < start_ || offset + available > start_ + bytes_.size()) {
      CAIRN_CHECKED(load_(offset, std::min(std::max(window, wanted), end_ - offset), bytes_));
      start_ = offset;
    }
    return bytes_.view().subspan(static_cast<std::size_t>(offset - start_));
  }

 private:
  const LoadRange& load_;
  const std::uint64_t end_;
  std::uint64_t start_ = 0;
  Buffer bytes_;
};

// The object at `offset`, if there is a genuine one that ends within the pack.
Result<std::optional<WalkedObject>> object_at(Window& window, std::uint64_t offset, std::uint64_t end,
                                              ObjectReader* reader) {
  if (end - offset < kObjectHeaderSize) return std::nullopt;
  CAIRN_TRY(Bytes bytes, window.at(offset, kObjectHeaderSize, kHeadWindow));
  const auto header = parse_header(bytes);
  if (!header || header->object_size() > end - offset) return std::nullopt;
  WalkedObject object{.id = header->id, .offset = offset, .size = header->object_size(), .meta = {}};
  if (reader != nullptr) {
    CAIRN_TRY(bytes, window.at(offset, kObjectHeaderSize + header->meta_size, kHeadWindow));
    const auto head = reader->read_head(bytes);
    if (!head) return std::nullopt;
    object.meta = head->meta;
  }
  return object;
}

// The next offset behind `from` where the magic stands, or `end`.
Result<std::uint64_t> next_magic(Window& window, std::uint64_t from, std::uint64_t end) {
  while (from < end && end - from >= kObjectHeaderSize) {
    // What the window holds already is searched first: payloads may be full of the magic.
    CAIRN_TRY(const Bytes bytes, window.at(from, kObjectHeaderSize, kSearchWindow));
    const auto found = text_of(bytes).find(kMagic);
    if (found != std::string_view::npos) return from + found;
    if (bytes.size() < kMagic.size()) break;
    from += bytes.size() - (kMagic.size() - 1);
  }
  return end;
}

}  // namespace

Result<WalkResult> walk_pack(store::Store& store, const std::string& pack_name, std::uint64_t begin, std::uint64_t end,
                             ObjectReader* reader, const std::function<void(const WalkedObject&)>& visit) {
  return walk_pack([&](std::uint64_t offset, std::uint64_t size,
                       Buffer& out) { return store.load_range(pack_name, offset, size, out); },
                   begin, end, reader, visit);
}

Result<WalkResult> walk_pack(const LoadRange& load, std::uint64_t begin, std::uint64_t end, ObjectReader* reader,
                             const std::function<void(const WalkedObject&)>& visit) {
  WalkResult result;
  Window window(load, end);
  std::uint64_t offset = begin;
  while (offset < end) {
    CAIRN_TRY(auto object, object_at(window, offset, end, reader));
    if (object) {
      visit(*object);
      ++result.objects;
      offset += object->size;
      continue;
    }
    const std::uint64_t damage = offset;
    ++result.damaged_ranges;
    bool found = false;
    while (reader != nullptr && !found) {
      CAIRN_TRY(offset, next_magic(window, offset + 1, end));
      if (offset >= end) break;
      CAIRN_TRY(object, object_at(window, offset, end, reader));
      found = object.has_value();
    }
    if (!found) offset = end;
    result.damaged_bytes += offset - damage;
  }
  return result;
}

}  // namespace cairn::repo

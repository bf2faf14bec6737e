#include "archive/item_stream.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "msgpack/reader.h"
#include "msgpack/writer.h"

namespace cairn::archive {
namespace {

// The stream is cut each time that more than this has been gathered.
constexpr std::size_t kFlushBytes = std::size_t{8} << 20;

bool is_key_character(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

// Whether an item may start here: a map whose first key is made of small letters, digits and underscores. What the end
// of `bytes` cuts off counts as fitting.
bool may_start_item(Bytes bytes) {
  const auto at = [&](std::size_t i) { return std::to_integer<std::uint8_t>(bytes[i]); };
  std::size_t key = 1;
  if (at(0) == 0xde) {
    key = 3;
  } else if (at(0) <= 0x80 || at(0) > 0x8f) {
    return false;
  }
  if (key >= bytes.size()) return true;
  std::size_t length = 0;
  if (at(key) > 0xa0 && at(key) <= 0xbf) {
    length = at(key) & 0x1fU;
    key += 1;
  } else if (at(key) == 0xd9) {
    if (key + 1 >= bytes.size()) return true;
    length = at(key + 1);
    key += 2;
  } else {
    return false;
  }
  const std::string_view name = text_of(bytes.subspan(key, std::min(length, bytes.size() - key)));
  return std::all_of(name.begin(), name.end(), is_key_character);
}

// Whether an incomplete map looks like an item as far as it goes: all keys are names. A stray byte that looks like a
// map of many entries would otherwise swallow what follows.
bool looks_like_item(Bytes bytes) {
  msgpack::Reader reader(bytes);
  const auto count = reader.map();
  if (!count) return true;
  for (std::size_t i = 0; i < *count && !reader.at_end(); ++i) {
    const auto type = reader.peek();
    if (type && *type != msgpack::Type::Str) return false;
    const auto key = reader.str();
    if (!key) return true;
    if (!std::all_of(key->begin(), key->end(), is_key_character)) return false;
    if (reader.at_end() || !reader.skip()) return true;
  }
  return true;
}

bool has_mtime(Bytes encoded) {
  msgpack::Reader reader(encoded);
  const auto count = reader.map();
  if (!count) return false;
  for (std::size_t i = 0; i < *count; ++i) {
    const auto key = reader.text_or_bin();
    if (!key) return false;
    if (*key == "mtime") return true;
    if (!reader.skip()) return false;
  }
  return false;
}

}  // namespace

ItemStreamWriter::ItemStreamWriter(const chunk::Cutter& item_cutter, StoreObject store)
    : cutter_(item_cutter), store_(std::move(store)) {}

Status ItemStreamWriter::add(Bytes encoded_item) {
  buffer_.append(encoded_item);
  if (buffer_.size() <= kFlushBytes) return {};
  const std::size_t before = buffer_.size();
  CAIRN_CHECKED(flush(false));
  early_bytes_ += before - buffer_.size();
  return {};
}

// Cuts the whole buffer from a fresh state. The last chunk stays in the buffer, unless everything must go or it is the
// only one.
Status ItemStreamWriter::flush(bool everything) {
  const Bytes all = buffer_.view();
  std::size_t start = 0;
  while (start < all.size()) {
    chunk::Scan scan;
    const Bytes rest = all.subspan(start);
    std::size_t length = cutter_.cut(rest, true, start == 0, scan);
    if (length == 0) length = rest.size();
    if (length == rest.size() && !everything && start > 0) break;
    CAIRN_TRY(const ChunkId id, store_('S', rest.first(length)));
    ids_.push_back(id);
    start += length;
  }
  if (start < all.size()) {
    Buffer tail;
    tail.append(all.subspan(start));
    buffer_.clear();
    buffer_.append(tail);
  } else {
    buffer_.clear();
  }
  return {};
}

Result<std::vector<ChunkId>> ItemStreamWriter::finish() {
  final_bytes_ = buffer_.size();
  CAIRN_CHECKED(flush(true));
  std::vector<ChunkId> pointers;
  Buffer object;
  for (std::size_t start = 0; start < ids_.size(); start += kIdsPerPointerObject) {
    const std::size_t count = std::min(kIdsPerPointerObject, ids_.size() - start);
    object.clear();
    msgpack::Writer writer(object);
    writer.array(count);
    for (std::size_t i = 0; i < count; ++i) writer.bin(ids_[start + i].raw);
    pointer_bytes_ += object.size();
    CAIRN_TRY(const ChunkId id, store_('C', object));
    pointers.push_back(id);
  }
  return pointers;
}

Status ItemDecoder::feed(Bytes object, const std::function<Status(Item&&)>& on_item) {
  Bytes bytes = object;
  Buffer joined;
  if (!pending_.empty()) {
    pending_.append(object);
    joined = std::move(pending_);
    bytes = joined.view();
  }
  auto used = take_items(bytes, on_item);
  if (!used) return fail(std::move(used).error());
  if (!joined.empty() && *used == 0) {
    pending_ = std::move(joined);
  } else {
    keep(bytes, *used);
  }
  return {};
}

// Returns how many bytes are done with; scan_ then stands in the incomplete item that follows.
Result<std::size_t> ItemDecoder::take_items(Bytes bytes, const std::function<Status(Item&&)>& on_item) {
  std::size_t position = 0;
  while (position < bytes.size()) {
    if (searching_) {
      position += find_item(bytes.subspan(position));
      if (searching_) return position;
    }
    const Bytes rest = bytes.subspan(position);
    // An empty map is no item, and anything but a map is damage; both are known from the first byte.
    const auto type = std::to_integer<std::uint8_t>(rest[0]);
    const bool is_map = (type > 0x80 && type <= 0x8f) || type == 0xde || type == 0xdf;
    const ValueScan::State state = is_map ? scan_.advance(rest) : ValueScan::State::Damaged;
    if (state == ValueScan::State::Incomplete) return position;
    Item item;
    Status status = state == ValueScan::State::Complete ? decode_complete(rest.first(scan_.position()), item)
                                                        : Status(fail(Code::Integrity, "the item stream is damaged"));
    if (!status) {
      damaged_ = true;
      keep(bytes, position);
      return fail(std::move(status).error());
    }
    position += scan_.position();
    scan_ = {};
    CAIRN_CHECKED(on_item(std::move(item)));
  }
  return position;
}

// Looks for the next item. Returns how many bytes come before it or before a place where one may start that needs more
// bytes; searching_ tells which.
std::size_t ItemDecoder::find_item(Bytes bytes) {
  std::size_t position = 0;
  for (; position < bytes.size(); ++position) {
    const Bytes rest = bytes.subspan(position);
    if (!may_start_item(rest)) continue;
    ValueScan scan;
    const ValueScan::State state = scan.advance(rest);
    if (state == ValueScan::State::Damaged) continue;
    if (state == ValueScan::State::Incomplete) {
      if (!looks_like_item(rest)) continue;
      break;
    }
    Item item;
    const Bytes encoded = rest.first(scan.position());
    if (!decode_complete(encoded, item) || !has_mtime(encoded)) continue;
    searching_ = false;
    scan_ = {};
    break;
  }
  skipped_ += position;
  return position;
}

void ItemDecoder::keep(Bytes bytes, std::size_t from) {
  Buffer rest;
  rest.append(bytes.subspan(from));
  pending_ = std::move(rest);
}

Status ItemDecoder::finish() const {
  if (pending_.empty()) return {};
  return fail(Code::Integrity,
              fmt::format("the item stream ends with {} bytes of an incomplete item", pending_.size()));
}

void ItemDecoder::resynchronize() {
  // An item that was seen to be damaged is stepped over; one that was cut off cannot go on.
  const std::size_t drop = damaged_ ? std::min<std::size_t>(1, pending_.size()) : pending_.size();
  skipped_ += drop;
  Buffer rest;
  rest.append(pending_.view().subspan(drop));
  pending_ = std::move(rest);
  scan_ = {};
  searching_ = true;
  damaged_ = false;
}

Result<std::vector<ChunkId>> decode_pointers(Bytes plaintext) {
  msgpack::Reader reader(plaintext);
  CAIRN_TRY(const std::size_t count, reader.array());
  std::vector<ChunkId> ids;
  for (std::size_t i = 0; i < count; ++i) {
    CAIRN_TRY(const Bytes raw, reader.bin());
    if (raw.size() != 32) return fail(Code::Integrity, fmt::format("an id has {} bytes instead of 32", raw.size()));
    ids.push_back(ChunkId::copy(raw.data()));
  }
  if (!reader.at_end()) return fail(Code::Integrity, "a pointer object is followed by other bytes");
  return ids;
}

}  // namespace cairn::archive

#include "ops/known_members.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/buffer.h"
#include "hash/blake3.h"

namespace cairn::ops {
namespace {

constexpr std::size_t kFirstSlots = 1024;
constexpr std::size_t kBlock = 256;  // slots of a run that are read together
constexpr std::size_t kSlotSize = 16;

// A record: the name's hash, a byte that says whether the member was left out, the size of what follows, an item.
constexpr std::size_t kHashSize = 32, kRecordHead = kHashSize + 1 + 4;

// Shorter than many a path, and no two have the same.
Digest256 name_hash(const std::string& name) { return hash::blake3(bytes_of(name)); }
std::uint64_t key_of(const Digest256& hash) { return load_le<std::uint64_t>(hash.raw.data()); }

}  // namespace

Status KnownMembers::remember(const std::string& name, const archive::Item& item) {
  archive::Item facts;
  facts.mode = item.mode;
  if (S_ISREG(item.mode)) {
    facts.chunks = item.chunks;
    facts.digests = item.digests;
  } else {
    facts.target = item.target;
    facts.rdev = item.rdev;
  }
  return add(name_hash(name), false, facts);
}

Status KnownMembers::remember_skipped(const std::string& name) { return add(name_hash(name), true, {}); }

Status KnownMembers::add(const Digest256& name, bool skipped, const archive::Item& facts) {
  Buffer encoded;
  archive::Item item = facts;
  item.path = "-";  // every item has one
  archive::encode(item, encoded);
  std::array<std::byte, kRecordHead> head;
  std::ranges::copy(name.raw, head.begin());
  head[kHashSize] = std::byte{skipped};
  store_le(head.data() + kHashSize + 1, static_cast<std::uint32_t>(encoded.size()));
  const Slot slot{.key = key_of(name), .place = records_.size() + 1};
  CAIRN_CHECKED(records_.append(head));
  CAIRN_CHECKED(records_.append(encoded));
  return insert(slot);
}

// A name that comes again takes the place of the one before. Two names with the same 8 bytes do so too: find() will not
// mistake one for the other, and whoever made them on purpose has a link without content.
Status KnownMembers::insert(Slot slot) {
  if (4 * (used_ + 1) > 3 * slots_.size()) {
    if (slots_.size() < most_slots_) {
      grow();
    } else {
      CAIRN_CHECKED(write_run());
    }
  }
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = static_cast<std::size_t>(slot.key) & mask;
  while (slots_[at].place != 0 && slots_[at].key != slot.key) at = (at + 1) & mask;
  if (slots_[at].place == 0) ++used_;
  slots_[at] = slot;
  return {};
}

void KnownMembers::grow() {
  const std::vector<Slot> old =
      std::exchange(slots_, std::vector<Slot>(std::max(std::min(kFirstSlots, most_slots_), 2 * slots_.size())));
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.place == 0) continue;
    std::size_t at = static_cast<std::size_t>(slot.key) & mask;
    while (slots_[at].place != 0) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

Status KnownMembers::write_run() {
  std::erase_if(slots_, [](const Slot& slot) { return slot.place == 0; });
  std::ranges::sort(slots_, {}, &Slot::key);
  Run run{.offset = written_.size(), .count = slots_.size()};
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (i % kBlock == 0) run.first_keys.push_back(slots_[i].key);
    std::array<std::byte, kSlotSize> bytes;
    store_le(bytes.data(), slots_[i].key);
    store_le(bytes.data() + 8, slots_[i].place);
    CAIRN_CHECKED(written_.append(bytes));
  }
  runs_.push_back(std::move(run));
  slots_.assign(most_slots_, {});
  used_ = 0;
  return {};
}

Result<std::uint64_t> KnownMembers::find_in(const Run& run, std::uint64_t key) const {
  const auto after = std::ranges::upper_bound(run.first_keys, key);
  if (after == run.first_keys.begin()) return 0;
  const std::size_t begin = static_cast<std::size_t>(after - run.first_keys.begin() - 1) * kBlock;
  const std::size_t count = std::min(kBlock, run.count - begin);
  std::array<std::byte, kBlock * kSlotSize> bytes;
  CAIRN_CHECKED(written_.read(run.offset + begin * kSlotSize, std::span(bytes).first(count * kSlotSize)));
  for (std::size_t i = 0; i < count; ++i) {
    if (load_le<std::uint64_t>(&bytes[i * kSlotSize]) == key) return load_le<std::uint64_t>(&bytes[i * kSlotSize + 8]);
  }
  return 0;
}

Result<std::uint64_t> KnownMembers::find_place(std::uint64_t key) const {
  if (!slots_.empty()) {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = static_cast<std::size_t>(key) & mask; slots_[at].place != 0; at = (at + 1) & mask) {
      if (slots_[at].key == key) return slots_[at].place;
    }
  }
  for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
    CAIRN_TRY(const std::uint64_t place, find_in(*run, key));
    if (place != 0) return place;
  }
  return 0;
}

Result<KnownMembers::Found> KnownMembers::find(const std::string& name, archive::Item& item) const {
  const Digest256 hash = name_hash(name);
  CAIRN_TRY(const std::uint64_t place, find_place(key_of(hash)));
  if (place == 0) return Found::Nothing;
  std::array<std::byte, kRecordHead> head;
  CAIRN_CHECKED(records_.read(place - 1, head));
  if (!std::ranges::equal(Bytes(head).first(kHashSize), Bytes(hash.raw))) return Found::Nothing;
  if (head[kHashSize] != std::byte{0}) return Found::Skipped;
  Buffer encoded(load_le<std::uint32_t>(head.data() + kHashSize + 1));
  CAIRN_CHECKED(records_.read(place - 1 + kRecordHead, encoded.span()));
  archive::Item known;
  CAIRN_CHECKED(archive::decode_complete(encoded, known));
  if (!S_ISREG(known.mode)) {
    item.mode = (known.mode & S_IFMT) | (item.mode & 07777U);
    item.target = std::move(known.target);
    item.rdev = known.rdev;
    return Found::Special;
  }
  item.chunks = std::move(known.chunks);
  if (!item.chunks) item.chunks.emplace();
  std::uint64_t size = 0;
  for (const archive::ChunkRef& chunk : *item.chunks) size += chunk.size;
  item.size = size;
  if (known.digests) item.digests = std::move(known.digests);
  return Found::Content;
}

}  // namespace cairn::ops

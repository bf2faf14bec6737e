#include "ops/item_pairs.h"

#include <array>
#include <compare>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "fs/scratch_file.h"
#include "ops/waiting_items.h"

namespace cairn::ops {
namespace {

// When a pair is reported: pairs by the step of the walk that completes them, then single items of the second archive,
// then those of the first one, by their places.
struct Order {
  std::uint8_t phase = 0;
  std::uint64_t number = 0;
  friend auto operator<=>(const Order&, const Order&) = default;
};
constexpr std::uint8_t kPairs = 0, kOnlyAfter = 1, kOnlyBefore = 2;

Order order_of_pair(std::uint64_t place, Side later) {
  return {.phase = kPairs, .number = 2 * place + (later == Side::After ? 1 : 0)};
}

Side other(Side side) { return side == Side::Before ? Side::After : Side::Before; }

// What a comparison looks at; the rest may be large.
void reduce(archive::Item& item) {
  item.atime.reset();
  item.birthtime.reset();
  item.inode.reset();
  item.bsdflags.reset();
  item.xattrs.reset();
  item.acl_access.reset();
  item.acl_default.reset();
  item.acl_nfs4.reset();
  item.acl_extended.reset();
  item.hlid.reset();
  item.rdev.reset();
  item.digests.reset();
  item.unknown.clear();
}

std::string encoded(archive::Item& item) {
  reduce(item);
  Buffer buffer;
  archive::encode(item, buffer);
  return std::string(text_of(buffer));
}

Result<archive::Item> decoded(std::string_view bytes) {
  archive::Item item;
  CAIRN_CHECKED(archive::decode_complete(bytes_of(bytes), item));
  return item;
}

using OnEncodedPair = std::function<Status(Order, const std::string* before, const std::string* after)>;

// One item against those that wait.
Status pair_up(WaitingItems& waiting, Side side, std::uint64_t place, const std::string& path, std::string&& bytes,
               const OnEncodedPair& on_pair) {
  const auto partner = waiting.take(other(side), path);
  if (!partner) {
    waiting.add(side, path, {.place = place, .encoded = std::move(bytes)});
    return {};
  }
  const bool later_is_after = side == Side::After;
  return on_pair(order_of_pair(place, side), later_is_after ? &partner->encoded : &bytes,
                 later_is_after ? &bytes : &partner->encoded);
}

Status report_single(WaitingItems& waiting, const OnEncodedPair& on_pair) {
  for (const auto& [path, entry] : waiting.take_all(Side::After))
    CAIRN_CHECKED(on_pair({.phase = kOnlyAfter, .number = entry.place}, nullptr, &entry.encoded));
  for (const auto& [path, entry] : waiting.take_all(Side::Before))
    CAIRN_CHECKED(on_pair({.phase = kOnlyBefore, .number = entry.place}, &entry.encoded, nullptr));
  return {};
}

Status write_number(fs::ScratchFile& file, std::uint64_t number) {
  std::array<std::byte, 8> bytes;
  store_le(bytes.data(), number);
  return file.write(bytes);
}
Result<std::uint64_t> read_number(fs::ScratchFile& file) {
  std::array<std::byte, 8> bytes;
  CAIRN_CHECKED(file.read(bytes));
  return load_le<std::uint64_t>(bytes.data());
}
Status write_text(fs::ScratchFile& file, std::string_view text) {
  CAIRN_CHECKED(write_number(file, text.size()));
  return file.write(bytes_of(text));
}
Status read_text(fs::ScratchFile& file, std::string& text) {
  CAIRN_TRY(const std::uint64_t size, read_number(file));
  text.resize(size);
  return file.read(std::as_writable_bytes(std::span(text)));
}

// A sequence of pairs in their order, written and then read once.
class Run {
 public:
  Status write(Order order, const std::string* before, const std::string* after) {
    CAIRN_CHECKED(write_number(file_, order.phase));
    CAIRN_CHECKED(write_number(file_, order.number));
    CAIRN_CHECKED(write_text(file_, before != nullptr ? *before : std::string_view()));
    return write_text(file_, after != nullptr ? *after : std::string_view());
  }
  Status rewind() { return file_.rewind(); }
  // Moves to the next pair; false at the end.
  Result<bool> advance() {
    if (file_.at_end()) return false;
    CAIRN_TRY(const std::uint64_t phase, read_number(file_));
    CAIRN_TRY(order_.number, read_number(file_));
    order_.phase = static_cast<std::uint8_t>(phase);
    CAIRN_CHECKED(read_text(file_, before_));
    CAIRN_CHECKED(read_text(file_, after_));
    return true;
  }
  Order order() const { return order_; }
  const std::string* before() const { return before_.empty() ? nullptr : &before_; }
  const std::string* after() const { return after_.empty() ? nullptr : &after_; }

 private:
  static constexpr std::size_t kBuffer = 32768;
  fs::ScratchFile file_{kBuffer};
  Order order_;
  std::string before_, after_;  // no item is empty
};

}  // namespace

struct ItemPairs::Waiting {
  WaitingItems items;
};

// The way through temporary files. Parts hold the items of some paths each, in the order in which they came, so that
// pairing a part gives its pairs in the right order.
class ItemPairs::Spill {
 public:
  explicit Spill(const IsSame& is_same) : is_same_(is_same), runs_(1) {
    for (std::size_t i = 0; i < kParts; ++i) parts_.emplace_back(kPartBuffer);
  }
  Status add(Side side, std::uint64_t place, const std::string& path, std::string_view bytes) {
    fs::ScratchFile& part = parts_[std::hash<std::string>()(path) % kParts];
    CAIRN_CHECKED(write_number(part, 2 * place + (side == Side::After ? 1 : 0)));
    return write_text(part, bytes);
  }
  Status add_pair(std::uint64_t place, const std::string& before, const std::string& after) {
    return runs_.front().write({.phase = kPairs, .number = 2 * place}, &before, &after);
  }
  Status pair_parts() {
    for (fs::ScratchFile& part : parts_) {
      Run run;
      CAIRN_CHECKED(pair_part(part, run));
      {
        const fs::ScratchFile done(std::move(part));
      }
      runs_.push_back(std::move(run));
    }
    return {};
  }
  Status merge(const OnEncodedPair& on_pair) {
    const auto later = [](const Run* a, const Run* b) { return a->order() > b->order(); };
    std::priority_queue<Run*, std::vector<Run*>, decltype(later)> heads(later);
    for (Run& run : runs_) {
      CAIRN_CHECKED(run.rewind());
      CAIRN_TRY(const bool more, run.advance());
      if (more) heads.push(&run);
    }
    while (!heads.empty()) {
      Run* run = heads.top();
      heads.pop();
      CAIRN_CHECKED(on_pair(run->order(), run->before(), run->after()));
      CAIRN_TRY(const bool more, run->advance());
      if (more) heads.push(run);
    }
    return {};
  }

 private:
  static constexpr std::size_t kParts = 256, kPartBuffer = 32768;

  Status pair_part(fs::ScratchFile& part, Run& run) {
    WaitingItems waiting;
    const OnEncodedPair keep = [&](Order order, const std::string* before, const std::string* after) -> Status {
      if (before != nullptr && after != nullptr) {
        CAIRN_TRY(const archive::Item first, decoded(*before));
        CAIRN_TRY(const archive::Item second, decoded(*after));
        if (is_same_(first, second)) return {};
      }
      return run.write(order, before, after);
    };
    CAIRN_CHECKED(part.rewind());
    while (!part.at_end()) {
      CAIRN_TRY(const std::uint64_t place, read_number(part));
      std::string bytes;
      CAIRN_CHECKED(read_text(part, bytes));
      CAIRN_TRY(const archive::Item item, decoded(bytes));
      CAIRN_CHECKED(
          pair_up(waiting, place % 2 != 0 ? Side::After : Side::Before, place / 2, item.path, std::move(bytes), keep));
    }
    return report_single(waiting, keep);
  }

  const IsSame& is_same_;
  std::vector<fs::ScratchFile> parts_;
  std::vector<Run> runs_;  // the first one: pairs that stood at the same place
};

ItemPairs::ItemPairs(IsSame is_same, OnPair on_pair, std::size_t memory_limit)
    : is_same_(std::move(is_same)),
      on_pair_(std::move(on_pair)),
      memory_limit_(memory_limit),
      waiting_(std::make_unique<Waiting>()) {}

ItemPairs::~ItemPairs() = default;

Status ItemPairs::spill() {
  spill_ = std::make_unique<Spill>(is_same_);
  for (const Side side : {Side::Before, Side::After}) {
    for (const auto& [path, entry] : waiting_->items.take_all(side))
      CAIRN_CHECKED(spill_->add(side, entry.place, path, entry.encoded));
  }
  return {};
}

Status ItemPairs::add(std::optional<archive::Item> before, std::optional<archive::Item> after) {
  const std::uint64_t place = place_++;
  if (before && after && before->path == after->path) {
    if (is_same_(*before, *after)) return {};
    if (!spill_) return on_pair_(&*before, &*after);
    return spill_->add_pair(place, encoded(*before), encoded(*after));
  }
  const OnEncodedPair on_pair = [&](Order, const std::string* first, const std::string* second) -> Status {
    CAIRN_TRY(const archive::Item one, decoded(*first));
    CAIRN_TRY(const archive::Item two, decoded(*second));
    return is_same_(one, two) ? Status() : on_pair_(&one, &two);
  };
  for (const auto& [side, item] : {std::pair(Side::Before, &before), std::pair(Side::After, &after)}) {
    if (!*item) continue;
    const std::string path = (*item)->path;
    if (spill_) {
      CAIRN_CHECKED(spill_->add(side, place, path, encoded(**item)));
    } else {
      CAIRN_CHECKED(pair_up(waiting_->items, side, place, path, encoded(**item), on_pair));
    }
  }
  if (!spill_ && waiting_->items.memory() > memory_limit_) return spill();
  return {};
}

Status ItemPairs::finish() {
  const OnEncodedPair on_pair = [&](Order, const std::string* first, const std::string* second) -> Status {
    std::optional<archive::Item> before, after;
    if (first != nullptr) {
      CAIRN_TRY(before, decoded(*first));
    }
    if (second != nullptr) {
      CAIRN_TRY(after, decoded(*second));
    }
    return on_pair_(before ? &*before : nullptr, after ? &*after : nullptr);
  };
  if (!spill_) return report_single(waiting_->items, on_pair);
  CAIRN_CHECKED(spill_->pair_parts());
  return spill_->merge(on_pair);
}

}  // namespace cairn::ops

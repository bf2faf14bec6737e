#include "ops/items_ahead.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace cairn::ops {
namespace {

constexpr std::size_t kMostEntries = 4096;
constexpr std::size_t kMostChunks = 65536;

}  // namespace

// The content of the first entry, chunk by chunk.
class ItemsAhead::Content final : public Source {
 public:
  Content(ItemsAhead& ahead, const Entry& entry) : ahead_(ahead), entry_(entry) {}

  Result<std::size_t> read(MutableBytes out) override {
    while (at_ == plain_.size()) {
      if (next_ == entry_.chunks.size()) return 0;
      if (!plain_.empty()) ahead_.chunks_.give_back(std::move(plain_));
      ahead_.ask();
      auto chunk = ahead_.chunks_.pop();
      ++next_;
      at_ = 0;
      plain_ = {};
      if (!chunk.plain) return fail(std::move(chunk.plain).error().at(entry_.item.path));
      plain_ = std::move(*chunk.plain);
    }
    const std::size_t count = std::min(out.size(), plain_.size() - at_);
    std::memcpy(out.data(), plain_.data() + at_, count);
    at_ += count;
    return count;
  }
  // What was asked for and not read.
  void pass() {
    for (; next_ < entry_.asked; ++next_) (void)ahead_.chunks_.pop();
  }

 private:
  ItemsAhead& ahead_;
  const Entry& entry_;
  std::size_t next_ = 0;
  Buffer plain_;
  std::size_t at_ = 0;
};

Status ItemsAhead::add(archive::Item&& item) {
  Entry entry;
  if (item.chunks) entry.chunks = *item.chunks;
  entry.item = std::move(item);
  waiting_ += entry.chunks.size();
  entries_.push_back(std::move(entry));
  return use_items(false);
}

void ItemsAhead::ask() {
  for (; next_asked_ < entries_.size(); ++next_asked_) {
    Entry& entry = entries_[next_asked_];
    for (; entry.asked < entry.chunks.size(); ++entry.asked) {
      const archive::ChunkRef& chunk = entry.chunks[entry.asked];
      if (!chunks_.has_room(chunk.size)) return;
      chunks_.push(chunk);
    }
  }
}

Status ItemsAhead::use_items(bool all) {
  while (!entries_.empty()) {
    ask();
    // Everything is asked for and there is room for more: the next item first.
    const bool wants_more = next_asked_ == entries_.size() && entries_.size() < kMostEntries &&
                            waiting_ < kMostChunks && !chunks_.empty() && chunks_.has_room(0);
    if (!all && wants_more) return {};
    Entry& entry = entries_.front();
    Content content(*this, entry);
    archive::Item item = entry.item;
    CAIRN_CHECKED(use_(std::move(item), content));
    content.pass();
    waiting_ -= entry.chunks.size();
    entries_.pop_front();
    if (next_asked_ > 0) --next_asked_;
  }
  return {};
}

}  // namespace cairn::ops

#include "fs/text_sorter.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <queue>

#include "base/check.h"

namespace cairn::fs {
namespace {

constexpr std::size_t kHead = 8;  // two sizes

struct Sizes {
  std::size_t key, text;
};
Sizes sizes_at(const std::byte* head) { return {load_le<std::uint32_t>(head), load_le<std::uint32_t>(head + 4)}; }

std::uint64_t start_of(std::string_view key) {
  std::array<std::byte, 8> start{};
  const std::size_t size = std::min(start.size(), key.size());
  if (size > 0) std::memcpy(start.data(), key.data(), size);
  return load_be<std::uint64_t>(start.data());
}

}  // namespace

Status TextSorter::add(std::string_view key, std::string_view text) {
  CAIRN_CHECK(key.size() <= UINT32_MAX && text.size() <= UINT32_MAX, "a text of 4 GiB");
  places_.push_back({.key_start = start_of(key), .offset = records_.size()});
  std::array<std::byte, kHead> head;
  store_le(head.data(), static_cast<std::uint32_t>(key.size()));
  store_le(head.data() + 4, static_cast<std::uint32_t>(text.size()));
  records_.append(head);
  records_.append(bytes_of(key));
  records_.append(bytes_of(text));
  return records_.size() + places_.size() * sizeof(Place) > memory_limit_ ? spill() : Status();
}

std::string_view TextSorter::key_at(std::size_t offset) const {
  const std::byte* head = records_.data() + offset;
  return text_of(Bytes(head + kHead, sizes_at(head).key));
}

void TextSorter::sort() {
  std::ranges::sort(places_, [this](const Place& a, const Place& b) {
    if (a.key_start != b.key_start) return a.key_start < b.key_start;
    const int order = key_at(a.offset).compare(key_at(b.offset));
    return order != 0 ? order < 0 : a.offset < b.offset;
  });
}

Status TextSorter::spill() {
  sort();
  for (const Place& place : places_) {
    const Sizes sizes = sizes_at(records_.data() + place.offset);
    CAIRN_CHECKED(file_.append(records_.view(place.offset, kHead + sizes.key + sizes.text)));
  }
  run_ends_.push_back(file_.size());
  records_.clear();
  places_.clear();
  return {};
}

// Reads one sorted part of the file.
class TextSorter::Run {
 public:
  Run(const ScratchLog& file, std::size_t number, std::uint64_t begin, std::uint64_t end)
      : file_(file), number_(number), position_(begin), end_(end) {}

  // False at the end.
  Result<bool> advance() {
    used_ += record_;
    record_ = 0;
    if (position_ - (buffer_.size() - used_) == end_) return false;
    CAIRN_CHECKED(fill(kHead));
    const Sizes sizes = sizes_at(buffer_.data() + used_);
    record_ = kHead + sizes.key + sizes.text;
    CAIRN_CHECKED(fill(record_));
    key_ = text_of(buffer_.view(used_ + kHead, sizes.key));
    text_ = text_of(buffer_.view(used_ + kHead + sizes.key, sizes.text));
    return true;
  }
  std::string_view text() const { return text_; }
  // As a heap wants it: the largest is the next one.
  static bool is_later(const Run* a, const Run* b) {
    const int order = a->key_.compare(b->key_);
    return order != 0 ? order > 0 : a->number_ > b->number_;
  }

 private:
  static constexpr std::size_t kBuffer = 65536;

  // At least `size` bytes from `used_` on.
  Status fill(std::size_t size) {
    const std::size_t have = buffer_.size() - used_;
    if (have >= size) return {};
    if (have > 0) std::memmove(buffer_.data(), buffer_.data() + used_, have);
    used_ = 0;
    const auto more =
        static_cast<std::size_t>(std::min<std::uint64_t>(end_ - position_, std::max(size, kBuffer) - have));
    buffer_.resize(have + more);
    CAIRN_CHECKED(file_.read(position_, buffer_.span().subspan(have)));
    position_ += more;
    CAIRN_CHECK(have + more >= size, "a run that ends within a record");
    return {};
  }

  const ScratchLog& file_;
  const std::size_t number_;
  std::uint64_t position_;  // what the buffer takes next
  const std::uint64_t end_;
  Buffer buffer_;
  std::size_t used_ = 0, record_ = 0;  // of the buffer; of it, the current record
  std::string_view key_, text_;
};

Status TextSorter::finish(const std::function<Status(std::string_view text)>& use) {
  if (run_ends_.empty()) {
    sort();
    for (const Place& place : places_) {
      const Sizes sizes = sizes_at(records_.data() + place.offset);
      CAIRN_CHECKED(use(text_of(records_.view(place.offset + kHead + sizes.key, sizes.text))));
    }
    return {};
  }
  CAIRN_CHECKED(spill());
  records_ = Buffer();
  places_ = {};
  std::vector<Run> runs;
  runs.reserve(run_ends_.size());
  std::priority_queue<Run*, std::vector<Run*>, decltype(&Run::is_later)> heads(&Run::is_later);
  std::uint64_t begin = 0;
  for (const std::uint64_t end : run_ends_) {
    Run& run = runs.emplace_back(file_, runs.size(), begin, end);
    begin = end;
    CAIRN_TRY(const bool more, run.advance());
    if (more) heads.push(&run);
  }
  while (!heads.empty()) {
    Run* run = heads.top();
    heads.pop();
    CAIRN_CHECKED(use(run->text()));
    CAIRN_TRY(const bool more, run->advance());
    if (more) heads.push(run);
  }
  return {};
}

}  // namespace cairn::fs

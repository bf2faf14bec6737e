#include "repo/pack_writer.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/env.h"
#include "exec/delay.h"
#include "exec/memory_bound.h"
#include "hash/blake3.h"
#include "repo/index_fragments.h"
#include "repo/object_format.h"

namespace cairn::repo {

struct Pack {
  struct Object {
    ChunkId id;
    std::uint32_t offset, size;
  };
  Buffer bytes;  // reserved once for the largest pack; never moves while ranges are open
  std::size_t size = 0;
  std::vector<Object> objects;
  PackNumber number = 0;
  unsigned open_ranges = 0;
  bool closed = false;
};

namespace {

Result<std::optional<std::uint64_t>> number_from(const char* variable) {
  const auto text = env_nonempty(variable);
  if (!text) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || end != text->data() + text->size() || value == 0) {
    return fail(Code::Error, fmt::format("{} must be a positive integer, but is: '{}'", variable, *text));
  }
  return value;
}

}  // namespace

Result<PackLimits> pack_limits_from_environment(unsigned threads) {
  PackLimits limits;
  limits.buffers = threads <= 4 ? 2 : 3;
  CAIRN_TRY(const auto size, number_from("BORG_PACK_MAX_SIZE"));
  CAIRN_TRY(const auto count, number_from("BORG_PACK_MAX_COUNT"));
  // A count alone means no size limit in Borg; packs stay below what its readers handle all the same.
  constexpr std::uint64_t kLargest = 1'000'000'000;
  if (size) {
    limits.max_size = std::min(*size, kLargest);
  } else if (count) {
    limits.max_size = std::max<std::uint64_t>(limits.max_size, std::min(*count * kMaxObjectSize, kLargest / 5));
  }
  if (count) limits.max_count = *count;
  return limits;
}

PackWriter::PackWriter(store::Store& store, ChunkIndex& index, const PackLimits& limits,
                       std::function<Status()> may_store)
    : store_(store), index_(index), limits_(limits), may_store_(std::move(may_store)) {}
PackWriter::~PackWriter() = default;

Status PackWriter::failed() const {
  if (error_) return std::unexpected<Error>(error_->clone());
  return {};
}

Result<PackWriter::Range> PackWriter::reserve(const ChunkId& id, std::size_t size) {
  std::unique_lock lock(mutex_);
  while (true) {
    CAIRN_CHECKED(failed());
    if (filling_ != nullptr) break;
    if (free_.empty() && packs_.size() < limits_.buffers) {
      packs_.push_back(std::make_unique<Pack>());
      packs_.back()->bytes.reserve(limits_.max_size + kMaxObjectSize);
      free_.push_back(packs_.back().get());
    }
    if (!free_.empty()) {
      filling_ = free_.back();
      free_.pop_back();
      filling_->size = 0;
      filling_->objects.clear();
      filling_->closed = false;
      filling_->number = index_.new_pack();
      break;
    }
    changed_.wait(lock);
  }
  Pack* pack = filling_;
  const auto offset = static_cast<std::uint32_t>(pack->size);
  pack->size += size;
  pack->bytes.resize(pack->size);
  pack->objects.push_back({id, offset, static_cast<std::uint32_t>(size)});
  ++pack->open_ranges;
  if (pack->size >= limits_.max_size || pack->objects.size() >= limits_.max_count) {
    pack->closed = true;
    filling_ = nullptr;
    ++busy_;
  }
  return Range{pack, offset, pack->bytes.span().subspan(offset, size), pack->closed};
}

Status PackWriter::commit(const Range& range, const exec::Spare& spare) {
  exec::hand_over();
  std::unique_lock lock(mutex_);
  Pack* pack = range.pack;
  --pack->open_ranges;
  if (!pack->closed || pack->open_ranges > 0) {
    if (pack->open_ranges == 0) changed_.notify_all();  // flush() may wait to close it
    return failed();
  }
  return close_and_store(lock, pack, spare);
}

void PackWriter::abandon(const Range& range, Error error) {
  {
    const std::lock_guard lock(mutex_);
    --range.pack->open_ranges;
    if (!error_) error_.emplace(std::move(error));
    if (range.pack->closed && range.pack->open_ranges == 0) --busy_;
  }
  changed_.notify_all();
}

// With the lock held on entry and exit, but not while hashing and storing.
Status PackWriter::close_and_store(std::unique_lock<std::mutex>& lock, Pack* pack, const exec::Spare& spare) {
  Status status = failed();
  if (status) {
    lock.unlock();
    const PackId id = exec::memory_bound(exec::side_by_side(pack->bytes.size()),
                                         [&] { return PackId::copy(hash::blake3(pack->bytes, spare).raw.data()); });
    if (may_store_) status = may_store_();
    if (status) status = store_.put(fmt::format("packs/{}", id.hex()), pack->bytes);
    if (status) {
      for (const Pack::Object& object : pack->objects)
        index_.place(object.id, pack->number, object.offset, object.size);
      index_.name_pack(pack->number, id);
    }
    lock.lock();
    if (status) {
      for (const Pack::Object& object : pack->objects) {
        append_row({object.id, Location{id, object.offset, object.size}}, unsaved_rows_);
      }
      ++stored_packs_;
      stored_bytes_ += pack->size;
    } else if (!error_) {
      error_.emplace(status.error().clone());
    }
  }
  --busy_;
  free_.push_back(pack);
  changed_.notify_all();
  return status;
}

Status PackWriter::flush() {
  std::unique_lock lock(mutex_);
  while (filling_ != nullptr && filling_->open_ranges > 0 && !error_) changed_.wait(lock);
  CAIRN_CHECKED(failed());
  if (filling_ != nullptr && filling_->size > 0) {
    Pack* pack = filling_;
    pack->closed = true;
    filling_ = nullptr;
    ++busy_;
    CAIRN_CHECKED(close_and_store(lock, pack, exec::no_spare()));
  }
  while (busy_ > 0 && !error_) changed_.wait(lock);
  return failed();
}

Buffer PackWriter::take_unsaved_rows() {
  const std::lock_guard lock(mutex_);
  return std::move(unsaved_rows_);
}

std::uint64_t PackWriter::stored_packs() const {
  const std::lock_guard lock(mutex_);
  return stored_packs_;
}
std::uint64_t PackWriter::stored_bytes() const {
  const std::lock_guard lock(mutex_);
  return stored_bytes_;
}

}  // namespace cairn::repo

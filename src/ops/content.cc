#include "ops/content.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "chunk/segments.h"
#include "exec/memory_bound.h"
#include "exec/memory_read.h"
#include "exec/threads.h"
#include "fs/node.h"

namespace cairn::ops {
namespace {

constexpr std::size_t kSlabSize = std::size_t{8} << 20U;
// Read and cut in pieces that stay in a core's cache between the two.
constexpr std::size_t kReadStep = std::size_t{256} << 10U;

// Cutting together scans a third more bytes than cutting alone, since nothing is skipped, and hands them between cores:
// with one helper that costs more processor time than it saves in time, so two must be idle. Shorter windows are not
// worth the wake-ups.
constexpr unsigned kLeastHelpers = 2;
constexpr std::size_t kLeastWindow = std::size_t{4} << 20U;
// Content that is longer than this gets threads started for it, even if no task waits for one.
constexpr std::uint64_t kLongContent = std::uint64_t{32} << 20U;
constexpr unsigned kUsefulHelpers = 7;
// Idle threads beyond the number of processors could only take turns with the reader.
bool has_processors_for_helpers() {
  static const bool enough = exec::default_threads() > kLeastHelpers;
  return enough;
}

// While reading takes more than so many times as long as cutting, the device is the limit, and help gains nothing.
constexpr std::int64_t kSlowReading = 2;

struct Read {
  static constexpr exec::StageInfo info{.name = "read", .load = exec::Load::Io};
  Source& source;
  Result<std::size_t> operator()(MutableBytes out) const { return source.read(out); }
};

struct Cut {
  static constexpr exec::StageInfo info{.name = "cut", .load = exec::Load::Memory};
  const chunk::Cutter& cutter;
  std::size_t operator()(Bytes chunk, bool final, bool first, chunk::Scan& scan) const {
    return cutter.cut(chunk, final, first, scan);
  }
};

struct CutTogether {
  static constexpr exec::StageInfo info{.name = "cut together", .load = exec::Load::Memory};
  const chunk::Cutter& cutter;
  std::vector<std::size_t> operator()(Bytes window, bool final, bool first, const exec::Spare& helpers) const {
    return chunk::cut_buffer(cutter, window, final, first, helpers);
  }
};

}  // namespace

// The zeros are outside of the budget: a reader that holds a slab must not wait for a second one.
std::size_t zero_cut(const chunk::Cutter& cutter) {
  Buffer zeros(cutter.max_chunk() + 1);
  std::memset(zeros.data(), 0, zeros.size());
  chunk::Scan scan;
  return cutter.cut(zeros, false, false, scan);
}

Result<std::size_t> FileSource::read(MutableBytes out) {
  if (sparse_ && position_ < data_end_) {
    // Up to the next hole, which zeros_ahead() then reports.
    out = out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), data_end_ - position_)));
  }
  while (true) {
    const auto stream = static_cast<std::size_t>(std::min<std::uint64_t>(size_, kSlabSize));
    const ssize_t count = exec::read_at(fd_, out, position_, exec::side_by_side(stream));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(os_error(errno, shown_));
    position_ += static_cast<std::uint64_t>(count);
    return static_cast<std::size_t>(count);
  }
}

Result<std::uint64_t> FileSource::zeros_ahead() {
  if (!sparse_ || position_ >= size_) return 0;
  if (position_ >= data_start_ && position_ < data_end_) return 0;
  CAIRN_TRY(const fs::DataRange range, fs::next_data(fd_, position_, size_, shown_));
  data_start_ = range.start;
  data_end_ = range.end;
  return range.start > position_ ? range.start - position_ : 0;
}

std::size_t Content::begin_chunk() {
  open_.fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  chunks_.emplace_back();
  return chunks_.size() - 1;
}

void Content::end_chunk(std::size_t number, const repo::StoredChunk& chunk, exec::Worker& worker) {
  {
    const std::lock_guard lock(mutex_);
    chunks_[number] = {.id = chunk.id, .size = chunk.size};
    size_ += chunk.size;
    if (chunk.is_new) new_bytes_ += chunk.size;
  }
  release(worker);
}

void Content::finish(Done done, exec::Worker& worker) {
  done_ = std::move(done);
  release(worker);
}

void Content::release(exec::Worker& worker) {
  if (open_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (Done done = std::move(done_)) done(worker);
}

Status store_single(exec::Worker& worker, const ContentContext& context, Bytes bytes,
                    const std::shared_ptr<Content>& content) {
  const std::size_t number = content->begin_chunk();
  const auto stored = chunk::is_zero(bytes) ? context.chunks.store_zeros(worker, bytes.size())
                                            : context.chunks.store(worker, 'F', bytes);
  if (!stored) return std::unexpected<Error>(stored.error().clone());
  content->end_chunk(number, *stored, worker);
  return {};
}

Status read_content(exec::Worker& worker, const ContentContext& context, Source& source,
                    const std::shared_ptr<Content>& content, exec::StageClock& clock,
                    std::vector<hash::Digest>& digests) {
  const chunk::Cutter& cutter = context.cutter;
  const std::size_t slab_size = std::max(kSlabSize, cutter.max_chunk() + kReadStep);
  auto slab = std::make_shared<exec::Lease>(context.budget.acquire(worker, slab_size));
  std::size_t start = 0;  // of the chunk under way
  std::size_t fill = 0;
  bool first = true;
  bool final = false;
  std::size_t cut_in_zeros = 0;
  chunk::Scan scan;
  std::uint64_t total = 0;
  exec::StageClock reading;
  const std::int64_t cut_before = clock.nanoseconds;
  const bool may_split =
      cutter.segmented() != nullptr &&
      (context.helpers != nullptr || (context.pool.threads() > kLeastHelpers && has_processors_for_helpers()));

  auto run_chunk = [&context, content](std::size_t number, const std::function<Result<repo::StoredChunk>()>& store,
                                       exec::Worker& on) {
    // A stopped run commits nothing, but what waits for this chunk must learn that it is over.
    Result<repo::StoredChunk> stored = context.stop.requested() ? repo::StoredChunk{} : store();
    if (!stored) {
      context.stop.fail(std::move(stored).error());
      stored = repo::StoredChunk{};
    }
    content->end_chunk(number, *stored, on);
  };
  auto emit = [&](std::size_t length) {
    const std::size_t number = content->begin_chunk();
    auto store = [&context, run_chunk, slab, number, start, length](exec::Worker& on) {
      const Bytes bytes = slab->buffer().view(start, length);
      run_chunk(
          number,
          [&] {
            const bool zeros = exec::memory_bound(exec::side_by_side(length), [&] { return chunk::is_zero(bytes); });
            return zeros ? context.chunks.store_zeros(on, length) : context.chunks.store(on, 'F', bytes);
          },
          on);
    };
    context.pool.submit(worker, exec::Lane::Finish, std::move(store), context.chunks.load());
    start += length;
    first = false;
  };

  while (!final) {
    if (context.stop.requested()) return context.stop.result();
    // A hole that is longer than any chunk: its chunks are known without looking.
    CAIRN_TRY(std::uint64_t zeros, source.zeros_ahead());
    if (zeros > 0 && !first && digests.empty() && chunk::is_zero(slab->buffer().view(start, fill - start))) {
      if (cut_in_zeros == 0) cut_in_zeros = zero_cut(cutter);
      const std::uint64_t at_hand = fill - start;
      std::uint64_t passed = 0;
      while (at_hand + zeros - passed > cutter.max_chunk() && cut_in_zeros > 0) {
        const std::size_t number = content->begin_chunk();
        run_chunk(number, [&] { return context.chunks.store_zeros(worker, cut_in_zeros); }, worker);
        passed += cut_in_zeros;
      }
      if (passed > 0) {
        scan = {};
        start += static_cast<std::size_t>(std::min(passed, at_hand));
        const std::uint64_t skipped = passed - std::min(passed, at_hand);
        source.skip_zeros(skipped);
        zeros -= skipped;
      }
    }
    if (fill == slab_size) {
      // The unfinished chunk moves to the start of another slab. It waits in a buffer of its own, so that nobody holds
      // one slab while waiting for the next.
      Buffer carry;
      carry.append(slab->buffer().view(start, fill - start));
      slab.reset();
      slab = std::make_shared<exec::Lease>(context.budget.acquire(worker, slab_size));
      if (!carry.empty()) std::memcpy(slab->buffer().data(), carry.data(), carry.size());
      fill = carry.size();
      start = 0;
    }
    const exec::Spare& helpers = context.helpers != nullptr ? *context.helpers : worker.spare();
    const bool slow_reading = reading.nanoseconds > kSlowReading * (clock.nanoseconds - cut_before);
    const bool together =
        may_split && !slow_reading && slab_size - fill >= kLeastWindow && helpers.helpers() >= kLeastHelpers;
    const std::size_t step = together ? slab_size - fill : std::min(kReadStep, slab_size - fill);
    const MutableBytes room = slab->buffer().span().subspan(fill, step);
    const std::size_t old_fill = fill;
    if (zeros > 0) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(zeros, step));
      std::memset(room.data(), 0, count);
      source.skip_zeros(count);
      fill += count;
    } else {
      CAIRN_TRY(const std::size_t count, exec::run_stage(Read{source}, reading, 0, room));
      final = count == 0;
      fill += count;
    }
    for (hash::Digest& digest : digests) digest.update(slab->buffer().view(old_fill, fill - old_fill));
    total += fill - old_fill;
    if (may_split && total > kLongContent) context.pool.expect_helpers(kUsefulHelpers);
    // All readers work on slabs that are about as full as this one.
    const std::size_t touched = exec::side_by_side(fill);
    if (together && fill - old_fill >= kLeastWindow) {
      const std::vector<std::size_t> lengths = exec::memory_bound(worker, touched, [&] {
        return exec::run_stage(CutTogether{cutter}, clock, touched, slab->buffer().view(start, fill - start), final,
                               first, helpers);
      });
      for (const std::size_t length : lengths) emit(length);
      scan = {};
      continue;
    }
    while (start < fill) {
      const std::size_t length = exec::memory_bound(worker, touched, [&] {
        return exec::run_stage(Cut{cutter}, clock, touched, slab->buffer().view(start, fill - start), final, first,
                               scan);
      });
      if (length == 0) break;
      emit(length);
      scan = {};
    }
  }
  return {};
}

}  // namespace cairn::ops

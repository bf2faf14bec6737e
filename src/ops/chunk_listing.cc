#include "ops/chunk_listing.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/buffer.h"

namespace cairn::ops {
namespace {

constexpr std::size_t kReadStep = std::size_t{256} << 10U;  // read and cut while it is in a core's cache

class Listing {
 public:
  Listing(Source& source, const chunk::Cutter& cutter, const std::function<bool(const ListedChunk&)>& found)
      : source_(source), cutter_(cutter), found_(found), window_(2 * cutter.max_chunk() + kReadStep) {}

  Status run() {
    bool final = false;
    while (!final && go_on_) {
      CAIRN_TRY(std::uint64_t zeros, source_.zeros_ahead());
      zeros -= pass_hole(zeros);
      const MutableBytes room = make_room();
      std::size_t count = 0;
      if (zeros > 0) {
        count = static_cast<std::size_t>(std::min<std::uint64_t>(zeros, room.size()));
        std::memset(room.data(), 0, count);
        source_.skip_zeros(count);
      } else {
        CAIRN_TRY(count, source_.read(room));
        final = count == 0;
      }
      fill_ += count;
      cut(final);
    }
    return {};
  }

 private:
  Bytes chunk() const { return window_.view(start_, fill_ - start_); }

  void emit(std::uint64_t size, bool is_zero) {
    go_on_ = go_on_ && found_({.size = size, .is_zero = is_zero});
    first_ = false;
    scan_ = {};
  }

  void cut(bool final) {
    while (go_on_ && start_ < fill_) {
      const std::size_t length = cutter_.cut(chunk(), final, first_, scan_);
      if (length == 0) return;
      emit(length, chunk::is_zero(chunk().first(length)));
      start_ += length;
    }
  }

  // The chunks inside of `zeros` zero bytes that come next, without making them; returns how many bytes it has passed.
  std::uint64_t pass_hole(std::uint64_t zeros) {
    const std::uint64_t at_hand = fill_ - start_;
    if (first_ || at_hand + zeros <= cutter_.max_chunk() || !chunk::is_zero(chunk())) return 0;
    if (cut_in_zeros_ == 0) cut_in_zeros_ = zero_cut(cutter_);
    std::uint64_t passed = 0;
    for (; go_on_ && at_hand + zeros - passed > cutter_.max_chunk(); passed += cut_in_zeros_) emit(cut_in_zeros_, true);
    const std::uint64_t known = std::min(passed, at_hand);
    start_ += static_cast<std::size_t>(known);
    source_.skip_zeros(passed - known);
    return passed - known;
  }

  MutableBytes make_room() {
    if (window_.size() - fill_ < kReadStep) {
      std::memmove(window_.data(), window_.data() + start_, fill_ - start_);
      fill_ -= start_;
      start_ = 0;
    }
    return window_.span().subspan(fill_, kReadStep);
  }

  Source& source_;
  const chunk::Cutter& cutter_;
  const std::function<bool(const ListedChunk&)>& found_;
  Buffer window_;
  std::size_t start_ = 0;  // of the chunk under way
  std::size_t fill_ = 0;
  std::size_t cut_in_zeros_ = 0;
  chunk::Scan scan_;
  bool first_ = true;
  bool go_on_ = true;
};

}  // namespace

Status list_chunks(Source& source, const chunk::Cutter& cutter, const std::function<bool(const ListedChunk&)>& found) {
  return Listing(source, cutter, found).run();
}

Result<std::size_t> PipeSource::read(MutableBytes out) {
  while (true) {
    const ssize_t count = ::read(fd_, out.data(), out.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) return fail(os_error(errno, shown_));
  }
}

}  // namespace cairn::ops

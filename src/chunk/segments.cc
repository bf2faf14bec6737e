#include "chunk/segments.h"

#include <algorithm>

#include "chunk/cutter.h"

namespace cairn::chunk {
namespace {

// Below this distance between candidates their list would be larger than it is useful.
constexpr int kLeastLooseBits = 6;
// Parts per thread, so that one that starts late or runs slowly costs little.
constexpr std::size_t kPartsPerThread = 4;

std::vector<std::size_t> cut_serially(const Cutter& cutter, Bytes window, bool final, bool first) {
  std::vector<std::size_t> lengths;
  while (!window.empty()) {
    Scan scan;
    const std::size_t length = cutter.cut(window, final, first && lengths.empty(), scan);
    if (length == 0) break;
    lengths.push_back(length);
    window = window.subspan(length);
  }
  return lengths;
}

// Walks over the candidates of the whole buffer, part by part; it only ever goes forward.
class Candidates {
 public:
  explicit Candidates(const std::vector<std::vector<CandidateRange>>& parts) : parts_(parts) {}

  // The first position in [from, end) that is a candidate, a strict one if it is below `normal`; `end` if there is
  // none.
  std::size_t first(std::size_t from, std::size_t end, std::size_t normal) {
    skip_before(from);
    std::size_t part = part_;
    std::size_t index = index_;
    for (; part < parts_.size(); ++part, index = 0) {
      for (; index < parts_[part].size(); ++index) {
        const CandidateRange& range = parts_[part][index];
        std::size_t position = std::max(range.begin, from);
        if (position >= end) return end;
        if (!range.strict) position = std::max(position, normal);
        if (position < range.end) return std::min(position, end);
      }
    }
    return end;
  }

 private:
  void skip_before(std::size_t from) {
    for (; part_ < parts_.size(); ++part_, index_ = 0) {
      for (; index_ < parts_[part_].size(); ++index_) {
        if (parts_[part_][index_].end > from) return;
      }
    }
  }

  const std::vector<std::vector<CandidateRange>>& parts_;
  std::size_t part_ = 0;
  std::size_t index_ = 0;
};

}  // namespace

std::vector<std::size_t> cut_buffer(const Cutter& cutter, Bytes window, bool final, bool first,
                                    const exec::Spare& spare, std::size_t segment) {
  const Segmented* const segmented = cutter.segmented();
  const unsigned helpers = spare.helpers();
  if (segmented == nullptr || helpers == 0 || window.size() < 2 * segment) {
    return cut_serially(cutter, window, final, first);
  }
  const Segmented::Rules rules = segmented->rules();
  if (rules.loose_bits < kLeastLooseBits || window.size() <= rules.behind) {
    return cut_serially(cutter, window, final, first);
  }

  const std::size_t scanned = window.size() - rules.behind;
  const std::size_t wanted = (std::size_t{helpers} + 1) * kPartsPerThread;
  const std::size_t length = std::max(segment, (scanned + wanted - 1) / wanted);
  std::vector<std::vector<CandidateRange>> parts((scanned + length - 1) / length);
  spare.run(parts.size(), [&](std::size_t part) {
    const std::size_t begin = part * length;
    segmented->find_candidates(window, begin, std::min(begin + length, scanned), parts[part]);
  });

  std::vector<std::size_t> lengths;
  Candidates candidates(parts);
  std::size_t start = 0;
  while (start < window.size()) {
    const Bytes chunk = window.subspan(start);
    const std::size_t at_hand = std::min(chunk.size(), rules.max_size);
    const std::size_t judged = rules.min_size + rules.restart;
    std::size_t cut = 0;
    if (chunk.size() <= judged + rules.behind) {
      // Too short to have a candidate that counts.
      Scan scan;
      cut = cutter.cut(chunk, final, first && lengths.empty(), scan);
    } else {
      if (rules.restart > 0) {
        Scan scan;
        cut = cutter.cut(chunk.first(std::min(judged, at_hand)), false, first && lengths.empty(), scan);
      }
      if (cut == 0) {
        const std::size_t end = start + at_hand - rules.behind;
        const std::size_t position = candidates.first(std::min(start + judged, end), end, start + rules.normal);
        if (position < end) {
          cut = position - start + rules.counted;
        } else if (final || at_hand == rules.max_size) {
          cut = at_hand;
        }
      }
    }
    if (cut == 0) break;
    lengths.push_back(cut);
    start += cut;
  }
  return lengths;
}

}  // namespace cairn::chunk

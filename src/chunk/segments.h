// Cutting one big buffer with the help of idle workers.
//
// Whether a position could be a cut depends, almost everywhere, on the bytes around it alone. So the buffer is split
// into parts, each part is searched for such candidates side by side, and the cuts are then chosen among them one after
// the other. The result equals that of repeated Cutter::cut() calls, byte for byte. The price is that the bytes which a
// serial scan skips are scanned too (with the defaults a third more), so it is for workers that would otherwise idle.
//
// Threads   cut_buffer() may run any number of times side by side. Memory: 24 bytes per candidate.
// Source    docs/format (chunkers, section 13.2).
#pragma once

#include <cstddef>
#include <vector>

#include "base/bytes.h"
#include "exec/spare.h"

namespace cairn::chunk {

class Cutter;

// Neighbouring positions of the buffer that all pass the loose mask, and all or none of them the strict one.
struct CandidateRange {
  std::size_t begin, end;
  bool strict;
};

// What a cutter that can be split offers. Positions in chunks and in the buffer are the ones that Scan counts.
class Segmented {
 public:
  struct Rules {
    std::size_t min_size, max_size;
    std::size_t normal;   // positions below it in the chunk need a strict candidate
    std::size_t restart;  // so many positions after min_size depend on the chunk's start, so cut() has to judge them
    std::size_t behind;   // bytes behind a position that must exist and that it depends on
    std::size_t counted;  // 1 if the byte at the position belongs to the chunk that ends there, else 0
    int loose_bits;       // a candidate is expected every 2^loose_bits bytes
  };
  virtual ~Segmented() = default;
  virtual Rules rules() const = 0;
  // Appends the candidates in [begin, end), in order; end + rules().behind does not exceed the window.
  virtual void find_candidates(Bytes window, std::size_t begin, std::size_t end,
                               std::vector<CandidateRange>& to) const = 0;
};

// Parts are at least this long; half of it is not worth a wake-up.
constexpr std::size_t kSegment = 256 * 1024;

// The lengths of the chunks at the start of `window` that can be decided: all of it if `final` (nothing follows), else
// up to a last chunk that needs more bytes. `first` says that the window begins with the file's first chunk.
std::vector<std::size_t> cut_buffer(const Cutter& cutter, Bytes window, bool final, bool first,
                                    const exec::Spare& spare, std::size_t segment = kSegment);

}  // namespace cairn::chunk

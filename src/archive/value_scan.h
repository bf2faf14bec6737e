// Finds the end of one msgpack value in bytes that may stop in the middle of it.
//
// The item stream is cut without regard to items, so its reader must tell "needs more bytes" from "damaged" and must
// not start again at the front for every piece. ValueScan keeps its place between calls.
// Source    the msgpack specification. Limits: see the constants.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"

namespace cairn::archive {

// No item is longer: a file of 2^24 chunks has an item of 0.7 GB.
constexpr std::size_t kMaxItemBytes = std::size_t{1} << 30;
// No single text or byte string in an item is longer.
constexpr std::size_t kMaxItemStringBytes = std::size_t{1} << 28;

class ValueScan {
 public:
  enum class State { Complete, Incomplete, Damaged };

  // `value` begins with the value's first byte and holds all bytes at hand; a later call repeats them with more behind.
  State advance(Bytes value);
  std::size_t position() const { return position_; }  // once Complete: the value's length

 private:
  std::size_t position_ = 0;
  std::uint64_t values_left_ = 1;
};

}  // namespace cairn::archive

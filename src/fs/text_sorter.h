// Any number of texts, sorted by their keys: in memory, and by way of a temporary file once they are too many.
//
// Memory    `memory_limit`; when they are merged, 64 KiB for each time that the limit was reached.
// Threads   not thread-safe.
// Errors    those of the temporary file (unnamed_file.h) and of the callback.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/buffer.h"
#include "base/error.h"
#include "fs/scratch_log.h"

namespace cairn::fs {

class TextSorter {
 public:
  static constexpr std::size_t kMemoryLimit = std::size_t{32} << 20U;

  explicit TextSorter(std::size_t memory_limit = kMemoryLimit) : memory_limit_(memory_limit) {}

  Status add(std::string_view key, std::string_view text);
  // Byte by byte in the order of the keys, texts with equal ones in the order in which they came. Ends the use.
  Status finish(const std::function<Status(std::string_view text)>& use);

 private:
  // Of a record in `records_`: the sizes of key and text, 4 bytes each, then both.
  struct Place {
    std::uint64_t key_start = 0;  // its first 8 bytes, as a number: decides most comparisons
    std::size_t offset = 0;
  };
  class Run;

  std::string_view key_at(std::size_t offset) const;
  void sort();
  Status spill();

  const std::size_t memory_limit_;
  Buffer records_;
  std::vector<Place> places_;
  ScratchLog file_{std::size_t{256} << 10U};
  std::vector<std::uint64_t> run_ends_;  // in the file, one run after the other
};

}  // namespace cairn::fs

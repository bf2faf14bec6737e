// How many files to read at once from a directory: 1, 2, 4 or 8 readers. Only reads, changes nothing.
//
// Files come in the order of directories and inode numbers, each is read from start to end, every count gets other
// files as long as there are enough. The page cache is asked to forget a file before it is read; whether it did is
// looked at, since otherwise memory is measured and not the disk.
//
// Units     MiB/s of all readers together.
// Errors    a directory that cannot be read, or has no file with content; Code::Interrupted when `stop` says so, and
//           what is known by then stays in the result. Single files that cannot be read are left out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace cairn::measure {

struct ReaderPoint {
  unsigned readers = 0;
  std::vector<double> runs{};
};

struct ReaderSpeed {
  std::string directory{};
  std::uint64_t files = 0, bytes = 0;  // that were found
  double cached = 0;                   // share of the bytes looked at that was in memory before reading
  bool in_memory = false;              // the file system has no disk
  std::vector<ReaderPoint> points{};

  // Whether a disk was measured.
  bool is_meaningful() const { return !in_memory && cached < 0.1; }
  // The fewest readers with at least 95 % of the best rate.
  std::optional<unsigned> best() const;
  // The same, if the most readers are slower than that; else there is no reason to hold any back.
  std::optional<unsigned> limit() const;
};

struct ReaderEffort {
  int runs = 2;
  double seconds_per_run = 0.5;
};

Status measure_readers(const std::string& directory, const ReaderEffort& effort, const std::function<bool()>& stop,
                       const std::function<void(std::string_view step)>& step, ReaderSpeed& found);

}  // namespace cairn::measure

// Which paths an exact mirror of an archive has: 16 bytes each, so that a hundred million of them fit into memory.
//
// Paths     as they are restored: stripped, safe, '/'-separated. Parents are added with their children.
// Threads   none of its own; wanted() is const.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fs/target.h"

namespace cairn::ops {

class MirrorPaths {
 public:
  void add(std::string_view path, bool is_directory);
  void seal();  // after the last add()
  // Where an archive has a directory and something else at one path, the directory counts: nothing in it goes.
  fs::Wanted wanted(std::string_view path) const;
  bool empty() const { return known_.empty(); }

 private:
  // The start of the BLAKE3 hash of the path and its kind: nobody finds two paths with the same one.
  using Mark = std::array<std::uint64_t, 2>;
  static Mark mark(std::string_view path, bool is_directory);

  std::vector<Mark> known_;
  std::string last_parent_;
};

}  // namespace cairn::ops

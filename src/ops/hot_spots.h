// Where archives change: bytes of the chunks that appear in and vanish from each folder, from archive to archive.
//
// Memory    24 bytes for each chunk of each file of two archives, and the folders' names.
// Threads   called by the pool's owner.
// Source    docs/format (archive, section 18).
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "archive/metadata.h"
#include "base/error.h"
#include "exec/pool.h"
#include "repo/repository.h"

namespace cairn::ops {

class HotSpots {
 public:
  // The archives in their order.
  Status add(repo::Repository& repository, exec::Pool& pool, const archive::Metadata& metadata,
             const std::atomic<bool>* interrupted);

  struct Spot {
    std::string path;  // of the folder; empty for the top
    std::uint64_t bytes = 0;
  };
  std::vector<Spot> result() const;  // of folders in which something changed, the largest first

 private:
  // A chunk in a folder. The first half of its id tells chunks apart well enough.
  struct Use {
    std::uint64_t id_high, id_low;
    std::uint32_t folder;
    std::uint32_t size;
    auto key() const { return std::tuple(folder, id_high, id_low); }
  };
  std::uint32_t folder_of(const std::string& path);

  std::unordered_map<std::string, std::uint32_t> folders_;
  std::vector<std::uint64_t> bytes_;  // by folder
  std::vector<Use> previous_;         // sorted
  bool first_ = true;
};

}  // namespace cairn::ops

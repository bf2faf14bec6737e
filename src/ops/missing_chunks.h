// What check tells of content chunks that are gone: which files of which archives need them.
//
// Bounds    files are noted for the first 1000 chunks, 10 files each, 10 archives a file. Every id is remembered, so
//           that each chunk is announced once.
// Source    docs/format (repository, section 13, part 2 d).
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "archive/item.h"
#include "base/bytes.h"

namespace cairn::ops {

class MissingChunks {
 public:
  // True if the chunk was not known to be missing before.
  bool add(const archive::ChunkRef& chunk, const std::string& path, const std::string& archive);
  bool empty() const { return known_.empty(); }
  // The list by chunk, file and archives, as lines.
  std::vector<std::string> lines() const;

 private:
  struct File {
    std::string path;
    std::vector<std::string> archives;
    bool more_archives = false;
  };
  struct Chunk {
    archive::ChunkRef chunk;
    std::vector<File> files;
    bool more_files = false;
  };
  std::unordered_set<ChunkId> known_;
  std::vector<Chunk> chunks_;
  std::unordered_map<ChunkId, std::size_t> numbers_;  // of chunks_
};

}  // namespace cairn::ops

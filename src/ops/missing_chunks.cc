#include "ops/missing_chunks.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/units.h"

namespace cairn::ops {
namespace {

constexpr std::size_t kMaxChunks = 1000;
constexpr std::size_t kMaxFiles = 10;
constexpr std::size_t kMaxArchives = 10;

}  // namespace

bool MissingChunks::add(const archive::ChunkRef& chunk, const std::string& path, const std::string& archive) {
  const bool fresh = known_.insert(chunk.id).second;
  if (fresh && chunks_.size() < kMaxChunks) {
    numbers_.emplace(chunk.id, chunks_.size());
    chunks_.push_back({.chunk = chunk, .files = {}});
  }
  const auto number = numbers_.find(chunk.id);
  if (number == numbers_.end()) return fresh;
  Chunk& noted = chunks_[number->second];
  auto file = std::ranges::find(noted.files, path, &File::path);
  if (file == noted.files.end()) {
    if (noted.files.size() == kMaxFiles) {
      noted.more_files = true;
      return fresh;
    }
    noted.files.push_back({.path = path, .archives = {}});
    file = std::prev(noted.files.end());
  }
  if (std::ranges::find(file->archives, archive) != file->archives.end()) return fresh;
  if (file->archives.size() == kMaxArchives) {
    file->more_archives = true;
  } else {
    file->archives.push_back(archive);
  }
  return fresh;
}

std::vector<std::string> MissingChunks::lines() const {
  std::vector<std::string> lines;
  for (const Chunk& chunk : chunks_) {
    lines.push_back(fmt::format("- Chunk {}, {}", chunk.chunk.id.hex(),
                                format_size(chunk.chunk.size, {.units = units_from_environment()})));
    for (const File& file : chunk.files) {
      lines.push_back(
          fmt::format("    - {}: {}{}", file.path, fmt::join(file.archives, ", "), file.more_archives ? ", ..." : ""));
    }
    if (chunk.more_files) lines.push_back(fmt::format("    - ... (only the first {} files are listed)", kMaxFiles));
  }
  if (known_.size() > chunks_.size()) {
    lines.push_back(fmt::format("- {} more chunks, not shown", known_.size() - chunks_.size()));
  }
  return lines;
}

}  // namespace cairn::ops

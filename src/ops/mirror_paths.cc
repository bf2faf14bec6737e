#include "ops/mirror_paths.h"

#include <algorithm>
#include <cstring>

#include "hash/blake3.h"

namespace cairn::ops {

MirrorPaths::Mark MirrorPaths::mark(std::string_view path, bool is_directory) {
  hash::Blake3 hash;
  const std::byte kind{static_cast<unsigned char>(is_directory ? 'd' : 'o')};
  hash.update(Bytes(&kind, 1));
  hash.update(bytes_of(path));
  const Digest256 digest = hash.finish();
  Mark start;
  std::memcpy(start.data(), digest.raw.data(), sizeof start);
  return start;
}

void MirrorPaths::add(std::string_view path, bool is_directory) {
  known_.push_back(mark(path, is_directory));
  const std::size_t slash = path.rfind('/');
  const std::string_view parent = slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
  if (parent.empty() || parent == last_parent_) return;
  last_parent_ = parent;
  for (std::size_t end = parent.size(); end != std::string_view::npos && end > 0; end = parent.rfind('/', end - 1)) {
    known_.push_back(mark(parent.substr(0, end), true));
  }
}

void MirrorPaths::seal() {
  std::ranges::sort(known_);
  const auto [first, last] = std::ranges::unique(known_);
  known_.erase(first, last);
}

fs::Wanted MirrorPaths::wanted(std::string_view path) const {
  if (std::ranges::binary_search(known_, mark(path, true))) return fs::Wanted::Directory;
  return std::ranges::binary_search(known_, mark(path, false)) ? fs::Wanted::Other : fs::Wanted::Nothing;
}

}  // namespace cairn::ops

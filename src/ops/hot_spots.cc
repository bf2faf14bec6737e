#include "ops/hot_spots.h"

#include <algorithm>
#include <tuple>

#include "ops/archives.h"

namespace cairn::ops {

std::uint32_t HotSpots::folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const auto [found, is_new] = folders_.try_emplace(slash == std::string::npos ? std::string() : path.substr(0, slash),
                                                    static_cast<std::uint32_t>(bytes_.size()));
  if (is_new) bytes_.push_back(0);
  return found->second;
}

Status HotSpots::add(repo::Repository& repository, exec::Pool& pool, const archive::Metadata& metadata,
                     const std::atomic<bool>* interrupted) {
  std::vector<Use> uses;
  CAIRN_CHECKED(for_each_item(repository, pool, metadata, [&](archive::Item&& item) -> Status {
    if (interrupted != nullptr && *interrupted) return fail(Code::Interrupted, "");
    if (!item.chunks || item.chunks->empty()) return {};
    const std::uint32_t folder = folder_of(item.path);
    for (const archive::ChunkRef& chunk : *item.chunks) {
      uses.push_back({.id_high = load_be<std::uint64_t>(chunk.id.raw.data()),
                      .id_low = load_be<std::uint64_t>(chunk.id.raw.data() + 8),
                      .folder = folder,
                      .size = chunk.size});
    }
    return {};
  }));
  std::ranges::sort(uses, {}, &Use::key);
  const auto repeated = std::ranges::unique(uses, {}, &Use::key);
  uses.erase(repeated.begin(), repeated.end());
  if (!std::exchange(first_, false)) {
    auto before = previous_.begin();
    auto after = uses.begin();
    while (before != previous_.end() || after != uses.end()) {
      const bool gone = after == uses.end() || (before != previous_.end() && before->key() < after->key());
      const bool come = !gone && (before == previous_.end() || after->key() < before->key());
      if (gone) bytes_[before->folder] += before->size;
      if (come) bytes_[after->folder] += after->size;
      if (!come) ++before;
      if (!gone) ++after;
    }
  }
  previous_ = std::move(uses);
  return {};
}

std::vector<HotSpots::Spot> HotSpots::result() const {
  std::vector<std::pair<std::uint32_t, std::string>> names;
  for (const auto& [path, number] : folders_) {
    if (bytes_[number] > 0) names.emplace_back(number, path);
  }
  // Equal ones in the order in which they were met.
  std::ranges::sort(names, [&](const auto& a, const auto& b) {
    return std::tuple(bytes_[b.first], a.first) < std::tuple(bytes_[a.first], b.first);
  });
  std::vector<Spot> spots;
  for (auto& [number, path] : names) spots.push_back({.path = std::move(path), .bytes = bytes_[number]});
  return spots;
}

}  // namespace cairn::ops

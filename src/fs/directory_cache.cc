#include "fs/directory_cache.h"

#include <utility>

namespace cairn::fs {

SharedDirectory DirectoryCache::find(std::string_view path) {
  const std::lock_guard lock(mutex_);
  const auto place = places_.find(path);
  if (place == places_.end()) return nullptr;
  held_.splice(held_.begin(), held_, place->second);
  return place->second->directory;
}

void DirectoryCache::add(std::string_view path, SharedDirectory directory) {
  SharedDirectory evicted;  // closed after the lock is gone
  const std::lock_guard lock(mutex_);
  if (const auto place = places_.find(path); place != places_.end()) {
    evicted = std::exchange(place->second->directory, std::move(directory));
    return;
  }
  held_.push_front({std::string(path), std::move(directory)});
  places_.emplace(held_.front().path, held_.begin());
  if (held_.size() > limit_) {
    places_.erase(held_.back().path);
    evicted = std::move(held_.back().directory);
    held_.pop_back();
  }
}

void DirectoryCache::drop(std::string_view path) {
  const std::lock_guard lock(mutex_);
  for (auto it = held_.begin(); it != held_.end();) {
    const std::string_view held = it->path;
    if (held.starts_with(path) && (held.size() == path.size() || held[path.size()] == '/')) {
      places_.erase(held);
      it = held_.erase(it);
    } else {
      ++it;
    }
  }
}

void DirectoryCache::drop_all() {
  const std::lock_guard lock(mutex_);
  places_.clear();
  held_.clear();
}

std::size_t DirectoryCache::size() const {
  const std::lock_guard lock(mutex_);
  return held_.size();
}

}  // namespace cairn::fs

#include "store/open_files.h"

namespace cairn::store {

OpenFiles::Handle OpenFiles::find(const std::string& path, std::uint64_t& generation) {
  const std::lock_guard lock(mutex_);
  generation = generation_;
  const auto it = by_path_.find(path);
  if (it == by_path_.end()) return nullptr;
  slots_.splice(slots_.begin(), slots_, it->second);
  return it->second->file;
}

void OpenFiles::insert(const std::string& path, const Handle& file, std::uint64_t generation) {
  Handle evicted;  // closed after the lock is gone
  const std::lock_guard lock(mutex_);
  if (generation != generation_ || capacity_ == 0 || by_path_.contains(path)) return;
  slots_.push_front({path, file});
  by_path_.emplace(path, slots_.begin());
  if (slots_.size() <= capacity_) return;
  evicted = std::move(slots_.back().file);
  by_path_.erase(slots_.back().path);
  slots_.pop_back();
}

void OpenFiles::forget(const std::string& path) {
  const std::lock_guard lock(mutex_);
  ++generation_;
  const auto it = by_path_.find(path);
  if (it == by_path_.end()) return;
  slots_.erase(it->second);
  by_path_.erase(it);
}

void OpenFiles::clear() {
  const std::lock_guard lock(mutex_);
  ++generation_;
  by_path_.clear();
  slots_.clear();
}

}  // namespace cairn::store

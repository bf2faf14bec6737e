// Directories held open by their path, the most recently used ones: tens of thousands of files must not each walk from
// the root. A directory in use stays open even when it leaves the cache.
//
// Threads   safe from any thread.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/fd.h"

namespace cairn::fs {

// Shared by the cache and every call that works in the directory at this moment.
using SharedDirectory = std::shared_ptr<const Fd>;

class DirectoryCache {
 public:
  explicit DirectoryCache(std::size_t limit) : limit_(limit) {}

  SharedDirectory find(std::string_view path);  // nullptr if not held
  void add(std::string_view path, SharedDirectory directory);
  void drop(std::string_view path);  // with everything below
  void drop_all();
  std::size_t size() const;

 private:
  struct Held {
    std::string path;
    SharedDirectory directory;
  };
  const std::size_t limit_;
  mutable std::mutex mutex_;
  std::list<Held> held_;                                                    // most recently used first
  std::unordered_map<std::string_view, std::list<Held>::iterator> places_;  // views into held_
};

}  // namespace cairn::fs

// Recently used open files of one store, so that many range reads of one pack cost one open.
//
// Only values that never change under their name belong here. forget() before or after the name changes in the store
// makes sure that no later read sees the old file, even if another thread is just opening it.
// Threads   all functions.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/error.h"
#include "base/fd.h"

namespace cairn::store {

struct OpenFile {
  Fd fd;
  std::uint64_t size = 0;
};

class OpenFiles {
 public:
  explicit OpenFiles(std::size_t capacity) : capacity_(capacity) {}

  // Shared by the cache and the threads that are reading the file.
  using Handle = std::shared_ptr<const OpenFile>;

  // The cached file, or what `open` (a Result<OpenFile>()) gives.
  template <class Open>
  Result<Handle> get(const std::string& path, Open&& open) {
    std::uint64_t generation = 0;
    if (Handle found = find(path, generation)) return found;
    CAIRN_TRY(OpenFile file, open());
    auto handle = std::make_shared<const OpenFile>(std::move(file));
    insert(path, handle, generation);
    return handle;
  }
  void forget(const std::string& path);
  void clear();

 private:
  struct Slot {
    std::string path;
    Handle file;
  };
  Handle find(const std::string& path, std::uint64_t& generation);
  void insert(const std::string& path, const Handle& file, std::uint64_t generation);

  const std::size_t capacity_;
  std::mutex mutex_;
  std::uint64_t generation_ = 0;  // of the names; a file opened before a change is not kept
  std::list<Slot> slots_;         // most recently used first
  std::unordered_map<std::string, std::list<Slot>::iterator> by_path_;
};

}  // namespace cairn::store

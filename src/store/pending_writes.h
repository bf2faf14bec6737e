// What a directory store has written but not yet made durable.
//
// Paths are relative to the store's directory, or absolute for directories above it. While files are few they stay open
// here, because the kernel reports a failed write-back only to descriptors that were open before; when they become
// many, one syncfs replaces them (it reports failures since the store's directory was opened). Threads   all functions;
// a sync() that starts while another runs waits for it.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "base/error.h"
#include "base/fd.h"

namespace cairn::store {

class PendingWrites {
 public:
  explicit PendingWrites(bool enabled) : enabled_(enabled) {}

  bool enabled() const { return enabled_; }
  void wrote(const std::string& path, Fd file);
  void removed(const std::string& path);
  void moved(const std::string& from, const std::string& to);
  void changed_directory(const std::string& directory);

  // `base` is the store's directory, `base_path` its name for messages.
  Status sync(int base, const std::string& base_path);
  // Forgets everything, a failure included: the store is being opened anew.
  void reset();

 private:
  struct Batch {
    std::map<std::string, Fd> files;
    std::set<std::string> directories;
    bool whole = false;  // too many: sync the file system
  };
  static Status sync_batch(const Batch& batch, int base, const std::string& base_path);
  void limit();

  const bool enabled_;
  std::mutex sync_mutex_;         // held through sync(); taken before mutex_
  std::optional<Error> failure_;  // guarded by sync_mutex_
  std::mutex mutex_;
  Batch batch_;  // guarded by mutex_
};

}  // namespace cairn::store

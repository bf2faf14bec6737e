// How many bytes a directory store holds, counted in the file quota.hid that several processes share.
//
// The count in memory changes with every put and remove; the file gets the difference when that is 10 MB or five
// minutes old, and on persist(). Moves change nothing. Threads   all functions after open(). Source    docs/format
// (store, section 8).
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "base/error.h"
#include "store/store.h"

namespace cairn::store {

class QuotaCount {
 public:
  QuotaCount(std::uint64_t limit, const Clock& clock)
      : limit_(std::min<std::uint64_t>(limit, INT64_MAX)), clock_(clock) {}

  // `base` is the store's directory. Scans it if the file is missing or no number.
  Status open(int base);
  // Deletes the file: whoever works without a quota does not count, so the count is worthless afterwards.
  static Status discard(int base);

  // NoSpace if the limit would be exceeded; `shown` names the object.
  Status replace(std::uint64_t old_size, std::uint64_t new_size, const std::string& shown);
  void undo_replace(std::uint64_t old_size, std::uint64_t new_size);
  void removed(std::uint64_t size) { undo_replace(0, size); }
  Quota now();

  Status persist_if_due(int base);
  Status persist(int base);

 private:
  Status persist_locked(int base);

  const std::uint64_t limit_;
  const Clock& clock_;
  std::mutex mutex_;            // guards what follows
  std::int64_t usage_ = 0;      // the file's value when last seen, and unsaved_
  std::int64_t unsaved_ = 0;    // what the file does not know yet
  Nanoseconds written_at_ = 0;  // monotonic
};

}  // namespace cairn::store

// The store as a directory tree.
//
// Layout    <path>/<namespace>/<key>, packs in 256 subdirectories; files have mode 0600, directories follow the umask.
// Writing   complete under a temporary name in the target's directory, then renamed.
// Durable   sync() makes every put, move, remove and new directory since the last sync() durable: one by one while they
//           are few, else by one syncfs. Write-back of big values is started while they are written. A failed sync is
//           reported by this and every later sync() until the store is opened again: the kernel forgets the lost pages,
//           so a second try would succeed and prove nothing.
// Reading   ranges of packs go through a bounded cache of open files.
// Quota     with a limit, the usage is counted in quota.hid and a put beyond it is NoSpace; without one, opening
// deletes
//           that file.
// Threads   any operation from any thread, after open() has returned.
// Source    docs/format (store, sections 6, 7, 8 and 17).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "store/permissions.h"
#include "store/store.h"

namespace cairn::store {

struct PosixOptions {
  Permissions permissions{};
  bool durable = true;  // false: sync() does nothing (CAIRN_FSYNC=no)
  std::size_t open_packs = 64;
  std::optional<std::uint64_t> quota_limit{};
  const Clock* clock = &system_clock();  // when to write the quota's count again
};

// `path` may be relative and may be a symbolic link.
std::unique_ptr<Store> make_posix_store(std::string path, PosixOptions options = {});

}  // namespace cairn::store

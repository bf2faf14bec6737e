// The repository lock: shared or exclusive, made of objects in locks/ that name their owner.
//
// A lock that is held is refreshed by a timer thread, so that a long phase without repository access does not let it go
// stale. If somebody else removed it, it is lost: lost() becomes true, on_lost is called, and nothing may be committed
// any more.
//
// Errors    LockTimeout ("Failed to create/acquire the lock ..."), and those of the store.
// Threads   all members are safe from any thread.
// Source    docs/format (repository, section 8).
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "repo/store_object.h"
#include "store/store.h"

namespace cairn::repo {

struct LockOptions {
  bool exclusive = false;
  Nanoseconds wait = 10 * kSecond;  // --lock-wait; one try is made even with 0
  std::string host_id;
  long process_id = 0;                             // 0: of this process
  std::function<void(Error)> on_lost;              // called once, by whoever finds out
  const std::atomic<bool>* interrupted = nullptr;  // Ctrl-C ends the waiting
  const Clock* clock = nullptr;                    // default: the system's
  bool timer = true;                               // tests call refresh() themselves
  // Shared only, for those who do not change the repository: where no lock can be written (a full disk, a read-only
  // file system, missing rights) a warning is logged and the lock holds nothing. Locks of others count as ever.
  bool may_go_without = false;
};

class Lock {
 public:
  static Result<std::unique_ptr<Lock>> acquire(store::Store& store, StoreObjects& objects, LockOptions options);
  ~Lock();  // releases
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  bool exclusive() const { return options_.exclusive; }
  // LockTimeout once the lock is lost. Ask before anything is committed.
  Status check() const;
  // Renews the lock if it is older than half its life; finds out if it was lost.
  Status refresh();
  // refresh(), and a look whether the lock object is still there: somebody may have broken the lock a moment ago.
  Status verify();
  Status release();

  // Deletes every lock object, whoever owns it.
  static Status break_all(store::Store& store);

 private:
  struct Owner {
    std::string name;  // of the object, "locks/<hash>"
    bool readable = false;
    bool exclusive = true;  // unreadable ones count as exclusive
    std::string host_id;
    long process_id = 0;
    Nanoseconds time = 0;  // by the owner's clock
    double mtime = 0;      // by the storage's clock
    bool maybe_stale = false;
  };

  Lock(store::Store& store, StoreObjects& objects, LockOptions options);
  Status acquire();
  Status pause(Nanoseconds duration) const;
  Status create();
  Status remove_mine();
  Result<std::vector<Owner>> list();
  enum class Staleness { Fresh, MaybeStale, Stale };
  Staleness judge(const Owner& owner) const;
  std::optional<double> store_now() const;
  void note_clock_skew(const Owner& owner);
  std::string holders_text(const std::vector<Owner>& owners) const;
  Error timeout_error(const std::vector<Owner>& owners) const;
  void lose(std::string why);
  void run_timer();

  store::Store& store_;
  StoreObjects& objects_;
  LockOptions options_;
  const Clock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::thread timer_;
  bool stopping_ = false;
  std::string mine_;           // name of my lock object; empty without one
  std::string replacing_;      // the one that a refresh is about to delete
  Nanoseconds mine_time_ = 0;  // when it was made: wall clock
  Nanoseconds mine_monotonic_ = 0;
  // When and at which storage time my last lock object appeared.
  double anchor_mtime_ = 0;
  Nanoseconds anchor_monotonic_ = 0, anchor_wall_ = 0;
  bool skew_noted_ = false;
  std::optional<Error> lost_;
};

// For tests and messages: "2026-11-30T14:22:09.912+00:00" and back.
std::string lock_time_text(Nanoseconds time);
std::optional<Nanoseconds> parse_lock_time(const std::string& text);

}  // namespace cairn::repo

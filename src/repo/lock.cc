#include "repo/lock.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <random>

#include <fmt/format.h>

#include "base/log.h"
#include "exec/delay.h"
#include "repo/flat_json.h"

namespace cairn::repo {
namespace {

constexpr Nanoseconds kStale = 1800 * kSecond;
constexpr Nanoseconds kRefresh = 900 * kSecond;
constexpr Nanoseconds kRaceDelay = kSecond / 100;
constexpr Nanoseconds kReaderStep = kSecond / 10;
constexpr Nanoseconds kTimerStep = 60 * kSecond;
constexpr double kSkewSeconds = 300;
constexpr std::string_view kLogger = "borg.repository";

double seconds(Nanoseconds time) { return static_cast<double>(time) * 1e-9; }

// Between one and five seconds, so that two clients do not keep meeting each other.
Nanoseconds retry_pause() {
  static thread_local std::minstd_rand random(std::random_device{}());
  return kSecond + static_cast<Nanoseconds>(random() % 4'000'000'000ULL);
}

// What the storage will refuse again.
bool is_unwritable(const Error& error) {
  switch (error.os_error()) {
    case EROFS:
    case EACCES:
    case EPERM:
    case ENOSPC:
    case EDQUOT:
      return true;
    default:
      return error.code() == Code::PermissionDenied;
  }
}

}  // namespace

std::string lock_time_text(Nanoseconds time) {
  const std::time_t whole = time / kSecond;
  std::tm utc{};
  ::gmtime_r(&whole, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}+00:00", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                     utc.tm_hour, utc.tm_min, utc.tm_sec, time % kSecond / 1'000'000);
}

std::optional<Nanoseconds> parse_lock_time(const std::string& text) {
  std::tm utc{};
  int milliseconds = 0;
  int used = 0;
  if (std::sscanf(text.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d.%3d+00:00%n", &utc.tm_year, &utc.tm_mon, &utc.tm_mday,
                  &utc.tm_hour, &utc.tm_min, &utc.tm_sec, &milliseconds, &used) != 7 ||
      static_cast<std::size_t>(used) != text.size()) {
    return std::nullopt;
  }
  // Far from where nanoseconds overflow, also after something is added.
  if (utc.tm_year < 1970 || utc.tm_year > 2199 || milliseconds < 0) return std::nullopt;
  utc.tm_year -= 1900;
  utc.tm_mon -= 1;
  return Nanoseconds{::timegm(&utc)} * kSecond + Nanoseconds{milliseconds} * 1'000'000;
}

Result<std::unique_ptr<Lock>> Lock::acquire(store::Store& store, StoreObjects& objects, LockOptions options) {
  std::unique_ptr<Lock> lock(new Lock(store, objects, std::move(options)));
  CAIRN_CHECKED(lock->acquire());
  if (lock->options_.timer) lock->timer_ = std::thread([raw = lock.get()] { raw->run_timer(); });
  return lock;
}

Lock::Lock(store::Store& store, StoreObjects& objects, LockOptions options)
    : store_(store),
      objects_(objects),
      options_(std::move(options)),
      clock_(options_.clock != nullptr ? *options_.clock : system_clock()) {
  if (options_.process_id == 0) options_.process_id = ::getpid();
}

Lock::~Lock() {
  if (auto status = release(); !status) log(Level::Warning, kLogger, status.error().text());
}

Status Lock::acquire() {
  const Nanoseconds deadline = clock_.monotonic() + options_.wait;
  auto timed_out = [&] { return clock_.monotonic() >= deadline; };
  const std::lock_guard guard(mutex_);
  while (true) {
    CAIRN_TRY(std::vector<Owner> owners, list());
    auto blocks = [&](const Owner& owner) { return owner.exclusive && owner.name != mine_; };
    if (std::ranges::none_of(owners, [&](const Owner& o) { return blocks(o) && !o.maybe_stale; })) {
      if (auto made = create(); !made) {
        if (!options_.may_go_without || !is_unwritable(made.error())) return made;
        log(Level::Warning, kLogger,
            fmt::format("The repository cannot be locked, reading it without a lock: {}", made.error().text()));
        return {};
      }
      exec::hand_over();
      clock_.sleep(kRaceDelay);
      CAIRN_TRY(owners, list());
      const bool blocked = std::ranges::any_of(owners, blocks);
      if (!options_.exclusive && !blocked) return {};
      if (options_.exclusive && !blocked) {
        // Mine is the only exclusive one; new readers stay out, those that are in may finish.
        while (std::ranges::any_of(owners, [&](const Owner& o) { return o.name != mine_; })) {
          if (timed_out()) {
            Error error = timeout_error(owners);
            CAIRN_CHECKED(remove_mine());
            return fail(std::move(error));
          }
          CAIRN_CHECKED(pause(kReaderStep));
          CAIRN_TRY(owners, list());
        }
        return {};
      }
      std::erase_if(owners, [&](const Owner& owner) { return owner.name == mine_; });
      CAIRN_CHECKED(remove_mine());
    }
    if (timed_out()) return fail(timeout_error(owners));
    CAIRN_CHECKED(pause(std::min(retry_pause(), std::max<Nanoseconds>(deadline - clock_.monotonic(), kRaceDelay))));
  }
}

// A failed acquire() gives back what it made when the Lock goes.
Status Lock::pause(Nanoseconds duration) const {
  for (Nanoseconds left = duration; left > 0; left -= kReaderStep) {
    if (options_.interrupted != nullptr && options_.interrupted->load()) {
      return fail(Code::Interrupted, "Got Ctrl-C / SIGINT.");
    }
    clock_.sleep(std::min(left, kReaderStep));
  }
  return {};
}

Status Lock::create() {
  const Nanoseconds now = clock_.now();
  const std::string json =
      fmt::format(R"({{"exclusive": {}, "hostid": {}, "processid": {}, "threadid": 0, "time": "{}"}})",
                  options_.exclusive, json_text(options_.host_id), options_.process_id, lock_time_text(now));
  CAIRN_TRY(const StoreObjects::Hashed object, objects_.seal_hashed("locks", bytes_of(json)));
  mine_ = object.name;
  mine_time_ = now;
  const Nanoseconds monotonic = clock_.monotonic();
  mine_monotonic_ = monotonic;
  if (auto status = store_.put(object.name, object.envelope); !status) {
    mine_.clear();
    (void)store_.remove(object.name);  // it may have arrived all the same, and would block others until it is stale
    return status;
  }
  if (const auto info = store_.info(object.name); info && info->exists && info->mtime > 0) {
    if (anchor_mtime_ > 0) {
      const double expected = anchor_mtime_ + seconds(monotonic - anchor_monotonic_);
      if (std::abs(info->mtime - expected) > kSkewSeconds) {
        log(Level::Warning, kLogger,
            "The clock of the storage jumped by more than 300 seconds; stale locks may be misjudged.");
      }
    }
    anchor_mtime_ = info->mtime;
    anchor_monotonic_ = monotonic;
    anchor_wall_ = now;
  }
  return {};
}

Status Lock::remove_mine() {
  // Both, where a refresh was cut short.
  Status result;
  for (std::string* lock : {&mine_, &replacing_}) {
    if (lock->empty()) continue;
    const std::string name = std::exchange(*lock, {});
    if (auto status = store_.remove(name); !status && status.error().code() != Code::NotFound) {
      result = std::move(status);
    }
  }
  return result;
}

Result<std::vector<Lock::Owner>> Lock::list() {
  CAIRN_TRY(const auto entries, store_.list("locks"));
  std::vector<Owner> owners;
  for (const auto& entry : entries) {
    Owner owner{.name = fmt::format("locks/{}", entry.name), .host_id = {}, .mtime = entry.mtime};
    Buffer envelope;
    if (auto status = store_.load(owner.name, envelope); !status) {
      if (status.error().code() == Code::NotFound) continue;
      return std::unexpected<Error>(std::move(status).error());
    }
    Buffer payload;
    if (objects_.open_hashed("locks", owner.name, envelope, payload)) {
      if (const auto json = FlatJson::parse(text_of(payload))) {
        const auto exclusive = json->boolean("exclusive");
        const auto host = json->text("hostid");
        const auto process = json->integer("processid");
        const auto thread = json->integer("threadid");
        const auto time = json->text("time");
        const auto when = time ? parse_lock_time(*time) : std::nullopt;
        if (exclusive && host && process && thread && when) {
          owner.readable = true;
          owner.exclusive = *exclusive;
          owner.host_id = *host;
          owner.process_id = static_cast<long>(*process);
          owner.time = *when;
        }
      }
    }
    const Staleness staleness = judge(owner);
    if (staleness == Staleness::Stale) {
      log(Level::Debug, kLogger, fmt::format("Removing the stale lock {}.", owner.name));
      auto status = store_.remove(owner.name);
      const bool stays = options_.may_go_without && !status && is_unwritable(status.error());
      if (!status && !stays && status.error().code() != Code::NotFound) {
        return std::unexpected<Error>(std::move(status).error());
      }
      continue;
    }
    owner.maybe_stale = staleness == Staleness::MaybeStale;
    if (owner.readable && owner.name != mine_) note_clock_skew(owner);
    owners.push_back(std::move(owner));
  }
  return owners;
}

std::optional<double> Lock::store_now() const {
  if (anchor_mtime_ <= 0 || std::abs(clock_.now() - anchor_wall_) > kStale) return std::nullopt;
  return anchor_mtime_ + seconds(clock_.monotonic() - anchor_monotonic_);
}

Lock::Staleness Lock::judge(const Owner& owner) const {
  if (owner.name == mine_ || owner.name == replacing_) return Staleness::Fresh;
  const auto now_there = store_now();
  const bool old_there = now_there && *now_there > owner.mtime + seconds(kStale);
  if (!owner.readable) {
    if (owner.mtime <= 0) return Staleness::Fresh;
    if (!now_there) return Staleness::MaybeStale;
    return old_there ? Staleness::Stale : Staleness::Fresh;
  }
  if (owner.host_id == options_.host_id && owner.process_id > 0 &&
      ::kill(static_cast<pid_t>(owner.process_id), 0) != 0 && errno == ESRCH) {
    return Staleness::Stale;
  }
  if (owner.time + kStale >= clock_.now()) return Staleness::Fresh;
  if (owner.mtime <= 0) return Staleness::Stale;
  if (!now_there) return Staleness::MaybeStale;
  return old_there ? Staleness::Stale : Staleness::Fresh;
}

void Lock::note_clock_skew(const Owner& owner) {
  if (skew_noted_ || owner.mtime <= 0 || anchor_mtime_ <= 0) return;
  const double theirs = seconds(owner.time) - owner.mtime;
  const double mine = seconds(anchor_wall_) - anchor_mtime_;
  if (std::abs(theirs - mine) <= kSkewSeconds) return;
  skew_noted_ = true;
  log(Level::Warning, kLogger,
      fmt::format(
          "The clock of {} and the clock of this machine differ by {:.0f} seconds; stale locks may be misjudged.",
          owner.host_id, std::abs(theirs - mine)));
}

std::string Lock::holders_text(const std::vector<Owner>& owners) const {
  std::string text;
  for (const Owner& owner : owners) {
    if (owner.name == mine_) continue;
    if (!text.empty()) text += ", ";
    if (!owner.readable) {
      text += fmt::format("unreadable lock object {}", owner.name);
    } else {
      text += fmt::format("{} lock on host {}, pid {}, age {:.3f} seconds", owner.exclusive ? "exclusive" : "shared",
                          owner.host_id, owner.process_id, seconds(clock_.now() - owner.time));
    }
  }
  return text;
}

Error Lock::timeout_error(const std::vector<Owner>& owners) const {
  return {Code::LockTimeout, fmt::format("Failed to create/acquire the lock {} (timeout). Repository is locked by: {}.",
                                         store_.location(), holders_text(owners))};
}

Status Lock::check() const {
  const std::lock_guard guard(mutex_);
  if (lost_) return std::unexpected<Error>(lost_->clone());
  return {};
}

void Lock::lose(std::string why) {
  lost_.emplace(Code::LockTimeout,
                fmt::format("Failed to create/acquire the lock {} (timeout). {}", store_.location(), why));
  if (options_.on_lost) options_.on_lost(lost_->clone());
}

Status Lock::refresh() {
  const std::lock_guard guard(mutex_);
  if (lost_) return std::unexpected<Error>(lost_->clone());
  if (mine_.empty()) return {};
  if (replacing_.empty()) {
    // The wall clock counts time asleep, the monotonic one goes on when somebody sets the wall clock back.
    if (clock_.now() - mine_time_ < kRefresh && clock_.monotonic() - mine_monotonic_ < kRefresh) return {};
    // The new one first, so that there is no moment without a lock.
    const std::string old = mine_;
    const Nanoseconds old_time = mine_time_;
    const Nanoseconds old_monotonic = mine_monotonic_;
    if (auto status = create(); !status) {
      mine_ = old;
      mine_time_ = old_time;
      mine_monotonic_ = old_monotonic;
      return status;
    }
    replacing_ = old;
  }
  // An error leaves both locks standing; the next call goes on here.
  CAIRN_TRY(const std::vector<Owner> owners, list());
  bool still_there = std::ranges::any_of(owners, [&](const Owner& o) { return o.name == replacing_; });
  if (still_there) {
    if (auto status = store_.remove(replacing_); !status) {
      if (status.error().code() != Code::NotFound) return status;
      still_there = false;
    }
  }
  replacing_.clear();
  if (!still_there) {
    CAIRN_CHECKED(remove_mine());
    lose("Somebody removed the lock of this process, it can not go on safely.");
    return std::unexpected<Error>(lost_->clone());
  }
  return {};
}

Status Lock::verify() {
  CAIRN_CHECKED(refresh());
  const std::lock_guard guard(mutex_);
  if (mine_.empty()) return {};
  CAIRN_TRY(const store::Info info, store_.info(mine_));
  if (info.exists) return {};
  mine_.clear();
  lose("Somebody removed the lock of this process, it can not go on safely.");
  return std::unexpected<Error>(lost_->clone());
}

Status Lock::release() {
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (timer_.joinable()) timer_.join();
  const std::lock_guard guard(mutex_);
  return remove_mine();
}

void Lock::run_timer() {
  std::unique_lock guard(mutex_);
  while (!stopping_) {
    wake_.wait_for(guard, std::chrono::nanoseconds(kTimerStep), [this] { return stopping_; });
    if (stopping_) return;
    guard.unlock();
    if (auto status = refresh(); !status) {
      log(Level::Debug, kLogger, fmt::format("Refreshing the lock: {}", status.error().text()));
      if (check().has_value()) {
        // A store error, not a lost lock: the next round tries again, well before the lock goes stale.
        log(Level::Warning, kLogger, fmt::format("The lock could not be refreshed: {}", status.error().text()));
      }
    }
    guard.lock();
  }
}

Status Lock::break_all(store::Store& store) {
  CAIRN_TRY(const auto entries, store.list("locks"));
  for (const auto& entry : entries) {
    if (auto status = store.remove(fmt::format("locks/{}", entry.name));
        !status && status.error().code() != Code::NotFound) {
      return status;
    }
  }
  return store.sync();
}

}  // namespace cairn::repo

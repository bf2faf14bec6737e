#include "base/clock.h"

#include <cerrno>
#include <ctime>

namespace cairn {
namespace {

class SystemClock final : public Clock {
 public:
  Nanoseconds now() const override { return read(CLOCK_REALTIME); }
  Nanoseconds monotonic() const override { return read(CLOCK_MONOTONIC); }
  void sleep(Nanoseconds duration) const override {
    timespec left{.tv_sec = duration / kSecond, .tv_nsec = duration % kSecond};
    while (::nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
  }

 private:
  static Nanoseconds read(clockid_t id) {
    timespec t{};
    ::clock_gettime(id, &t);
    return t.tv_sec * kSecond + t.tv_nsec;
  }
};

}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

}  // namespace cairn

#include "cli/signals.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

namespace cairn::cli {
namespace {

std::atomic<bool> g_interrupted{false};
std::atomic<int> g_signal{0};
std::atomic<long long> g_first_ns{0};

long long monotonic_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

void on_signal(int number) {
  int none = 0;
  if (g_signal.compare_exchange_strong(none, number)) {
    g_first_ns.store(monotonic_ns());
    g_interrupted.store(true);
    return;
  }
  // A key that bounces is not a second wish.
  if (number == SIGINT && monotonic_ns() - g_first_ns.load() >= 20'000'000) ::_exit(128 + SIGINT);
}

}  // namespace

void catch_signals() {
  struct sigaction action{};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(number, &action, nullptr);
}

const std::atomic<bool>& interrupted() { return g_interrupted; }
int caught_signal() { return g_signal.load(); }

}  // namespace cairn::cli

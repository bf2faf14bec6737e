#include "exec/threads.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <string>
#include <thread>

namespace cairn::exec {
namespace {

unsigned allowed_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0) {
    const int count = CPU_COUNT(&set);
    if (count > 0) return static_cast<unsigned>(count);
  }
  return std::max(1U, std::thread::hardware_concurrency());  // more processors than cpu_set_t holds
}

// cgroup v2: "MAX PERIOD" in microseconds, or "max PERIOD". Every group up to the root may limit.
unsigned quota_processors() {
  std::ifstream membership("/proc/self/cgroup");
  std::string line;
  std::string group;
  while (std::getline(membership, line)) {
    if (line.starts_with("0::")) group = line.substr(3);
  }
  unsigned best = ~0U;
  while (!group.empty()) {
    std::ifstream limit("/sys/fs/cgroup" + (group == "/" ? std::string() : group) + "/cpu.max");
    std::string quota;
    std::uint64_t period = 0;
    if (limit >> quota >> period && quota != "max" && period > 0) {
      std::uint64_t microseconds = 0;
      std::from_chars(quota.data(), quota.data() + quota.size(), microseconds);
      if (microseconds > 0) best = std::min(best, static_cast<unsigned>((microseconds + period - 1) / period));
    }
    if (group == "/") break;
    const auto slash = group.rfind('/');
    group = slash == std::string::npos ? std::string() : (slash == 0 ? "/" : group.substr(0, slash));
  }
  return best;
}

}  // namespace

unsigned default_threads() { return std::max(1U, std::min({allowed_processors(), quota_processors(), 32U})); }

Result<unsigned> parse_threads(std::string_view text) {
  unsigned threads = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
  if (error != std::errc() || end != text.data() + text.size() || threads < 1 || threads > 1024) {
    return fail(Code::Usage, "the number of threads must be from 1 to 1024, but is: '" + std::string(text) + "'");
  }
  return threads;
}

}  // namespace cairn::exec

#include "chunk/kernel_race.h"

#include <time.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/check.h"
#include "chunk/cutter.h"
#include "chunk/kernel_list.h"

namespace cairn::chunk {
namespace {

constexpr std::size_t kData = 256 * 1024;
constexpr int kRounds = 5;

struct Runner {
  std::string_view name;
  std::unique_ptr<Cutter> cutter;
  std::int64_t best = -1;  // nanoseconds of CPU
};

// Of this thread: what others do meanwhile counts only through the caches.
std::int64_t cpu_time() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

Buffer arbitrary_bytes() {
  Buffer data(kData);
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < kData; i += 8) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    store_le(data.data() + i, state ^ (state >> 29U));
  }
  return data;
}

std::int64_t time_of_cutting(const Cutter& cutter, Bytes data) {
  const std::int64_t start = cpu_time();
  std::size_t length = 0;
  do {
    Scan scan;
    length = cutter.cut(data, false, false, scan);
    data = data.subspan(length);
  } while (length > 0);
  return cpu_time() - start;
}

}  // namespace

std::string_view fastest_kernel(Algorithm algorithm) {
  Params params{.algorithm = algorithm, .fail_map = {}};
  params.min_exp = 10;  // nearly everything is scanned
  std::vector<Runner> runners;
  for (const KernelChoice& choice : kernels_of(algorithm)) {
    if (!choice.runs) continue;
    auto cutter = make_cutter(params, {.id_key = {}, .without_repository = true}, choice.name);
    CAIRN_CHECK(cutter.has_value(), "a kernel that runs");
    runners.push_back({.name = choice.name, .cutter = std::move(*cutter)});
  }
  if (runners.empty()) return {};
  const Buffer data = arbitrary_bytes();
  // In turn, so that what disturbs the machine for a moment does not hit one of them alone.
  for (int round = 0; round < kRounds; ++round) {
    for (Runner& runner : runners) {
      const std::int64_t time = time_of_cutting(*runner.cutter, data);
      if (runner.best < 0 || time < runner.best) runner.best = time;
    }
  }
  return std::ranges::min_element(runners, {}, &Runner::best)->name;
}

}  // namespace cairn::chunk

#include "measure/blake3_speed.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

#include "base/buffer.h"
#include "base/check.h"
#include "exec/pool.h"
#include "hash/blake3.h"
#include "measure/ready_pool.h"

namespace cairn::measure {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kKib = 1024;
constexpr std::size_t kMib = 1024 * kKib;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Keeps results alive, so that no hash can be left out.
void use(const Digest256& digest) {
  static volatile unsigned char sink = 0;
  sink = static_cast<unsigned char>(sink ^ std::to_integer<unsigned char>(digest.raw[0]));
}

}  // namespace

double median(std::vector<double> values) {
  CAIRN_CHECK(!values.empty(), "a median needs values");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 != 0) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

struct Blake3Meter::State {
  State(unsigned threads, std::function<bool()> asked) : pool(threads), stop(std::move(asked)) {}

  bool stopped() const { return stop && stop(); }

  // Hashes `times` times; only the hashes themselves are timed. Workers park before each, as they are when a chunk
  // comes while they have nothing to do.
  double seconds(Bytes input, std::size_t times, bool many) {
    const hash::Key256 key{};
    double sum = 0;
    if (!many) {
      const Clock::time_point start = Clock::now();
      for (std::size_t i = 0; i < times; ++i) use(hash::blake3_keyed(key, input));
      return seconds_since(start);
    }
    for (std::size_t i = 0; i < times; ++i) {
      pool.wait_until_parked();
      const Clock::time_point start = Clock::now();
      use(hash::blake3_keyed(key, input, pool.spare()));
      sum += seconds_since(start);
    }
    return sum;
  }

  Result<std::vector<double>> rates(Bytes input, std::size_t times, const Blake3Effort& effort, bool many) {
    const std::size_t warm_up = std::min<std::size_t>(100, times);
    const double warm_seconds = seconds(input, warm_up, many);
    if (effort.seconds_per_run > 0) {
      const double each = std::max(warm_seconds / static_cast<double>(warm_up), 1e-9);
      times = std::clamp<std::size_t>(static_cast<std::size_t>(effort.seconds_per_run / each), 3, times);
    }
    std::vector<double> rates;
    for (int run = 0; run < effort.runs; ++run) {
      if (stopped()) return fail(Code::Interrupted, "measuring was interrupted");
      const double bytes = static_cast<double>(input.size()) * static_cast<double>(times);
      rates.push_back(bytes / static_cast<double>(kMib) / std::max(seconds(input, times, many), 1e-9));
    }
    return rates;
  }

  ReadyPool pool;
  std::function<bool()> stop;
  Buffer data;
};

Blake3Meter::Blake3Meter(unsigned threads, std::function<bool()> stop)
    : state_(std::make_unique<State>(threads, std::move(stop))) {
  hash::set_blake3_split_threshold(0);
}

Blake3Meter::~Blake3Meter() {
  constexpr std::size_t kDefault = 256 * kKib;
  hash::set_blake3_split_threshold(hash::blake3_split_threshold().value_or(kDefault));
}

Result<Blake3Point> Blake3Meter::measure(unsigned kib, const Blake3Effort& effort) {
  CAIRN_CHECK(kib > 0 && effort.runs > 0, "nothing to measure");
  Buffer& data = state_->data;
  const std::size_t size = kib * kKib;
  if (data.size() < size) {
    data.resize(size);
    for (std::size_t i = 0; i < size; ++i) data.data()[i] = static_cast<std::byte>(i % 251);
  }
  const Bytes input = data.view(0, size);
  const std::size_t times = std::max<std::size_t>(16, effort.mib_per_run * kMib / size);
  CAIRN_TRY(const std::vector<double> single, state_->rates(input, times, effort, false));
  CAIRN_TRY(const std::vector<double> many, state_->rates(input, times, effort, true));
  Blake3Point point;
  point.kib = kib;
  point.single = median(single);
  point.many = median(many);
  point.ratio = point.many / point.single;
  const auto [least, most] = std::ranges::minmax(many);
  point.noise = (most - least) / most;
  return point;
}

}  // namespace cairn::measure

// What does it gain, and cost, to cut one window of a large file with idle workers?
//
//   segment_cut [PARAMS...]
//
// For each chunker: milliseconds to cut a window of 7 MiB alone; processor time of cutting it in parts, in relation to
// that; and the time until the cuts are known with 1 to 7 helpers. The latter is computed from the measured time of
// each part and of the serial choice, parts given to whoever is free first, so it needs no idle processors; wake-ups
// (about 0.05 ms) are not in it. The best of several rounds.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "chunk/cutter.h"
#include "chunk/segments.h"

namespace {

using namespace cairn;  // NOLINT: one small program

constexpr std::size_t kWindow = std::size_t{7} << 20U;
constexpr int kRounds = 41;

double milliseconds_of_this_thread() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

// Claims to have helpers, does all parts itself, and remembers how long each took.
class Measured final : public exec::Spare {
 public:
  explicit Measured(unsigned count) : count_(count) {}
  unsigned helpers() const override { return count_; }
  void run(std::size_t parts, const std::function<void(std::size_t)>& part) const override {
    times_.clear();
    for (std::size_t i = 0; i < parts; ++i) {
      const double start = milliseconds_of_this_thread();
      part(i);
      times_.push_back(milliseconds_of_this_thread() - start);
    }
  }
  double total() const {
    double sum = 0;
    for (const double time : times_) sum += time;
    return sum;
  }
  // Until the last part is done.
  double span() const {
    std::vector<double> busy(count_ + 1, 0.0);
    for (const double time : times_) *std::ranges::min_element(busy) += time;
    return std::ranges::max(busy);
  }

 private:
  const unsigned count_;
  mutable std::vector<double> times_;
};

}  // namespace

int main(int count, char** words) {
  std::vector<std::string> list(words + 1, words + count);
  if (list.empty()) list = {"fastcdc,19,23,21,2", "buzhash64,19,23,21,4095,2", "buzhash,19,23,21,4095"};
  Buffer window(kWindow);
  std::uint64_t state = 1;
  for (std::size_t at = 0; at + 8 <= kWindow; at += 8) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::uint64_t mixed = state ^ (state >> 29U);
    std::memcpy(window.data() + at, &mixed, 8);
  }
  for (const std::string& text : list) {
    const auto params = chunk::parse_params(text);
    const auto cutter = params ? chunk::make_cutter(*params, {}) : Result<std::unique_ptr<chunk::Cutter>>();
    if (!params || !cutter) {
      fmt::print(stderr, "{}: {}\n", text, params ? cutter.error().message() : params.error().message());
      return 2;
    }
    double alone = 1e9;
    for (int round = 0; round < kRounds; ++round) {
      const double start = milliseconds_of_this_thread();
      (void)chunk::cut_buffer(**cutter, window, true, true, exec::no_spare());
      alone = std::min(alone, milliseconds_of_this_thread() - start);
    }
    fmt::print("{} ({}): alone {:.2f} ms", text, (*cutter)->kernel(), alone);
    for (const unsigned helpers : {1U, 2U, 3U, 5U, 7U}) {
      double span = 1e9;
      double cost = 1e9;
      for (int round = 0; round < kRounds; ++round) {
        const Measured spare(helpers);
        const double start = milliseconds_of_this_thread();
        (void)chunk::cut_buffer(**cutter, window, true, true, spare);
        const double all = milliseconds_of_this_thread() - start;
        cost = std::min(cost, all);
        span = std::min(span, all - spare.total() + spare.span());
      }
      if (helpers == 1) fmt::print(", in parts {:.2f} times the processor time; with helpers", cost / alone);
      fmt::print(" {}: {:.2f} ms", helpers, span);
    }
    fmt::print("\n");
  }
}

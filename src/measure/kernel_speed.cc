#include "measure/kernel_speed.h"

#include <array>
#include <chrono>
#include <cstdint>

#include <fmt/format.h>

#include "base/buffer.h"
#include "chunk/cutter.h"
#include "chunk/kernel_list.h"
#include "measure/blake3_speed.h"

namespace cairn::measure {
namespace {

constexpr double kWorthAChange = 1.03;
constexpr std::size_t kDataBytes = std::size_t{8} << 20U;

// The chunkers with the parameters that `benchmark cpu` uses.
constexpr std::array<std::string_view, 6> kChunkers = {"fastcdc,19,23,21,2",    "buzhash64,19,23,21,4095,2",
                                                       "buzhash,19,23,21,4095", "toeplitz-aes,19,23,21,2",
                                                       "rabin-aes,19,23,21,2",  "goldilocks-aes,19,23,21,2"};

void fill_random(MutableBytes data) {
  std::uint64_t state = 1;
  for (std::size_t i = 0; i + 8 <= data.size(); i += 8) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    store_le(data.data() + i, state);
  }
}

std::size_t cut_all(const chunk::Cutter& cutter, Bytes data) {
  std::size_t chunks = 0;
  while (!data.empty()) {
    chunk::Scan scan;
    data = data.subspan(cutter.cut(data, true, chunks == 0, scan));
    ++chunks;
  }
  return chunks;
}

double rate(const chunk::Cutter& cutter, Bytes data, double seconds) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  double elapsed = 0;
  double rounds = 0;
  do {
    (void)cut_all(cutter, data);
    ++rounds;
    elapsed = std::chrono::duration<double>(Clock::now() - start).count();
  } while (elapsed < seconds);
  return rounds * static_cast<double>(data.size()) / (1024 * 1024) / elapsed;
}

}  // namespace

std::string ChunkerKernels::best() const {
  const KernelRate* fastest = nullptr;
  double most = 0;
  double of_usual = 0;
  for (const KernelRate& kernel : rates) {
    if (kernel.runs.empty()) continue;
    const double speed = median(kernel.runs);
    if (kernel.name == usual) of_usual = speed;
    if (fastest != nullptr && speed <= most) continue;
    fastest = &kernel;
    most = speed;
  }
  if (fastest == nullptr) return {};
  return of_usual > 0 && most <= of_usual * kWorthAChange ? usual : fastest->name;
}

Status measure_kernels(const KernelEffort& effort, const std::function<bool()>& stop,
                       const std::function<void(std::string_view step)>& step, std::vector<ChunkerKernels>& found) {
  found.clear();
  Buffer data(kDataBytes);
  fill_random(data);
  for (const std::string_view text : kChunkers) {
    CAIRN_TRY(const chunk::Params params, chunk::parse_params(text));
    ChunkerKernels chunker{.chunker = std::string(chunk::name_of(params.algorithm)),
                           .params = std::string(text),
                           .usual = std::string(chunk::default_kernel(params.algorithm))};
    found.push_back(chunker);
    std::vector<std::unique_ptr<chunk::Cutter>> cutters;
    for (const chunk::KernelChoice& kernel : chunk::kernels_of(params.algorithm)) {
      if (!kernel.runs) continue;
      CAIRN_TRY(auto cutter, chunk::make_cutter(params, {.without_repository = true}, kernel.name));
      cutters.push_back(std::move(cutter));
      found.back().rates.push_back({.name = std::string(kernel.name)});
    }
    // Kernel after kernel, then all again: what disturbs the machine for a moment does not hit one of them alone.
    for (int run = 0; run < effort.runs; ++run) {
      for (std::size_t i = 0; i < cutters.size(); ++i) {
        if (stop && stop()) return fail(Code::Interrupted, "measuring was interrupted");
        step(fmt::format("{}, {}", found.back().chunker, found.back().rates[i].name));
        found.back().rates[i].runs.push_back(rate(*cutters[i], data, effort.seconds_per_run));
      }
    }
  }
  return {};
}

}  // namespace cairn::measure

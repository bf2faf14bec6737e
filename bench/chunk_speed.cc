// How fast does each chunker cut, with each kernel? MB/s of 10^6 bytes, over everything, the skipped parts included.
//
//   chunk_speed [PARAMS...]
//
// Random bytes as one buffer of 64 MiB (memory); then a window that stays in the L2 cache, cut again and again with a
// smallest chunk of at most 4 KiB, so that nearly every byte is scanned; then zeros. CPU time, the best of several
// rounds: other work on the machine only ever slows a round down.
#include <fmt/format.h>
#include <time.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "chunk/cutter.h"
#include "chunk/kernel_list.h"

namespace {

using cairn::Bytes;
using cairn::chunk::Cutter;
using cairn::chunk::Scan;

constexpr std::size_t kBuffer = std::size_t{64} << 20U;
constexpr std::size_t kWindow = std::size_t{512} << 10U;
constexpr int kRounds = 15;

std::vector<std::byte> random_bytes(std::size_t size) {
  std::vector<std::byte> data(size);
  std::uint64_t state = 1;
  for (std::size_t i = 0; i + 8 <= size; i += 8) {
    state += 0x9E3779B97F4A7C15U;
    std::uint64_t z = (state ^ (state >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    cairn::store_le(data.data() + i, z ^ (z >> 31U));
  }
  return data;
}

std::size_t cut_all(const Cutter& cutter, Bytes data) {
  std::size_t count = 0;
  while (!data.empty()) {
    Scan scan;
    data = data.subspan(cutter.cut(data, true, count == 0, scan));
    ++count;
  }
  return count;
}

// Of this thread: what others do meanwhile counts only through the caches.
double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Megabytes per second of cutting `total` bytes, `data` again and again.
double speed(const Cutter& cutter, Bytes data, std::size_t total) {
  double best = 0;
  std::size_t chunks = 0;
  for (int round = 0; round < kRounds; ++round) {
    const double start = cpu_seconds();
    std::size_t done = 0;
    for (; done < total; done += data.size()) chunks += cut_all(cutter, data);
    best = std::max(best, static_cast<double>(done) / (cpu_seconds() - start) / 1e6);
  }
  return chunks > 0 ? best : 0;
}

void measure(const std::string& text, const std::vector<std::byte>& random, const std::vector<std::byte>& zeros) {
  const cairn::Result<cairn::chunk::Params> params = cairn::chunk::parse_params(text);
  if (!params) {
    fmt::print(stderr, "{}: {}\n", text, params.error().text());
    return;
  }
  cairn::chunk::Keys keys;
  keys.without_repository = true;
  std::vector<std::string_view> kernels;
  for (const cairn::chunk::KernelChoice& choice : cairn::chunk::kernels_of(params->algorithm)) {
    if (choice.runs) kernels.push_back(choice.name);
  }
  if (kernels.empty()) kernels.emplace_back();
  cairn::chunk::Params small = *params;
  small.min_exp = std::min(small.min_exp, 12);
  for (const std::string_view kernel : kernels) {
    const cairn::Result<std::unique_ptr<Cutter>> cutter = cairn::chunk::make_cutter(*params, keys, kernel);
    const cairn::Result<std::unique_ptr<Cutter>> scanning = cairn::chunk::make_cutter(small, keys, kernel);
    if (!cutter || !scanning) {
      fmt::print(stderr, "{}: {}\n", text, (cutter ? scanning : cutter).error().text());
      continue;
    }
    fmt::print("{:28} {:10} {:9.0f} {:9.0f} {:9.0f}\n", text, kernel.empty() ? "-" : kernel,
               speed(**cutter, random, kBuffer), speed(**scanning, Bytes(random).first(kWindow), kBuffer),
               speed(**cutter, zeros, kBuffer));
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> wanted(argv + 1, argv + argc);
  if (wanted.empty()) {
    wanted = {"fixed,1048576",         "fastcdc,19,23,21,2",      "fastcdc,15,19,17,2",   "buzhash64,19,23,21,4095,2",
              "buzhash,19,23,21,4095", "toeplitz-aes,19,23,21,2", "rabin-aes,19,23,21,2", "goldilocks-aes,19,23,21,2"};
  }
  const std::vector<std::byte> random = random_bytes(kBuffer);
  const std::vector<std::byte> zeros(kBuffer);
  fmt::print("{:28} {:10} {:>9} {:>9} {:>9}\n", "MB/s", "kernel", "64 MiB", "L2, all", "zeros");
  for (const std::string& text : wanted) measure(text, random, zeros);
}

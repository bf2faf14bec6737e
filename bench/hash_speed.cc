// How fast is hashing? MB/s of every BLAKE3 kernel that this CPU runs, of plain and keyed BLAKE3 as the program uses
// it, and of HMAC-SHA-256, over input sizes from 100 bytes to 64 MiB. Arguments: seconds per figure (default 0.2).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "cpu/features.h"
#include "hash/blake3.h"
#include "hash/kernels/blake3_many.h"
#include "hash/sha256.h"

namespace {

using cairn::Bytes;

constexpr std::size_t kSizes[] = {100,  256,    1024,   2048,   3000,    4096,      5000,
                                  8192, 16'384, 24'000, 65'536, 262'144, 2'097'152, 67'108'864};

double seconds_per_figure = 0.2;
std::byte sink{};

// The thread's own time: other programs may want the CPU meanwhile.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Best of five; a figure disturbed by another program is no fact about this one.
template <class Run>
double mb_per_second(std::size_t size, const Run& run) {
  double best = 0;
  for (int round = 0; round < 5; ++round) {
    std::size_t times = 0;
    const double start = cpu_seconds();
    double elapsed = 0;
    do {
      for (std::size_t i = 0; i < std::max<std::size_t>(1, 65'536 / size); ++i, ++times) run();
      elapsed = cpu_seconds() - start;
    } while (elapsed < seconds_per_figure / 5);
    best = std::max(best, static_cast<double>(size) * static_cast<double>(times) / elapsed / 1e6);
  }
  return best;
}

template <class Hash>
void print_row(const char* name, const std::vector<std::byte>& input, const Hash& hash) {
  std::printf("%-16s", name);
  for (const std::size_t size : kSizes) {
    std::printf(" %9.0f", mb_per_second(size, [&] { sink ^= hash(Bytes(input).first(size)); }));
    std::fflush(stdout);
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) seconds_per_figure = std::atof(argv[1]);
  std::vector<std::byte> input(kSizes[std::size(kSizes) - 1]);
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<std::byte>((i * 2654435761U) >> 24U);

  std::printf("%s\n%-16s", cairn::cpu::model_name().c_str(), "MB/s at bytes");
  for (const std::size_t size : kSizes) std::printf(" %9zu", size);
  std::printf("\n");

  const cairn::hash::Key256 key{std::byte{1}, std::byte{2}};
  print_row("blake3", input, [](Bytes bytes) { return cairn::hash::blake3(bytes).raw[0]; });
  print_row("blake3 keyed", input, [&](Bytes bytes) { return cairn::hash::blake3_keyed(key, bytes).raw[0]; });
  const cairn::hash::HmacSha256 hmac{Bytes(key)};
  print_row("hmac-sha256", input, [&](Bytes bytes) { return hmac({bytes}).raw[0]; });
  print_row("sha256", input, [&](Bytes bytes) { return cairn::hash::sha256(bytes).raw[0]; });

  std::vector<std::byte> cvs(input.size() / 32 + 32);
  for (const cairn::hash::Blake3Many& kernel : cairn::hash::blake3_manys()) {
    if (!cairn::cpu::has(kernel.needs)) continue;
    print_row((std::string("chunks ") + kernel.name).c_str(), input, [&](Bytes bytes) {
      kernel.chunks(bytes.data(), bytes.size(), cairn::hash::kBlake3Iv, 0, 0, cvs.data());
      return cvs[0];
    });
  }
  return sink == std::byte{1} ? 2 : 0;
}

// What does an envelope cost? Sealing and opening in every suite: nanoseconds per message and GB/s of 10^9 bytes, best
// of several rounds, with 74 bytes of additional data as repository objects have. Data in the cache of the core.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "crypt/envelope.h"

namespace {

using namespace cairn;
using namespace cairn::crypt;

constexpr int kRounds = 5;

// The thread's own time: other programs may want the CPU meanwhile.
double cpu_nanoseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

template <class Call>
double best_of(std::size_t repeats, const Call& call) {
  double best = 1e18;
  for (int round = 0; round < kRounds; ++round) {
    const double start = cpu_nanoseconds();
    for (std::size_t i = 0; i < repeats; ++i)
      if (!call()) std::abort();
    best = std::min(best, (cpu_nanoseconds() - start) / static_cast<double>(repeats));
  }
  return best;
}

void measure(const Suite& suite, const KeyMaterial& material, std::size_t size) {
  Sealer sealer(suite, material);
  Opener opener(suite, material);
  Buffer plain(size);
  Buffer aad(74);
  random_bytes(plain);
  random_bytes(aad);
  Buffer envelope(size + suite.overhead());
  Buffer back;
  const std::size_t repeats = std::clamp<std::size_t>(100'000'000 / (size + 1), 20, 50'000);
  const double seal = best_of(repeats, [&] { return sealer.seal(aad, plain, envelope).has_value(); });
  const double open = best_of(repeats, [&] { return opener.open(aad, envelope, back).has_value(); });
  fmt::print("{:20} {:7} bytes  seal {:9.0f} ns {:5.2f} GB/s  open {:9.0f} ns {:5.2f} GB/s\n", suite.encryption(), size,
             seal, static_cast<double>(size) / seal, open, static_cast<double>(size) / open);
}

}  // namespace

int main() {
  const KeyMaterial material = make_key_material({});
  for (const auto& [encryption, id_hash] :
       {std::pair("aes256-ocb", "sha256"), std::pair("chacha20-poly1305", "sha256"),
        std::pair("authenticated-sha256", "sha256"), std::pair("authenticated-blake3", "blake3")})
    for (const std::size_t size : {std::size_t{60}, std::size_t{4096}, std::size_t{2} << 20U})
      measure(*find_suite(encryption, id_hash), material, size);
  return 0;
}

#include "exec/delay.h"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <thread>

#include "base/env.h"

namespace cairn::exec {
namespace detail {

namespace {
std::atomic<std::uint64_t> g_state{0};

unsigned seed_from_environment() {
  const auto text = env_nonempty("CAIRN_TEST_DELAY");
  unsigned seed = 0;
  if (text) std::from_chars(text->data(), text->data() + text->size(), seed);
  g_state.store(seed);
  return seed;
}
}  // namespace

std::atomic<bool> delays_on{seed_from_environment() != 0};

void pause_at_random() {
  std::uint64_t z = g_state.fetch_add(0x9E3779B97F4A7C15ULL, std::memory_order_relaxed);
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  z ^= z >> 31U;
  if (z % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(z / 4 % 300));
}

}  // namespace detail

void set_delay_seed(unsigned seed) {
  detail::g_state.store(seed);
  detail::delays_on.store(seed != 0);
}

}  // namespace cairn::exec

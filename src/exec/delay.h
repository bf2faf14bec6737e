// A testing aid: seeded random pauses at every hand-over between threads, so that rare orders become common.
//
// Off unless CAIRN_TEST_DELAY=SEED is set; then costs one relaxed load per hand-over.
#pragma once

#include <atomic>

namespace cairn::exec {

namespace detail {
extern std::atomic<bool> delays_on;
void pause_at_random();
}  // namespace detail

inline void hand_over() {
  if (detail::delays_on.load(std::memory_order_relaxed)) [[unlikely]]
    detail::pause_at_random();
}

// For unit tests; 0 switches off.
void set_delay_seed(unsigned seed);

}  // namespace cairn::exec

// Four lanes in two vectors. Words are loaded straight into their places, so that nothing crosses between the register
// files.
#include <arm_neon.h>

#include "chunk/kernels/gear_lanes.h"

namespace cairn::chunk::kernels {
namespace {

struct Neon {
  static constexpr std::size_t kLanes = 4;
  static constexpr std::size_t kRow = 16;

  static unsigned scan_row(const GearTable& table, const std::byte* data, std::size_t stride, std::uint64_t limit,
                           std::uint64_t* states) {
    const uint64x2_t limits = vdupq_n_u64(limit);
    uint64x2_t low = vld1q_u64(states);
    uint64x2_t high = vld1q_u64(states + 2);
    uint64x2_t low_hits = vdupq_n_u64(0);
    uint64x2_t high_hits = low_hits;
    const auto word = [&](const std::byte* at) { return table.words + static_cast<std::uint8_t>(*at); };
    for (const std::byte* at = data; at != data + kRow; ++at) {
      const uint64x2_t low_words = vld1q_lane_u64(word(at + stride), vld1q_dup_u64(word(at)), 1);
      const uint64x2_t high_words = vld1q_lane_u64(word(at + 3 * stride), vld1q_dup_u64(word(at + 2 * stride)), 1);
      low = vaddq_u64(vaddq_u64(low, low), low_words);
      high = vaddq_u64(vaddq_u64(high, high), high_words);
      low_hits = vorrq_u64(low_hits, vcltq_u64(low, limits));
      high_hits = vorrq_u64(high_hits, vcltq_u64(high, limits));
    }
    vst1q_u64(states, low);
    vst1q_u64(states + 2, high);
    if (vmaxvq_u32(vreinterpretq_u32_u64(vorrq_u64(low_hits, high_hits))) == 0) return 0;
    return static_cast<unsigned>((vgetq_lane_u64(low_hits, 0) & 1U) | (vgetq_lane_u64(low_hits, 1) & 2U) |
                                 (vgetq_lane_u64(high_hits, 0) & 4U) | (vgetq_lane_u64(high_hits, 1) & 8U));
  }
};

}  // namespace

std::size_t gear_find_neon(const GearTable& table, const std::byte* data, std::size_t size, std::uint64_t limit,
                           std::uint64_t* state) {
  return gear_find_with<Neon>(table, data, size, limit, state);
}

}  // namespace cairn::chunk::kernels

// Four lanes in two vectors. Words are loaded straight into their places, so that nothing crosses between the register
// files.
#include <arm_neon.h>

#include "chunk/kernels/buz_lanes.h"

namespace cairn::chunk::kernels {
namespace {

class Neon {
 public:
  static constexpr std::size_t kLanes = 4;
  static constexpr std::size_t kRow = 16;

  explicit Neon(std::uint64_t mask) : masks_(vdupq_n_u64(mask)) {}

  void take_row(const LookupTable<std::uint64_t>& in, const std::byte* data, std::size_t stride,
                std::uint64_t* states) const {
    uint64x2_t low = vld1q_u64(states);
    uint64x2_t high = vld1q_u64(states + 2);
    for (const std::byte* at = data; at != data + kRow; ++at) {
      low = veorq_u64(turn(low), two_words(in, at, stride));
      high = veorq_u64(turn(high), two_words(in, at + 2 * stride, stride));
    }
    vst1q_u64(states, low);
    vst1q_u64(states + 2, high);
  }

  unsigned scan_row(const BuzTables<std::uint64_t>& tables, const std::byte* data, std::size_t window,
                    std::size_t stride, std::uint64_t* states) const {
    uint64x2_t low = vld1q_u64(states);
    uint64x2_t high = vld1q_u64(states + 2);
    uint64x2_t low_misses = vdupq_n_u64(~std::uint64_t{0});
    uint64x2_t high_misses = low_misses;
    const auto advance = [&](uint64x2_t hash, const std::byte* at) {
      const uint64x2_t change = veorq_u64(two_words(tables.out, at, stride), two_words(tables.in, at + window, stride));
      return veorq_u64(turn(hash), change);
    };
    for (const std::byte* at = data; at != data + kRow; ++at) {
      low_misses = vandq_u64(low_misses, vtstq_u64(low, masks_));
      high_misses = vandq_u64(high_misses, vtstq_u64(high, masks_));
      low = advance(low, at);
      high = advance(high, at + 2 * stride);
    }
    vst1q_u64(states, low);
    vst1q_u64(states + 2, high);
    if (vminvq_u32(vreinterpretq_u32_u64(vandq_u64(low_misses, high_misses))) != 0) return 0;
    const std::uint64_t misses = (vgetq_lane_u64(low_misses, 0) & 1U) | (vgetq_lane_u64(low_misses, 1) & 2U) |
                                 (vgetq_lane_u64(high_misses, 0) & 4U) | (vgetq_lane_u64(high_misses, 1) & 8U);
    return static_cast<unsigned>(~misses & 15U);
  }

 private:
  static uint64x2_t turn(uint64x2_t hash) { return vsriq_n_u64(vshlq_n_u64(hash, 1), hash, 63); }
  static uint64x2_t two_words(const LookupTable<std::uint64_t>& table, const std::byte* at, std::size_t stride) {
    const uint64x2_t first = vld1q_dup_u64(table.words + static_cast<std::uint8_t>(*at));
    return vld1q_lane_u64(table.words + static_cast<std::uint8_t>(at[stride]), first, 1);
  }

  uint64x2_t masks_;
};

}  // namespace

std::size_t buz_find_neon(const BuzTables<std::uint64_t>& tables, const std::byte* data, std::size_t window,
                          std::size_t count, std::uint64_t mask, std::uint64_t* state) {
  return buz_find_with<Neon>(tables, data, window, count, mask, state);
}

}  // namespace cairn::chunk::kernels

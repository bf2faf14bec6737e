// toeplitz-aes, rabin-aes and goldilocks-aes: a digest of the last 64 bytes, encrypted, decides (docs/format, chunkers,
// sections 1.2, 3.1 and 5.3). One cutter for the three, which differ in the digest alone.
#include <openssl/crypto.h>

#include <algorithm>

#include "chunk/aes_secret.h"
#include "chunk/cutters.h"
#include "chunk/kernel_choice.h"
#include "chunk/runs.h"
#include "chunk/segments.h"

namespace cairn::chunk {
namespace {

using kernels::kAesWindow;

// Runs of equal bytes are looked for once per block; kernels get at least this much to spread over lanes.
constexpr std::size_t kBlock = 262144;

constexpr std::uint64_t low(int bits) { return (std::uint64_t{1} << static_cast<unsigned>(bits)) - 1; }

template <class Digest>
class AesCutter final : public Cutter, public Segmented {
 public:
  AesCutter(const Params& params, const kernels::AesSecret<Digest>& secret, const kernels::AesScan<Digest>& scan)
      : secret_(secret),
        find_(scan.find),
        min_size_(std::size_t{1} << params.min_exp),
        max_size_(std::size_t{1} << params.max_exp),
        normal_(normal_size(params)),
        loose_bits_(params.mask_bits - params.nc_level),
        strict_(low(params.mask_bits + params.nc_level)),
        loose_(low(params.mask_bits - params.nc_level)) {
    max_chunk_ = max_size_;
    min_chunk_ = min_size_;
    kernel_ = scan.name;
  }
  ~AesCutter() override { OPENSSL_cleanse(&secret_, sizeof secret_); }

  std::size_t cut(Bytes chunk, bool final, bool, Scan& scan) const override {
    if (chunk.size() <= min_size_) return final ? chunk.size() : 0;
    // The first window begins inside the chunk, as no chunk is shorter than a window; so there is no state to carry.
    if (!scan.started) scan = {.position = min_size_, .state = 0, .started = true};
    const std::size_t end = std::min(chunk.size(), max_size_);
    if (find_until(chunk, std::min(end, normal_), strict_, scan.position) ||
        find_until(chunk, end, loose_, scan.position)) {
      return scan.position + 1;
    }
    return final || end == max_size_ ? end : 0;
  }

  const Segmented* segmented() const override { return this; }

  Rules rules() const override {
    return {.min_size = min_size_,
            .max_size = max_size_,
            .normal = normal_,
            .restart = 0,
            .behind = 0,
            .counted = 1,
            .loose_bits = loose_bits_};
  }

  void find_candidates(Bytes window, std::size_t begin, std::size_t end,
                       std::vector<CandidateRange>& to) const override {
    // What lies before has no whole window, and is in the shortest chunk of all.
    std::size_t position = std::max(begin, kAesWindow);
    while (find_until(window, end, loose_, position)) {
      const std::size_t hit = position++;
      const bool strict = find_(secret_, window.data() + hit, 1, strict_) == 0;
      // The digest stands still as long as the window is inside a run of one value.
      const std::size_t first = hit + 1 - kAesWindow;
      if (const std::size_t run = run_length(window.data() + first, end - first); run > kAesWindow) {
        position = first + run;
      }
      if (!to.empty() && to.back().end == hit && to.back().strict == strict) {
        to.back().end = position;
      } else {
        to.push_back({.begin = hit, .end = position, .strict = strict});
      }
    }
  }

 private:
  // Whether some byte from `position` on, before `end`, is a cut; `position` is then that byte, else `end` (if it was
  // not beyond it before).
  bool find_until(Bytes chunk, std::size_t end, std::uint64_t mask, std::size_t& position) const {
    while (position < end) {
      const std::byte* const from = chunk.data() + position;
      const std::size_t left = end - position;
      const std::size_t run = left > kAesWindow ? run_length(from, left) : 0;
      const std::size_t count = run > kAesWindow ? kAesWindow : std::min(left, kBlock);
      const std::size_t hit = find_(secret_, from, count, mask);
      position += hit;
      if (hit < count) return true;
      // From the 64th equal byte on the digest stands still to the end of the run, and that value was just tested.
      if (run > kAesWindow) position += run - kAesWindow;
    }
    return false;
  }

  kernels::AesSecret<Digest> secret_;
  kernels::AesFind<Digest> find_;
  std::size_t min_size_, max_size_, normal_;
  int loose_bits_;
  std::uint64_t strict_, loose_;
};

template <class Digest>
Result<std::unique_ptr<Cutter>> make(const Params& params, const Keys& keys, std::string_view kernel,
                                     kernels::AesSecret<Digest> (*derive)(const Keys&)) {
  CAIRN_TRY(const kernels::AesScan<Digest>* scan,
            choose_kernel(kernels::aes_scans<Digest>(), params.algorithm, kernel));
  kernels::AesSecret<Digest> secret = derive(keys);
  auto cutter = std::make_unique<AesCutter<Digest>>(params, secret, *scan);
  OPENSSL_cleanse(&secret, sizeof secret);
  return cutter;
}

}  // namespace

Result<std::unique_ptr<Cutter>> make_toeplitz_aes(const Params& params, const Keys& keys, std::string_view kernel) {
  return make(params, keys, kernel, toeplitz_secret);
}

Result<std::unique_ptr<Cutter>> make_rabin_aes(const Params& params, const Keys& keys, std::string_view kernel) {
  return make(params, keys, kernel, rabin_secret);
}

Result<std::unique_ptr<Cutter>> make_goldilocks_aes(const Params& params, const Keys& keys, std::string_view kernel) {
  return make(params, keys, kernel, goldilocks_secret);
}

}  // namespace cairn::chunk

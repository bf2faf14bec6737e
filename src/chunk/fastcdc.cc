// FastCDC with a keyed gear table and two masks (docs/format, chunkers, sections 1.2, 3.1 and 5.1).
#include <openssl/crypto.h>

#include <algorithm>

#include "chunk/cutters.h"
#include "chunk/kernel_choice.h"
#include "chunk/kernels/gear_scan.h"
#include "chunk/runs.h"
#include "chunk/segments.h"
#include "chunk/tables.h"

namespace cairn::chunk {
namespace {

// Runs of equal bytes are looked for once per block, at a cost of some nanoseconds; kernels get at least this much to
// spread over lanes.
constexpr std::size_t kBlock = 32768;
constexpr std::size_t kWarm = 64;  // older bytes have left the hash

class FastCdcCutter final : public Cutter, public Segmented {
 public:
  FastCdcCutter(const Params& params, const Keys& keys, const kernels::GearScan& scan)
      : find_(scan.find),
        min_size_(std::size_t{1} << params.min_exp),
        max_size_(std::size_t{1} << params.max_exp),
        normal_(normal_size(params)),
        loose_bits_(params.mask_bits - params.nc_level),
        strict_(std::uint64_t{1} << (64 - params.mask_bits - params.nc_level)),
        loose_(std::uint64_t{1} << (64 - params.mask_bits + params.nc_level)) {
    Table<std::uint64_t> words = gear_table(keys);
    kernels::set_lookup_table(table_, words.data());
    OPENSSL_cleanse(words.data(), sizeof words);
    max_chunk_ = max_size_;
    min_chunk_ = min_size_;
    kernel_ = scan.name;
  }
  ~FastCdcCutter() override { OPENSSL_cleanse(&table_, sizeof table_); }

  std::size_t cut(Bytes chunk, bool final, bool, Scan& scan) const override {
    if (chunk.size() <= min_size_) return final ? chunk.size() : 0;
    if (!scan.started) scan = {.position = min_size_, .state = 0, .started = true};
    const std::size_t end = std::min(chunk.size(), max_size_);
    if (find_until(chunk, std::min(end, normal_), strict_, scan) || find_until(chunk, end, loose_, scan)) {
      return scan.position + 1;
    }
    return final || end == max_size_ ? end : 0;
  }

  const Segmented* segmented() const override { return this; }

  Rules rules() const override {
    return {.min_size = min_size_,
            .max_size = max_size_,
            .normal = normal_,
            .restart = kWarm - 1,
            .behind = 0,
            .counted = 1,
            .loose_bits = loose_bits_};
  }

  void find_candidates(Bytes window, std::size_t begin, std::size_t end,
                       std::vector<CandidateRange>& to) const override {
    Scan scan{.position = begin, .state = 0, .started = true};
    for (std::size_t i = begin - std::min(begin, kWarm); i < begin; ++i) scan.state = next(scan.state, window[i]);
    while (find_until(window, end, loose_, scan)) {
      const std::size_t hit = scan.position++;
      if (scan.position < end && next(scan.state, window[scan.position]) == scan.state) {
        // The hash stands still as long as this byte is repeated.
        const std::size_t run = run_length(window.data() + scan.position, end - scan.position);
        if (run >= kWarm) scan.position += run;
      }
      const bool strict = scan.state < strict_;
      if (!to.empty() && to.back().end == hit && to.back().strict == strict) {
        to.back().end = scan.position;
      } else {
        to.push_back({.begin = hit, .end = scan.position, .strict = strict});
      }
    }
  }

 private:
  std::uint64_t next(std::uint64_t hash, std::byte byte) const {
    return (hash << 1U) + table_.words[static_cast<std::uint8_t>(byte)];
  }

  // Whether some byte from scan.position on, before `end`, is a cut; scan.position is then that byte, else `end`.
  bool find_until(Bytes chunk, std::size_t end, std::uint64_t limit, Scan& scan) const {
    while (scan.position < end) {
      const std::byte* const from = chunk.data() + scan.position;
      const std::size_t left = end - scan.position;
      const std::size_t run = left > kWarm ? run_length(from, left) : 0;
      const std::size_t count = run > kWarm ? kWarm : std::min(left, kBlock);
      const std::size_t hit = find_(table_, from, count, limit, &scan.state);
      scan.position += hit;
      if (hit < count) return true;
      // After 64 equal bytes the hash stands still to the end of the run, and that value was just tested.
      if (run > kWarm) scan.position += run - kWarm;
    }
    return false;
  }

  kernels::GearTable table_;
  kernels::GearFind find_;
  std::size_t min_size_, max_size_, normal_;
  int loose_bits_;
  std::uint64_t strict_, loose_;
};

}  // namespace

Result<std::unique_ptr<Cutter>> make_fastcdc(const Params& params, const Keys& keys, std::string_view kernel) {
  CAIRN_TRY(const kernels::GearScan* scan, choose_kernel(kernels::gear_scans(), Algorithm::FastCdc, kernel));
  return std::make_unique<FastCdcCutter>(params, keys, *scan);
}

}  // namespace cairn::chunk

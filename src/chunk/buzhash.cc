// buzhash and buzhash64: the window lies behind the candidate cut (docs/format, chunkers, sections 1.2, 3.2 and 5.2).
// One cutter for both; they differ in the word's width, the key material and the second mask.
#include <openssl/crypto.h>

#include <algorithm>
#include <bit>

#include "chunk/cutters.h"
#include "chunk/kernel_choice.h"
#include "chunk/kernels/buz_scan.h"
#include "chunk/runs.h"
#include "chunk/segments.h"
#include "chunk/tables.h"

namespace cairn::chunk {
namespace {

// Runs of equal bytes are looked for once per block; kernels get at least this much to spread over lanes, which must be
// much longer than the window.
constexpr std::size_t kBlock = 262144;
constexpr std::size_t kRun = 64;  // shorter runs are not worth a look

template <class Word>
Word low(int bits) {
  return static_cast<Word>((std::uint64_t{1} << bits) - 1);
}

template <class Word>
class BuzhashCutter final : public Cutter, public Segmented {
 public:
  // Wipes `words`.
  BuzhashCutter(const Params& params, Table<Word>&& words, int nc_level, const kernels::BuzScan<Word>& scan)
      : find_(scan.find),
        window_(static_cast<std::size_t>(params.window)),
        min_size_(std::size_t{1} << params.min_exp),
        max_size_(std::size_t{1} << params.max_exp),
        loose_bits_(params.mask_bits - nc_level),
        strict_(low<Word>(params.mask_bits + nc_level)),
        loose_(low<Word>(params.mask_bits - nc_level)) {
    if (nc_level > 0) normal_ = normal_size(params);
    kernels::set_lookup_table(tables_.in, words.data());
    for (Word& word : words) word = std::rotl(word, params.window % kBits);
    kernels::set_lookup_table(tables_.out, words.data());
    OPENSSL_cleanse(words.data(), sizeof words);
    max_chunk_ = max_size_;
    min_chunk_ = min_size_ + window_;
    kernel_ = scan.name;
  }
  ~BuzhashCutter() override { OPENSSL_cleanse(&tables_, sizeof tables_); }

  std::size_t cut(Bytes chunk, bool final, bool, Scan& scan) const override {
    if (chunk.size() < min_size_ + window_ + 1) return final ? chunk.size() : 0;
    if (!scan.started) scan = {.position = min_size_, .state = hash_at(chunk.data() + min_size_), .started = true};
    const std::size_t available = std::min(chunk.size(), max_size_);
    // A cut needs a whole window and one byte behind it.
    const std::size_t end = available - window_;
    if (find_until(chunk, std::min(end, normal_), strict_, scan) || find_until(chunk, end, loose_, scan)) {
      return scan.position;
    }
    return final || available == max_size_ ? available : 0;
  }

  const Segmented* segmented() const override { return this; }

  Rules rules() const override {
    return {.min_size = min_size_,
            .max_size = max_size_,
            .normal = normal_,
            .restart = 0,
            .behind = window_,
            .counted = 0,
            .loose_bits = loose_bits_};
  }

  void find_candidates(Bytes window, std::size_t begin, std::size_t end,
                       std::vector<CandidateRange>& to) const override {
    const std::byte* const data = window.data();
    Scan scan{.position = begin, .state = hash_at(data + begin), .started = true};
    while (find_until(window, end, loose_, scan)) {
      const std::size_t hit = scan.position;
      const bool strict = (static_cast<Word>(scan.state) & strict_) == 0;
      const std::size_t run = run_length(data + hit, end - hit + window_);
      if (run > std::max(window_, kRun)) {
        scan.position += run - window_;
      } else {
        scan.state = take(static_cast<Word>(scan.state), data[hit + window_]) ^
                     tables_.out.words[static_cast<std::uint8_t>(data[hit])];
        ++scan.position;
      }
      if (!to.empty() && to.back().end == hit && to.back().strict == strict) {
        to.back().end = scan.position;
      } else {
        to.push_back({.begin = hit, .end = scan.position, .strict = strict});
      }
    }
  }

 private:
  static constexpr int kBits = static_cast<int>(sizeof(Word) * 8);

  std::uint64_t hash_at(const std::byte* data) const {
    Word hash = 0;
    for (std::size_t k = 0; k < window_; ++k) hash = take(hash, data[k]);
    return hash;
  }

  Word take(Word hash, std::byte byte) const {
    return std::rotl(hash, 1) ^ tables_.in.words[static_cast<std::uint8_t>(byte)];
  }

  // Whether the window at some position from scan.position on, before `end`, is a cut; scan.position is then that
  // position, else `end` (if it was not beyond it before). chunk[end + window - 1] exists.
  bool find_until(Bytes chunk, std::size_t end, Word mask, Scan& scan) const {
    while (scan.position < end) {
      const std::byte* const from = chunk.data() + scan.position;
      const std::size_t left = end - scan.position;
      const std::size_t run = run_length(from, left + window_);
      std::size_t count = std::min(left, kBlock);
      if (run > std::max(window_, kRun)) {
        // The hash stands still while the window is inside the run: one test stands for all.
        if ((static_cast<Word>(scan.state) & mask) == 0) return true;
        count = run - window_;
        scan.position += count;
        continue;
      }
      Word state = static_cast<Word>(scan.state);
      const std::size_t hit = find_(tables_, from, window_, count, mask, &state);
      scan.state = state;
      scan.position += hit;
      if (hit < count) return true;
    }
    return false;
  }

  kernels::BuzTables<Word> tables_;
  kernels::BuzFind<Word> find_;
  std::size_t window_, min_size_, max_size_;
  std::size_t normal_ = 0;
  int loose_bits_;
  Word strict_, loose_;
};

}  // namespace

Result<std::unique_ptr<Cutter>> make_buzhash64(const Params& params, const Keys& keys, std::string_view kernel) {
  CAIRN_TRY(const kernels::BuzScan<std::uint64_t>* scan,
            choose_kernel(kernels::buz64_scans(), Algorithm::Buzhash64, kernel));
  auto cutter = std::make_unique<BuzhashCutter<std::uint64_t>>(params, buzhash64_table(keys), params.nc_level, *scan);
  return cutter;
}

Result<std::unique_ptr<Cutter>> make_buzhash(const Params& params, const Keys& keys, std::string_view kernel) {
  CAIRN_TRY(const kernels::BuzScan<std::uint32_t>* scan,
            choose_kernel(kernels::buz32_scans(), Algorithm::Buzhash, kernel));
  auto cutter = std::make_unique<BuzhashCutter<std::uint32_t>>(params, buzhash_table(keys), 0, *scan);
  return cutter;
}

}  // namespace cairn::chunk

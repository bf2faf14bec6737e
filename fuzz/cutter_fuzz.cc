// Small parameters, any content, arriving in any pieces: all kernels give the same cuts as the scalar one in one go,
// the lengths sum up, and a buffer cut side by side has the same ones.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/check.h"
#include "chunk/cutter.h"
#include "chunk/kernels/buz_scan.h"
#include "chunk/kernels/gear_scan.h"
#include "chunk/segments.h"
#include "cpu/features.h"

namespace {

using namespace cairn;  // NOLINT: one small program
using chunk::Cutter;
using chunk::Params;
using chunk::Scan;

class PretendedSpare final : public exec::Spare {
 public:
  unsigned helpers() const override { return 2; }
  void run(std::size_t parts, const std::function<void(std::size_t)>& part) const override {
    for (std::size_t i = parts; i-- > 0;) part(i);
  }
};

struct Source {
  Bytes bytes;
  unsigned next() {
    if (bytes.empty()) return 0;
    const auto value = static_cast<unsigned>(bytes.front());
    bytes = bytes.subspan(1);
    return value;
  }
};

// Repeats and long runs are rare in fuzzed bytes: each pair is a value and how often it comes.
std::vector<std::byte> content(Source source) {
  std::vector<std::byte> data;
  while (!source.bytes.empty() && data.size() < 60000) {
    const unsigned value = source.next();
    if (value == 255) {
      const auto repeated = std::byte(source.next());
      data.insert(data.end(), source.next() * 16U, repeated);
    } else {
      data.push_back(std::byte(value));
    }
  }
  return data;
}

std::vector<std::size_t> cut(const Cutter& cutter, Bytes data, unsigned piece) {
  std::vector<std::size_t> lengths;
  std::size_t begin = 0;
  std::size_t at_hand = piece == 0 ? data.size() : 0;
  Scan scan;
  while (begin < data.size()) {
    const bool final = at_hand == data.size();
    const std::size_t length = cutter.cut(data.subspan(begin, at_hand - begin), final, lengths.empty(), scan);
    if (length == 0) {
      CAIRN_CHECK(!final, "undecided at the end");
      at_hand = std::min(data.size(), at_hand + piece);
      continue;
    }
    CAIRN_CHECK(length <= at_hand - begin && length <= cutter.max_chunk(), "a chunk within its limits");
    lengths.push_back(length);
    begin += length;
    scan = {};
  }
  return lengths;
}

template <class Table>
void compare(Table table, const char* variable, const Params& params, Bytes data, unsigned piece) {
  const PretendedSpare spare;
  std::vector<std::size_t> expected;
  for (const char* const reference : {"scalar", ""}) {
    for (const auto& kernel : table) {
      if (!cpu::has(kernel.needs) || (*reference != '\0' && std::string_view(kernel.name) != reference)) continue;
      const std::string prefix = params.algorithm == chunk::Algorithm::Buzhash ? "buz32_scan=" : "";
      ::setenv(variable, (prefix + kernel.name).c_str(), 1);
      const Result<std::unique_ptr<Cutter>> cutter = chunk::make_cutter(params, {});
      ::unsetenv(variable);
      CAIRN_CHECK(cutter.has_value(), "legal parameters and a kernel that runs");
      if (*reference != '\0') expected = cut(**cutter, data, 0);
      CAIRN_CHECK(cut(**cutter, data, piece) == expected, "cuts do not depend on kernel or pieces");
      CAIRN_CHECK(chunk::cut_buffer(**cutter, data, true, true, spare, 300) == expected, "nor on parts");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  Source source{std::as_bytes(std::span(bytes, size))};
  Params params;
  params.algorithm = static_cast<chunk::Algorithm>(source.next() % 3);
  params.min_exp = 6 + static_cast<int>(source.next() % 5);
  params.max_exp = params.min_exp + 1 + static_cast<int>(source.next() % 6);
  params.mask_bits = params.min_exp + static_cast<int>(source.next()) % (params.max_exp - params.min_exp + 1);
  params.nc_level = static_cast<int>(source.next()) % params.mask_bits;
  params.window = static_cast<int>(source.next() * 3);
  const unsigned piece = source.next() * 5;
  if (!chunk::check_params(params)) return 0;
  const std::vector<std::byte> data = content(source);
  switch (params.algorithm) {
    case chunk::Algorithm::FastCdc:
      compare(chunk::kernels::gear_scans(), "BORG_FASTCDC_KERNEL", params, data, piece);
      break;
    case chunk::Algorithm::Buzhash64:
      compare(chunk::kernels::buz64_scans(), "BORG_BUZHASH64_KERNEL", params, data, piece);
      break;
    default:
      compare(chunk::kernels::buz32_scans(), "CAIRN_KERNELS", params, data, piece);
      break;
  }
  return 0;
}

// A map of create --map: what is accepted has no gaps, and written out again it means the same.
#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "base/check.h"
#include "ops/input_map.h"

using namespace cairn;  // NOLINT: one small program

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = text_of(std::as_bytes(std::span(data, size)));
  const auto map = ops::parse_input_map(text, "map", true);
  if (!map) {
    CAIRN_CHECK(!map.error().message().empty(), "an error has a message");
    return 0;
  }
  std::string again;
  std::uint64_t next = 0;
  for (const ops::InputRange& range : *map) {
    CAIRN_CHECK(range.start == next && range.length > 0, "no gaps");
    next = range.start + range.length;
    constexpr const char* kStates[] = {" data\n", " zero\n", " same\n"};
    again += std::to_string(range.start) + " " + std::to_string(range.length) + kStates[static_cast<int>(range.state)];
  }
  CAIRN_CHECK(next > 0 && next == ops::covered_bytes(*map), "it covers something");
  CAIRN_CHECK(ops::parse_input_map(again, "map", true) == *map, "the same once more");

  // A reference cut into equal chunks, of which every third is gone.
  std::vector<archive::ChunkRef> reference(64);
  for (auto& chunk : reference)
    chunk.size = static_cast<std::uint32_t>(std::min<std::uint64_t>(next / 50 + 1, 1 << 23));
  std::size_t asked = 0;
  std::uint64_t covered = 0;
  for (const ops::InputPart& part :
       ops::plan_input(*map, reference, [&](const archive::ChunkRef&) { return ++asked % 3 != 0; })) {
    for (const auto& chunk : part.reused) covered += chunk.size;
    for (const ops::InputRange& range : part.ranges) covered += range.length;
  }
  CAIRN_CHECK(covered == next, "the parts cover the input");
  return 0;
}

// What sysfs says of processors and caches: lists are ascending and bounded, sizes are within the bounds when used.
#include <algorithm>
#include <cstdint>

#include "base/bytes.h"
#include "base/check.h"
#include "cpu/topology.h"

using namespace cairn;  // NOLINT: one small program

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = text_of(std::as_bytes(std::span(data, size)));
  if (const auto list = cpu::parse_processor_list(text)) {
    CAIRN_CHECK(list->size() <= cpu::kMostProcessors, "no more than there can be");
    CAIRN_CHECK(std::ranges::adjacent_find(*list, std::ranges::greater_equal()) == list->end(), "ascending");
    CAIRN_CHECK(list->empty() || list->back() < cpu::kMostProcessors, "no number beyond the last");
  }
  const auto cache = cpu::parse_cache_size(text);
  CAIRN_CHECK(!cache || *cache > 0, "a cache has a size");
  const std::size_t usable = cpu::usable_cache(cache);
  CAIRN_CHECK(usable >= std::size_t{8} << 20U && usable <= std::size_t{64} << 20U, "8 to 64 MiB");
  return 0;
}

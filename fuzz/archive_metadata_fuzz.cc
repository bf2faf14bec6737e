// Decodes archive metadata; what was accepted must come back from its own encoding.
#include <cstdint>
#include <cstdlib>

#include "archive/metadata.h"
#include "archive/summary.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto metadata = cairn::archive::decode_metadata(std::as_bytes(std::span(data, size)));
  if (!metadata) return 0;
  cairn::Buffer once;
  encode(*metadata, once);
  if (metadata->version == 2) {
    const auto again = cairn::archive::decode_metadata(once);
    if (!again) std::abort();
    cairn::Buffer twice;
    encode(*again, twice);
    if (cairn::text_of(once) != cairn::text_of(twice)) std::abort();
  }
  (void)cairn::archive::summarize({}, *metadata);
  return 0;
}

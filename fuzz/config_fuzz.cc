// Any text as config/config and any bytes as config/defaults: what is accepted reads the same after writing.
#include <cstdint>
#include <cstdlib>

#include "repo/config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn;  // NOLINT: one small program
  const Bytes bytes(reinterpret_cast<const std::byte*>(data), size);
  if (const auto config = repo::parse_config(text_of(bytes), "fuzz"); config && config->suite) {
    const auto again = repo::parse_config(repo::encode_config(config->id, *config->suite), "fuzz");
    if (!again || again->id != config->id || again->suite != config->suite) std::abort();
  }
  if (const auto defaults = repo::decode_defaults(bytes, "fuzz")) {
    const auto again = repo::decode_defaults(repo::encode_defaults(*defaults), "fuzz");
    if (!again || again->compression != defaults->compression) std::abort();
  }
  return 0;
}

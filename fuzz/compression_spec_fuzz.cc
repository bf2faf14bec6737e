// A specification that is accepted must come back unchanged from its canonical text.
#include <cstdint>
#include <cstdlib>

#include "base/bytes.h"
#include "compress/spec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto spec = cairn::compress::parse_spec(cairn::text_of(std::as_bytes(std::span(data, size))));
  if (!spec) {
    if (spec.error().code() != cairn::Code::Usage) std::abort();
    return 0;
  }
  const auto again = cairn::compress::parse_spec(spec->text());
  if (!again || *again != *spec) std::abort();
  return 0;
}

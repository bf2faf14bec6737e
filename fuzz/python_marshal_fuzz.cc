// Any bytes as a profile: they have a marshal form, or an error.
#include <cstddef>
#include <cstdint>
#include <span>

#include "ops/python_marshal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)cairn::ops::marshal_of_msgpack(std::as_bytes(std::span(data, size)));
  return 0;
}

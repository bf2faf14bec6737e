// What the codecs of this room have in common. Each is a class with the library's contexts and two functions:
//
//   compress    writes to the start of `out`, which it makes large enough, and returns the length. 0 or a length not
//               below the plaintext's means that compressing gains nothing. `plain` has at least two bytes.
//   decompress  replaces `plain`, keeping its capacity.
//
// Source      docs/format/compression.md sections 1 and 5.
#pragma once

#include <optional>
#include <string>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"

namespace cairn::compress {

// What is known of a plaintext that a decompressor shall produce.
struct Wanted {
  std::optional<std::size_t> size;  // exactly so many bytes, or
  std::size_t limit = 0;            // at most so many. Equal to *size if that is known

  // Capacity for the first try of a library that cannot tell the size: what the caller's buffer has anyway, or a few
  // times the payload.
  std::size_t first_capacity(Bytes payload, const Buffer& plain) const;
  std::size_t next_capacity(std::size_t tried) const;
};

Error damaged(std::string_view what);          // Decompression: the payload is not what its ctype says
Error wrong_plain_size(const Wanted& wanted);  // Integrity: another length than the metadata says, or too much

}  // namespace cairn::compress

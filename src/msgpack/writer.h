// Writing the msgpack subset that the repository format uses: smallest forms, unsigned forms for >= 0.
// Text is written as str with its bytes as they are (file names need not be UTF-8); bytes are written as bin.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/buffer.h"
#include "base/bytes.h"

namespace cairn::msgpack {

class Writer {
 public:
  explicit Writer(Buffer& out) : out_(out) {}
  void nil();
  void boolean(bool value);
  void uinteger(std::uint64_t value);
  void integer(std::int64_t value);
  void str(std::string_view text);
  void bin(Bytes bytes);
  void array(std::size_t count);  // followed by count values
  void map(std::size_t count);    // followed by count pairs
  // Extension type -1 from nanoseconds since the epoch (0 <= ns): the shortest of the 32, 64 and 96 bit forms.
  void timestamp(std::int64_t nanoseconds);
  void raw(Bytes encoded);  // an already encoded value

 private:
  Buffer& out_;
};

}  // namespace cairn::msgpack

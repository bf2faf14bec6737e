// Writing the msgpack subset that the repository format uses: smallest forms, unsigned forms for >= 0.
// Text is written as str with its bytes as they are (file names need not be UTF-8); bytes are written as bin.
//
// The short forms, which are nearly all of an item, are inline; a call allocates only when the buffer must grow.
// Limits    str, bin, array and map count to 2^32 - 1; more is a bug of the caller.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/buffer.h"
#include "base/bytes.h"

namespace cairn::msgpack {

class Writer {
 public:
  explicit Writer(Buffer& out) : out_(out) {}
  void nil() { lead(0xc0); }
  void boolean(bool value) { lead(value ? 0xc3 : 0xc2); }
  void uinteger(std::uint64_t value) {
    if (value < 0x80) return lead(value);
    long_uinteger(value);
  }
  void integer(std::int64_t value) {
    if (value >= 0) return uinteger(static_cast<std::uint64_t>(value));
    if (value >= -32) return lead(static_cast<std::uint64_t>(value) & 0xff);
    long_negative(value);
  }
  void str(std::string_view text) {
    if (text.size() < 32) {
      lead(0xa0 | text.size());
    } else {
      long_str_head(text.size());
    }
    out_.append(bytes_of(text));
  }
  void bin(Bytes bytes) {
    if (bytes.size() < 256) {
      const std::byte head[2] = {std::byte{0xc4}, static_cast<std::byte>(bytes.size())};
      out_.append(head);
    } else {
      long_bin_head(bytes.size());
    }
    out_.append(bytes);
  }
  void array(std::size_t count) {  // followed by count values
    if (count < 16) return lead(0x90 | count);
    long_array(count);
  }
  void map(std::size_t count) {  // followed by count pairs
    if (count < 16) return lead(0x80 | count);
    long_map(count);
  }
  // Extension type -1 from nanoseconds since the epoch: the shortest of the 32, 64 and 96 bit forms. Times before the
  // epoch always take 96 bits.
  void timestamp(std::int64_t nanoseconds);
  void raw(Bytes encoded) { out_.append(encoded); }  // an already encoded value

 private:
  void lead(std::uint64_t value) { out_.push_back(static_cast<std::byte>(value)); }
  template <class T>
  void form(std::uint8_t lead, T value);  // a lead byte and a big-endian number
  void long_uinteger(std::uint64_t value);
  void long_negative(std::int64_t value);
  void long_str_head(std::size_t size);
  void long_bin_head(std::size_t size);
  void long_array(std::size_t count);
  void long_map(std::size_t count);

  Buffer& out_;
};

}  // namespace cairn::msgpack

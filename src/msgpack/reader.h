// Reading msgpack from untrusted bytes: a pull parser over a span.
//
// Every length is checked against what is left before it is used; nesting is bounded. Values are views into the input.
// Errors    Integrity, with the offset. After an error the reader must not be used further.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "base/error.h"

namespace cairn::msgpack {

enum class Type { Nil, Boolean, Integer, Float, Str, Bin, Array, Map, Timestamp, Extension };

class Reader {
 public:
  explicit Reader(Bytes input) : input_(input) {}

  bool at_end() const { return position_ == input_.size(); }
  std::size_t position() const { return position_; }
  Result<Type> peek() const;  // type of the next value

  Result<bool> boolean();
  Result<std::uint64_t> uinteger();        // refuses negative values
  Result<std::int64_t> integer();          // refuses values above the signed range
  Result<std::string_view> str();          // str only
  Result<Bytes> bin();                     // bin only
  Result<std::string_view> text_or_bin();  // either (legacy data)
  Result<std::size_t> array();             // the count; never more than the bytes that are left
  Result<std::size_t> map();
  Result<std::int64_t> timestamp();  // nanoseconds since the epoch, clamped to the signed 64-bit range
  Status skip();                     // one value of any kind, nested ones included (depth at most 64)
  Result<Bytes> raw();               // the encoded bytes of the next value, skipped

 private:
  Bytes input_;
  std::size_t position_ = 0;
};

}  // namespace cairn::msgpack

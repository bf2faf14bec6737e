// Reading msgpack from untrusted bytes: a pull parser over a span.
//
// Every length is checked against what is left before it is used; nesting is bounded. Values are views into the input.
// Forms longer than needed are accepted, as every msgpack reader does.
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
  static constexpr std::size_t kMaxDepth = 64;  // arrays and maps inside each other, as skip() and raw() accept them

  explicit Reader(Bytes input) : input_(input) {}

  bool at_end() const { return position_ == input_.size(); }
  std::size_t position() const { return position_; }
  Result<Type> peek() const;  // type of the next value

  Status nil();
  bool try_nil() {  // consumes a nil if it is next; says whether it was
    const bool is_nil = lead() == 0xc0;
    position_ += is_nil ? 1 : 0;
    return is_nil;
  }
  Result<bool> boolean();
  Result<std::uint64_t> uinteger() {  // refuses negative values
    const unsigned first = lead();
    if (first < 0x80) {
      ++position_;
      return first;
    }
    return long_uinteger();
  }
  Result<std::int64_t> integer() {  // refuses values above the signed range
    const unsigned first = lead();
    if (first < 0x80) {
      ++position_;
      return first;
    }
    return long_integer();
  }
  Result<std::string_view> str() {  // str only
    const unsigned first = lead();
    const std::size_t size = first & 0x1f;
    if ((first & ~0x1fU) == 0xa0 && size < left()) return text_of(take(1, size));
    return long_str();
  }
  Result<Bytes> bin() {  // bin only
    if (lead() == 0xc4 && left() >= 2) {
      const auto size = std::to_integer<std::size_t>(input_[position_ + 1]);
      if (size <= left() - 2) return take(2, size);
    }
    return long_bin();
  }
  Result<std::string_view> text_or_bin();  // either (legacy data)
  Result<std::size_t> array() {            // the count; never more than the bytes that are left
    const unsigned first = lead();
    const std::size_t count = first & 0x0f;
    if ((first & ~0x0fU) == 0x90 && count < left()) {
      ++position_;
      return count;
    }
    return long_array();
  }
  Result<std::size_t> map() {  // the number of pairs; never more than half of the bytes that are left
    const unsigned first = lead();
    const std::size_t count = first & 0x0f;
    if ((first & ~0x0fU) == 0x80 && 2 * count < left()) {
      ++position_;
      return count;
    }
    return long_map();
  }
  Result<std::int64_t> timestamp();  // nanoseconds since the epoch, clamped to the signed 64-bit range
  Status skip();                     // one value of any kind, nested ones included (depth at most kMaxDepth)
  Result<Bytes> raw();               // the encoded bytes of the next value, skipped

 private:
  static constexpr unsigned kNothingLeft = 0x100;  // equal to no lead byte

  std::size_t left() const { return input_.size() - position_; }
  unsigned lead() const { return at_end() ? kNothingLeft : std::to_integer<unsigned>(input_[position_]); }
  Bytes take(std::size_t head, std::size_t size) {  // the caller has checked that head + size are left
    const Bytes value = input_.subspan(position_ + head, size);
    position_ += head + size;
    return value;
  }
  Error bad(const char* what) const;
  Error expected(const char* what) const;  // end of input, or another type than `what`
  template <class T>
  bool number(std::uint64_t& value) const;  // the big-endian T behind the lead byte
  // The length field of `width` bytes (1, 2 or 4) behind the lead byte; `head` becomes lead byte and field.
  Result<std::size_t> length(unsigned width, std::size_t& head) const;
  Result<Bytes> sized(unsigned width);
  Result<std::size_t> counted(unsigned width, std::size_t least_bytes_each);

  Result<std::uint64_t> long_uinteger();
  Result<std::int64_t> long_integer();
  Result<std::string_view> long_str();
  Result<Bytes> long_bin();
  Result<std::size_t> long_array();
  Result<std::size_t> long_map();
  Result<Bytes> extension(std::int8_t& type);

  Bytes input_;
  std::size_t position_ = 0;
};

}  // namespace cairn::msgpack

// The longer forms, timestamps, and skipping. Source: msgpack specification 2.0.
#include "msgpack/reader.h"

#include <fmt/format.h>

#include <array>
#include <limits>

namespace cairn::msgpack {
namespace {

constexpr std::int8_t kTimestamp = -1;

}  // namespace

Error Reader::bad(const char* what) const {
  return {Code::Integrity, fmt::format("msgpack: {} at offset {}", what, position_)};
}

Error Reader::expected(const char* what) const {
  if (at_end()) return bad("unexpected end");
  return {Code::Integrity,
          fmt::format("msgpack: expected {} at offset {}, got byte 0x{:02x}", what, position_, lead())};
}

Result<Type> Reader::peek() const {
  const unsigned first = lead();
  if (first == kNothingLeft) return fail(bad("unexpected end"));
  if (first < 0x80 || first >= 0xe0) return Type::Integer;
  if (first < 0x90) return Type::Map;
  if (first < 0xa0) return Type::Array;
  if (first < 0xc0) return Type::Str;
  switch (first) {
    case 0xc0:
      return Type::Nil;
    case 0xc2:
    case 0xc3:
      return Type::Boolean;
    case 0xc4:
    case 0xc5:
    case 0xc6:
      return Type::Bin;
    case 0xca:
    case 0xcb:
      return Type::Float;
    case 0xd9:
    case 0xda:
    case 0xdb:
      return Type::Str;
    case 0xdc:
    case 0xdd:
      return Type::Array;
    case 0xde:
    case 0xdf:
      return Type::Map;
    case 0xc1:
      return fail(bad("the byte 0xc1, which starts no value,"));
    default:
      break;
  }
  if (first >= 0xcc && first <= 0xd3) return Type::Integer;
  Reader copy = *this;
  std::int8_t type = 0;
  CAIRN_CHECKED([&]() -> Status {
    CAIRN_TRY([[maybe_unused]] const Bytes data, copy.extension(type));
    return {};
  }());
  return type == kTimestamp ? Type::Timestamp : Type::Extension;
}

template <class T>
bool Reader::number(std::uint64_t& value) const {
  if (left() < 1 + sizeof(T)) return false;
  value = load_be<T>(input_.data() + position_ + 1);
  return true;
}

Result<std::size_t> Reader::length(unsigned width, std::size_t& head) const {
  std::uint64_t value = 0;
  const bool complete = width == 1   ? number<std::uint8_t>(value)
                        : width == 2 ? number<std::uint16_t>(value)
                                     : number<std::uint32_t>(value);
  if (!complete) return fail(bad("truncated length"));
  head = 1 + width;
  return static_cast<std::size_t>(value);
}

Result<Bytes> Reader::sized(unsigned width) {
  std::size_t head = 0;
  CAIRN_TRY(const std::size_t size, length(width, head));
  if (size > left() - head) return fail(bad("a length beyond the end"));
  return take(head, size);
}

Result<std::size_t> Reader::counted(unsigned width, std::size_t least_bytes_each) {
  std::size_t head = 0;
  CAIRN_TRY(const std::size_t count, length(width, head));
  if (count > (left() - head) / least_bytes_each) return fail(bad("more elements than bytes left"));
  position_ += head;
  return count;
}

Status Reader::nil() {
  if (!try_nil()) return fail(expected("nil"));
  return {};
}

Result<bool> Reader::boolean() {
  const unsigned first = lead();
  if (first != 0xc2 && first != 0xc3) return fail(expected("a boolean"));
  ++position_;
  return first == 0xc3;
}

Result<std::uint64_t> Reader::long_uinteger() {
  const unsigned first = lead();
  std::uint64_t value = 0;
  std::size_t width = 0;
  switch (first) {
    case 0xcc:
      width = number<std::uint8_t>(value) ? 1 : 0;
      break;
    case 0xcd:
      width = number<std::uint16_t>(value) ? 2 : 0;
      break;
    case 0xce:
      width = number<std::uint32_t>(value) ? 4 : 0;
      break;
    case 0xcf:
      width = number<std::uint64_t>(value) ? 8 : 0;
      break;
    default: {
      if (first < 0xd0 || (first > 0xd3 && first < 0xe0) || first == kNothingLeft) {
        return fail(expected("an integer"));
      }
      const std::size_t start = position_;
      CAIRN_TRY(const std::int64_t signed_value, long_integer());
      if (signed_value < 0) {
        position_ = start;
        return fail(bad("a negative number where none may be"));
      }
      return static_cast<std::uint64_t>(signed_value);
    }
  }
  if (width == 0) return fail(bad("truncated integer"));
  position_ += 1 + width;
  return value;
}

Result<std::int64_t> Reader::long_integer() {
  const unsigned first = lead();
  std::uint64_t value = 0;
  std::int64_t result = 0;
  std::size_t width = 0;
  switch (first) {
    case 0xd0:
      width = number<std::uint8_t>(value) ? 1 : 0;
      result = static_cast<std::int8_t>(value);
      break;
    case 0xd1:
      width = number<std::uint16_t>(value) ? 2 : 0;
      result = static_cast<std::int16_t>(value);
      break;
    case 0xd2:
      width = number<std::uint32_t>(value) ? 4 : 0;
      result = static_cast<std::int32_t>(value);
      break;
    case 0xd3:
      width = number<std::uint64_t>(value) ? 8 : 0;
      result = static_cast<std::int64_t>(value);
      break;
    default: {
      if (first >= 0xe0 && first <= 0xff) {
        ++position_;
        return static_cast<std::int8_t>(first);
      }
      if (first < 0xcc || first > 0xcf) return fail(expected("an integer"));
      const std::size_t start = position_;
      CAIRN_TRY(const std::uint64_t unsigned_value, long_uinteger());
      if (unsigned_value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        position_ = start;
        return fail(bad("a number above the signed range"));
      }
      return static_cast<std::int64_t>(unsigned_value);
    }
  }
  if (width == 0) return fail(bad("truncated integer"));
  position_ += 1 + width;
  return result;
}

Result<std::string_view> Reader::long_str() {
  const unsigned first = lead();
  if (first >= 0xa0 && first < 0xc0) return fail(bad("a length beyond the end"));  // str() takes the complete ones
  if (first < 0xd9 || first > 0xdb) return fail(expected("a text"));
  CAIRN_TRY(const Bytes bytes, sized(1U << (first - 0xd9)));
  return text_of(bytes);
}

Result<Bytes> Reader::long_bin() {
  const unsigned first = lead();
  if (first < 0xc4 || first > 0xc6) return fail(expected("bytes"));
  return sized(1U << (first - 0xc4));
}

Result<std::string_view> Reader::text_or_bin() {
  const unsigned first = lead();
  if (first >= 0xc4 && first <= 0xc6) {
    CAIRN_TRY(const Bytes bytes, bin());
    return text_of(bytes);
  }
  return str();
}

Result<std::size_t> Reader::long_array() {
  const unsigned first = lead();
  if (first >= 0x90 && first < 0xa0) return fail(bad("more elements than bytes left"));
  if (first != 0xdc && first != 0xdd) return fail(expected("an array"));
  return counted(first == 0xdc ? 2 : 4, 1);
}

Result<std::size_t> Reader::long_map() {
  const unsigned first = lead();
  if (first >= 0x80 && first < 0x90) return fail(bad("more elements than bytes left"));
  if (first != 0xde && first != 0xdf) return fail(expected("a map"));
  return counted(first == 0xde ? 2 : 4, 2);
}

Result<Bytes> Reader::extension(std::int8_t& type) {
  const unsigned first = lead();
  std::size_t head = 1;
  std::size_t size = 0;
  if (first >= 0xd4 && first <= 0xd8) {
    size = std::size_t{1} << (first - 0xd4);
  } else if (first >= 0xc7 && first <= 0xc9) {
    CAIRN_TRY(size, length(1U << (first - 0xc7), head));
  } else {
    return fail(expected("an extension"));
  }
  if (left() < head + 1 || size > left() - head - 1) return fail(bad("a length beyond the end"));
  type = static_cast<std::int8_t>(std::to_integer<std::uint8_t>(input_[position_ + head]));
  return take(head + 1, size);
}

Result<std::int64_t> Reader::timestamp() {
  constexpr std::int64_t kPerSecond = 1'000'000'000;
  const std::size_t start = position_;
  std::int8_t type = 0;
  CAIRN_TRY(const Bytes data, extension(type));
  std::int64_t seconds = 0;
  std::uint64_t fraction = 0;
  if (type == kTimestamp && data.size() == 4) {
    seconds = load_be<std::uint32_t>(data.data());
  } else if (type == kTimestamp && data.size() == 8) {
    const auto both = load_be<std::uint64_t>(data.data());
    seconds = static_cast<std::int64_t>(both & 0x3ffffffffU);
    fraction = both >> 34;
  } else if (type == kTimestamp && data.size() == 12) {
    fraction = load_be<std::uint32_t>(data.data());
    seconds = static_cast<std::int64_t>(load_be<std::uint64_t>(data.data() + 4));
  } else {
    position_ = start;
    return fail(expected("a timestamp"));
  }
  if (fraction >= static_cast<std::uint64_t>(kPerSecond)) {
    position_ = start;
    return fail(bad("a timestamp with more than a second of nanoseconds"));
  }
  std::int64_t result = 0;
  if (seconds < 0) {
    // Counted from the next second, so that the very first representable nanoseconds do not overflow half way.
    const std::int64_t rest = static_cast<std::int64_t>(fraction) - kPerSecond;
    if (__builtin_mul_overflow(seconds + 1, kPerSecond, &result) || __builtin_add_overflow(result, rest, &result)) {
      return std::numeric_limits<std::int64_t>::min();
    }
    return result;
  }
  if (__builtin_mul_overflow(seconds, kPerSecond, &result) ||
      __builtin_add_overflow(result, static_cast<std::int64_t>(fraction), &result)) {
    return std::numeric_limits<std::int64_t>::max();
  }
  return result;
}

Status Reader::skip() {
  // How many values each open array or map still needs; a list instead of recursion, so that no input exhausts the
  // program's stack.
  std::array<std::uint64_t, kMaxDepth + 1> needed{1};
  std::size_t depth = 0;
  for (;;) {
    while (needed[depth] == 0) {
      if (depth == 0) return {};
      --depth;
    }
    --needed[depth];
    CAIRN_TRY(const Type type, peek());
    std::uint64_t inside = 0;
    switch (type) {
      case Type::Nil:
      case Type::Boolean:
        ++position_;
        break;
      case Type::Integer:
        if (lead() == 0xcf) {
          CAIRN_TRY([[maybe_unused]] const std::uint64_t value, uinteger());
        } else {
          CAIRN_TRY([[maybe_unused]] const std::int64_t value, integer());
        }
        break;
      case Type::Float: {
        const std::size_t size = lead() == 0xca ? 5 : 9;
        if (left() < size) return fail(bad("truncated number"));
        position_ += size;
        break;
      }
      case Type::Str:
      case Type::Bin: {
        CAIRN_TRY([[maybe_unused]] const std::string_view value, text_or_bin());
        break;
      }
      case Type::Timestamp:
      case Type::Extension: {
        std::int8_t extension_type = 0;
        CAIRN_TRY([[maybe_unused]] const Bytes value, extension(extension_type));
        break;
      }
      case Type::Array:
      case Type::Map: {
        if (depth == kMaxDepth) return fail(bad("nested too deeply"));
        if (type == Type::Array) {
          CAIRN_TRY(inside, array());
        } else {
          CAIRN_TRY(inside, map());
          inside *= 2;
        }
        needed[++depth] = inside;
        break;
      }
    }
  }
}

Result<Bytes> Reader::raw() {
  const std::size_t start = position_;
  CAIRN_CHECKED(skip());
  return input_.subspan(start, position_ - start);
}

}  // namespace cairn::msgpack

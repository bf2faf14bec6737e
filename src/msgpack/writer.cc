// The longer forms of msgpack values. Source: msgpack specification 2.0, including its timestamp extension.
#include "msgpack/writer.h"

#include <limits>

#include "base/check.h"

namespace cairn::msgpack {
namespace {

constexpr std::uint64_t kMax8 = std::numeric_limits<std::uint8_t>::max();
constexpr std::uint64_t kMax16 = std::numeric_limits<std::uint16_t>::max();
constexpr std::uint64_t kMax32 = std::numeric_limits<std::uint32_t>::max();

std::uint32_t checked32(std::size_t count) {
  CAIRN_CHECK(count <= kMax32, "msgpack value too large");
  return static_cast<std::uint32_t>(count);
}

}  // namespace

template <class T>
void Writer::form(std::uint8_t lead, T value) {
  std::byte bytes[1 + sizeof(T)];
  bytes[0] = static_cast<std::byte>(lead);
  store_be<T>(bytes + 1, value);
  out_.append(bytes);
}

void Writer::long_uinteger(std::uint64_t value) {
  if (value <= kMax8) return form(0xcc, static_cast<std::uint8_t>(value));
  if (value <= kMax16) return form(0xcd, static_cast<std::uint16_t>(value));
  if (value <= kMax32) return form(0xce, static_cast<std::uint32_t>(value));
  form(0xcf, value);
}

void Writer::long_negative(std::int64_t value) {
  if (value >= std::numeric_limits<std::int8_t>::min()) return form(0xd0, static_cast<std::uint8_t>(value));
  if (value >= std::numeric_limits<std::int16_t>::min()) return form(0xd1, static_cast<std::uint16_t>(value));
  if (value >= std::numeric_limits<std::int32_t>::min()) return form(0xd2, static_cast<std::uint32_t>(value));
  form(0xd3, static_cast<std::uint64_t>(value));
}

void Writer::long_str_head(std::size_t size) {
  if (size <= kMax8) return form(0xd9, static_cast<std::uint8_t>(size));
  if (size <= kMax16) return form(0xda, static_cast<std::uint16_t>(size));
  form(0xdb, checked32(size));
}

void Writer::long_bin_head(std::size_t size) {
  if (size <= kMax16) return form(0xc5, static_cast<std::uint16_t>(size));
  form(0xc6, checked32(size));
}

void Writer::long_array(std::size_t count) {
  if (count <= kMax16) return form(0xdc, static_cast<std::uint16_t>(count));
  form(0xdd, checked32(count));
}

void Writer::long_map(std::size_t count) {
  if (count <= kMax16) return form(0xde, static_cast<std::uint16_t>(count));
  form(0xdf, checked32(count));
}

void Writer::timestamp(std::int64_t nanoseconds) {
  constexpr std::int64_t kPerSecond = 1'000'000'000;
  std::int64_t seconds = nanoseconds / kPerSecond;
  std::int64_t rest = nanoseconds % kPerSecond;
  if (rest < 0) {  // the fraction always counts forward
    rest += kPerSecond;
    --seconds;
  }
  const auto fraction = static_cast<std::uint64_t>(rest);
  const auto whole = static_cast<std::uint64_t>(seconds);
  std::byte bytes[15];
  if ((whole >> 34) == 0) {
    if (fraction == 0 && whole <= kMax32) {
      bytes[0] = std::byte{0xd6};
      bytes[1] = std::byte{0xff};
      store_be<std::uint32_t>(bytes + 2, static_cast<std::uint32_t>(whole));
      return out_.append(Bytes(bytes, 6));
    }
    bytes[0] = std::byte{0xd7};
    bytes[1] = std::byte{0xff};
    store_be<std::uint64_t>(bytes + 2, fraction << 34 | whole);
    return out_.append(Bytes(bytes, 10));
  }
  bytes[0] = std::byte{0xc7};
  bytes[1] = std::byte{12};
  bytes[2] = std::byte{0xff};
  store_be<std::uint32_t>(bytes + 3, static_cast<std::uint32_t>(fraction));
  store_be<std::uint64_t>(bytes + 7, whole);
  out_.append(bytes);
}

}  // namespace cairn::msgpack

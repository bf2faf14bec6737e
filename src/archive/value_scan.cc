#include "archive/value_scan.h"

namespace cairn::archive {
namespace {

// What a value's head says: its own length without nested values, and how many values follow inside it.
struct Head {
  enum class Kind { Known, Short, Bad } kind = Kind::Known;
  std::uint64_t length = 1;
  std::uint64_t nested = 0;
};

// A big-endian length of `width` bytes behind the type byte; `fixed` bytes of the head follow it (extension types).
Head sized(Bytes value, std::size_t width, std::uint64_t fixed) {
  if (value.size() < 1 + width) return {Head::Kind::Short, 0, 0};
  std::uint64_t length = 0;
  for (std::size_t i = 1; i <= width; ++i) length = length << 8 | std::to_integer<std::uint64_t>(value[i]);
  if (length > kMaxItemStringBytes) return {Head::Kind::Bad, 0, 0};
  return {Head::Kind::Known, 1 + width + fixed + length, 0};
}

Head counted(Bytes value, std::size_t width, std::uint64_t per_entry) {
  if (value.size() < 1 + width) return {Head::Kind::Short, 0, 0};
  std::uint64_t count = 0;
  for (std::size_t i = 1; i <= width; ++i) count = count << 8 | std::to_integer<std::uint64_t>(value[i]);
  return {Head::Kind::Known, 1 + width, count * per_entry};
}

Head head_of(Bytes value) {
  const auto type = std::to_integer<std::uint8_t>(value[0]);
  if (type < 0x80 || type >= 0xe0) return {};
  if (type < 0x90) return {Head::Kind::Known, 1, 2 * std::uint64_t{type & 0x0fU}};
  if (type < 0xa0) return {Head::Kind::Known, 1, type & 0x0fU};
  if (type < 0xc0) return {Head::Kind::Known, 1 + std::uint64_t{type & 0x1fU}, 0};
  switch (type) {
    case 0xc0:
    case 0xc2:
    case 0xc3:
      return {};
    case 0xc4:
    case 0xd9:
      return sized(value, 1, 0);
    case 0xc5:
    case 0xda:
      return sized(value, 2, 0);
    case 0xc6:
    case 0xdb:
      return sized(value, 4, 0);
    case 0xc7:
      return sized(value, 1, 1);
    case 0xc8:
      return sized(value, 2, 1);
    case 0xc9:
      return sized(value, 4, 1);
    case 0xcc:
    case 0xd0:
      return {Head::Kind::Known, 2, 0};
    case 0xcd:
    case 0xd1:
      return {Head::Kind::Known, 3, 0};
    case 0xca:
    case 0xce:
    case 0xd2:
      return {Head::Kind::Known, 5, 0};
    case 0xcb:
    case 0xcf:
    case 0xd3:
      return {Head::Kind::Known, 9, 0};
    case 0xd4:
    case 0xd5:
    case 0xd6:
    case 0xd7:
    case 0xd8:
      return {Head::Kind::Known, 2 + (std::uint64_t{1} << (type - 0xd4U)), 0};
    case 0xdc:
      return counted(value, 2, 1);
    case 0xdd:
      return counted(value, 4, 1);
    case 0xde:
      return counted(value, 2, 2);
    case 0xdf:
      return counted(value, 4, 2);
    default:
      return {Head::Kind::Bad, 0, 0};  // c1: never used
  }
}

}  // namespace

ValueScan::State ValueScan::advance(Bytes value) {
  while (values_left_ > 0) {
    if (position_ >= value.size()) return State::Incomplete;
    const Head head = head_of(value.subspan(position_));
    if (head.kind == Head::Kind::Bad) return State::Damaged;
    if (head.kind == Head::Kind::Short) return State::Incomplete;
    // Every value still to come takes at least a byte.
    if (position_ + head.length + values_left_ - 1 + head.nested > kMaxItemBytes) return State::Damaged;
    if (head.length > value.size() - position_) return State::Incomplete;
    position_ += static_cast<std::size_t>(head.length);
    values_left_ += head.nested - 1;
  }
  return State::Complete;
}

}  // namespace cairn::archive

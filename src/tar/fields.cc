// See the header.
#include "tar/fields.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "tar/member.h"

namespace cairn::tar {
namespace {

std::uint8_t byte_at(Bytes bytes, std::size_t at) { return std::to_integer<std::uint8_t>(bytes[at]); }

// The checksum field itself counts as blanks.
std::int64_t sum_of(Bytes block, bool as_signed) {
  std::int64_t sum = 8 * ' ';
  for (std::size_t i = 0; i < kBlock; ++i) {
    if (i >= kChecksum.offset && i < kChecksum.offset + kChecksum.size) continue;
    sum += as_signed ? static_cast<std::int8_t>(byte_at(block, i)) : byte_at(block, i);
  }
  return sum;
}

Result<std::int64_t> base256(Bytes field, std::string_view what) {
  const bool negative = (byte_at(field, 0) & 0x40U) != 0;
  // Sign-extended, so that a number that is too large shows in the bytes that are shifted out.
  std::uint64_t value = negative ? ~std::uint64_t{0} : 0;
  for (std::size_t i = 0; i < field.size(); ++i) {
    std::uint64_t digit = byte_at(field, i);
    if (i == 0) digit = negative ? digit | 0x80U : digit & 0x7fU;
    const std::uint64_t out = value >> 55U;
    if (out != (negative ? 0x1ffU : 0U)) return fail(Code::Integrity, fmt::format("the {} is too large", what));
    value = value << 8U | digit;
  }
  return static_cast<std::int64_t>(value);
}

}  // namespace

bool fits_octal(std::int64_t value, Field field) {
  return value >= 0 && value < std::int64_t{1} << 3U * (field.size - 1);
}

void put_number(MutableBytes block, Field field, std::int64_t value) {
  const MutableBytes out = block.subspan(field.offset, field.size);
  if (fits_octal(value, field)) {
    const std::string digits = fmt::format("{:0{}o}", value, field.size - 1);
    std::memcpy(out.data(), digits.data(), digits.size());
    out[field.size - 1] = std::byte{0};
    return;
  }
  auto rest = static_cast<std::uint64_t>(value);
  for (std::size_t i = field.size; i-- > 1;) {
    out[i] = static_cast<std::byte>(rest & 0xffU);
    rest = rest >> 8U | (value < 0 ? std::uint64_t{0xff} << 56U : 0);
  }
  out[0] = value < 0 ? std::byte{0xff} : std::byte{0x80};
}

void put_text(MutableBytes block, Field field, std::string_view text) {
  std::memcpy(block.data() + field.offset, text.data(), std::min(text.size(), field.size));
}

void put_checksum(MutableBytes block) {
  const std::string digits = fmt::format("{:06o}", sum_of(block, false));
  std::memcpy(block.data() + kChecksum.offset, digits.data(), digits.size());
  block[kChecksum.offset + 6] = std::byte{0};
  block[kChecksum.offset + 7] = std::byte{' '};
}

Result<std::int64_t> get_number(Bytes block, Field field, std::string_view what) {
  const Bytes bytes = block.subspan(field.offset, field.size);
  if ((byte_at(bytes, 0) & 0x80U) != 0) return base256(bytes, what);
  std::string_view text = text_of(bytes);
  text = text.substr(0, text.find('\0'));
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  std::int64_t value = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '7') return fail(Code::Integrity, fmt::format("the {} is no number", what));
    value = value * 8 + (digit - '0');  // twelve digits are 36 bits
  }
  return value;
}

std::string get_text(Bytes block, Field field) {
  const std::string_view text = text_of(block.subspan(field.offset, field.size));
  return std::string(text.substr(0, text.find('\0')));
}

bool checksum_matches(Bytes block) {
  const auto stored = get_number(block, kChecksum, "checksum");
  return stored && (*stored == sum_of(block, false) || *stored == sum_of(block, true));
}

}  // namespace cairn::tar

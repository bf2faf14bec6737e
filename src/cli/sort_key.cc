#include "cli/sort_key.h"

#include "archive/python_text.h"
#include "base/utf8.h"

namespace cairn::cli {

void SortKey::number(std::int64_t value) {
  const std::uint64_t bits = static_cast<std::uint64_t>(value) ^ std::uint64_t{1} << 63U;
  for (std::uint32_t shift = 64; shift > 0; shift -= 8) put(static_cast<std::uint32_t>(bits >> (shift - 8)) & 0xffU);
}

// UTF-8, which sorts as its code points do. The end is a zero, and so no byte inside may be one.
void SortKey::text(std::string_view value) {
  std::string encoded;
  for (const char32_t point : archive::code_points(value)) {
    if (point < 2) encoded += '\x01';
    append_utf8(encoded, point);
  }
  for (const char byte : encoded) put(static_cast<unsigned char>(byte));
  put(0);
}

SortField sort_field(std::string_view word) {
  const bool marked = word.starts_with('>') || word.starts_with('<');
  return {.name = word.substr(marked ? 1 : 0), .is_descending = word.starts_with('>')};
}

}  // namespace cairn::cli

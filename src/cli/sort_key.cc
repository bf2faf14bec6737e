#include "cli/sort_key.h"

#include "archive/python_text.h"

namespace cairn::cli {

void SortKey::number(std::int64_t value) {
  const std::uint64_t bits = static_cast<std::uint64_t>(value) ^ std::uint64_t{1} << 63U;
  for (std::uint32_t shift = 64; shift > 0; shift -= 8) put(static_cast<std::uint32_t>(bits >> (shift - 8)) & 0xffU);
}

// UTF-8, which sorts as its code points do. The end is a zero, and so no byte inside may be one.
void SortKey::text(std::string_view value) {
  for (const char32_t point : archive::code_points(value)) {
    if (point < 2) {
      put(1);
      put(point);
    } else if (point < 0x80) {
      put(point);
    } else if (point < 0x800) {
      put(0xc0 | point >> 6);
      put(0x80 | (point & 0x3f));
    } else if (point < 0x10000) {
      put(0xe0 | point >> 12);
      put(0x80 | (point >> 6 & 0x3f));
      put(0x80 | (point & 0x3f));
    } else {
      put(0xf0 | point >> 18);
      put(0x80 | (point >> 12 & 0x3f));
      put(0x80 | (point >> 6 & 0x3f));
      put(0x80 | (point & 0x3f));
    }
  }
  put(0);
}

SortField sort_field(std::string_view word) {
  const bool marked = word.starts_with('>') || word.starts_with('<');
  return {.name = word.substr(marked ? 1 : 0), .is_descending = word.starts_with('>')};
}

}  // namespace cairn::cli

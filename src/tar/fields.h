// The fields of a header block: octal and base-256 numbers, texts, the checksum.
//
// Errors    Integrity: a field that is no number, or one that is too large for what it counts.
// Source    POSIX.1-2024 pax, "ustar Interchange Format"; GNU tar manual, "Basic Tar Format".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/error.h"

namespace cairn::tar {

// Offset and size of the fields.
struct Field {
  std::size_t offset, size;
};
constexpr Field kName{0, 100}, kMode{100, 8}, kUid{108, 8}, kGid{116, 8}, kSize{124, 12}, kMtime{136, 12},
    kChecksum{148, 8}, kType{156, 1}, kLinkName{157, 100}, kMagic{257, 8}, kUser{265, 32}, kGroup{297, 32},
    kMajor{329, 8}, kMinor{337, 8}, kPrefix{345, 155};

// Whether octal digits can hold it: all of the field but the NUL at its end.
bool fits_octal(std::int64_t value, Field field);
// Octal if it fits, else GNU's base-256.
void put_number(MutableBytes block, Field field, std::int64_t value);
void put_text(MutableBytes block, Field field, std::string_view text);  // cut where the field ends
void put_checksum(MutableBytes block);

Result<std::int64_t> get_number(Bytes block, Field field, std::string_view what);
std::string get_text(Bytes block, Field field);  // up to a NUL
// Old programs added up signed characters; both sums are accepted.
bool checksum_matches(Bytes block);

}  // namespace cairn::tar

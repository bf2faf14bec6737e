// One member of a tar archive, as the reader finds it and the writer encodes it.
//
// Names are bytes in any encoding. Units: bytes; nanoseconds since 1970.
// Source    POSIX.1-2024 pax, section "Extended Description"; GNU tar manual, appendix "Tar Internals";
//           docs/format (archive, section 15).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace cairn::tar {

constexpr std::size_t kBlock = 512;
constexpr std::size_t kRecord = 20 * kBlock;  // what archives are padded to

// Type flags. Others exist; the reader hands them out as they are.
constexpr char kRegular = '0', kHardLink = '1', kSymlink = '2', kCharDevice = '3', kBlockDevice = '4', kDirectory = '5',
               kFifo = '6';

using Record = std::pair<std::string, std::string>;  // keyword and value of a pax header

struct Member {
  std::string path{};  // of a directory without a slash at the end
  char type = kRegular;
  std::uint32_t mode = 0;  // permission bits
  std::int64_t uid = 0, gid = 0;
  std::string user{}, group{};
  std::uint64_t size = 0;  // of the content; where the writer encodes a sparse member, of what is stored
  Nanoseconds mtime = 0;
  std::string link{};
  std::uint64_t major = 0, minor = 0;
  std::vector<Record> records{};  // in order; while reading also those of global headers
};

// The record's value, of equal keywords the last one's; or null.
const std::string* find_record(const Member& member, std::string_view keyword);

// Bytes that fill a member's content up to whole blocks.
constexpr std::size_t padding(std::uint64_t size) {
  return static_cast<std::size_t>((kBlock - size % kBlock) % kBlock);
}

}  // namespace cairn::tar

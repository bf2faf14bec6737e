// The archive metadata object (type A).
// Source: docs/format (archive, section 2.2). Errors: Integrity.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"
#include "chunk/params.h"

namespace cairn::archive {

struct Metadata {
  int version = 2;
  std::string name{};
  std::vector<ChunkId> item_ptrs{};
  std::string command_line{};
  std::optional<std::string> recreate_command_line{};
  std::optional<std::string> cwd{};
  std::string hostname{}, username{}, comment{};
  std::string time{};                         // ISO 8601 as stored: the nominal time
  std::optional<std::string> start{}, end{};  // as stored
  std::vector<std::string> tags{};            // sorted
  std::optional<chunk::Params> chunker_params{};
  std::optional<std::uint64_t> size{}, nfiles{};
  std::vector<std::pair<std::string, std::string>> unknown{};  // key, encoded value
};

void encode(const Metadata& metadata, Buffer& out);
Result<Metadata> decode_metadata(Bytes bytes);

}  // namespace cairn::archive

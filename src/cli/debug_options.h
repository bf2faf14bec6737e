// Options of the `debug` commands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "chunk/cutter.h"
#include "chunk/params.h"
#include "cli/option_table.h"

namespace cairn::cli {

struct DebugChunkOptions {
  chunk::Params chunker;
  std::vector<std::byte> id_key;  // empty: none given
  std::optional<std::int32_t> chunk_seed;
  std::optional<std::string> path;
};

extern const Command kDebugChunk;

}  // namespace cairn::cli

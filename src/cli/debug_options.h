// Options of the `debug` commands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

struct DebugInfoOptions {};

struct DebugDumpArchiveItemsOptions {
  std::string name;
};

struct DebugDumpArchiveOptions {
  std::string name, path;
};

struct DebugDumpObjectsOptions {};

struct DebugSearchObjectsOptions {
  std::string wanted;
};

struct DebugIdHashOptions {
  std::string path;
};

struct DebugParseObjectOptions {
  std::string id, object_path, binary_path, json_path;
};

struct DebugFormatObjectOptions {
  std::string id, binary_path, json_path, object_path;
  std::optional<std::string> compression;
};

struct DebugObjectOptions {  // get-obj and put-obj
  std::string id, path;
};

struct DebugDeleteObjectsOptions {
  std::vector<std::string> ids;
};

struct DebugConvertProfileOptions {
  std::string input, output;
};

extern const Command kDebugChunk, kDebugInfo, kDebugDumpArchiveItems, kDebugDumpArchive, kDebugDumpObjects,
    kDebugSearchObjects, kDebugIdHash, kDebugParseObject, kDebugFormatObject, kDebugGetObject, kDebugPutObject,
    kDebugDeleteObjects, kDebugConvertProfile;

}  // namespace cairn::cli

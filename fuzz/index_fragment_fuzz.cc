// Any bytes as a serialised hash table: never a crash; accepted rows survive writing and reading.
#include <cstdint>
#include <cstdlib>

#include "repo/chunk_index.h"
#include "repo/hash_table.h"
#include "repo/reference_cache.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn;  // NOLINT: one small program
  const Bytes table(reinterpret_cast<const std::byte*>(data), size);
  if (const auto rows = repo::decode_table(repo::kChunkIndexLayout, table)) {
    repo::ChunkIndex index;
    index.insert_rows(*rows);
    if (index.size() > rows->size() / 80) std::abort();
    Buffer again;
    repo::encode_table(repo::kChunkIndexLayout, *rows, again);
    const auto same = repo::decode_table(repo::kChunkIndexLayout, again);
    if (!same || same->size() != rows->size()) std::abort();
  }
  (void)repo::decode_table(repo::kCheckedPacksLayout, table);
  if (auto references = repo::ArchiveReferences::decode(table)) {
    references->add(ChunkId{}, 1);
    Buffer again;
    references->encode(again);
    if (!repo::ArchiveReferences::decode(again)) std::abort();
  }
  return 0;
}

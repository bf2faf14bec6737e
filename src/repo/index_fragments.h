// The chunk index in the store: loading the union of all fragments, rebuilding it from the packs, and writing it.
//
// Loading   the marker cache/chunkindex-invalid, or no fragment at all, means: rebuild from the packs (metadata slots
// are
//           authenticated). A fragment that is damaged is an error for commands that write (CorruptIndexFragment),
//           while reading goes on: what it held is found again from the headers of the packs, and a warning says so.
// Writing   incremental fragments hold what is new; a full write replaces all fragments, under the marker where several
//           files must appear together.
// Threads   one caller at a time; loading uses the pool.
// Source    docs/format (repository, sections 6.2 to 6.6).
#pragma once

#include <string>
#include <vector>

#include "base/buffer.h"
#include "base/error.h"
#include "exec/pool.h"
#include "hash/id_hash.h"
#include "repo/chunk_index.h"
#include "repo/store_object.h"
#include "store/store.h"

namespace cairn::repo {

constexpr std::string_view kInvalidMarker = "cache/chunkindex-invalid";

// One entry as it stands in a fragment.
struct IndexRow {
  ChunkId id;
  Location location;
};
void append_row(const IndexRow& row, Buffer& rows);

enum class BadFragments {
  Error,     // CorruptIndexFragment
  Salvage,   // warn and find their entries in the packs (in memory only)
  Rebuild,   // rebuild everything from the packs
  LeaveOut,  // and if there is no index, an empty one will do: the caller is going to look into the packs
};

struct IndexLoad {
  bool rebuilt = false;                // nothing in the store says what the index in memory says
  std::vector<std::string> fragments;  // names that were listed before the packs were
  std::vector<std::string> bad_fragments;
};

class IndexFragments {
 public:
  IndexFragments(store::Store& store, StoreObjects& objects, const crypt::Suite& suite,
                 const crypt::KeyMaterial& material, const hash::IdHash& id_hash)
      : store_(store), objects_(objects), suite_(suite), material_(material), id_hash_(id_hash) {}

  Result<IndexLoad> load(ChunkIndex& index, BadFragments policy, exec::Pool& pool);
  // Empties the index first.
  Status rebuild(ChunkIndex& index, exec::Pool& pool);

  // Writes rows that are in no fragment yet; nothing for no rows.
  Status write_new(Bytes rows);
  // Writes the whole index (an empty one too) and then removes the fragments `replaced` and the marker.
  Status write_full(const ChunkIndex& index, const std::vector<std::string>& replaced);
  // Merges many small fragments into few. Failure is for a warning only.
  Status repack();
  // Writes the marker and removes all fragments. The marker stays until write_full() is through.
  Status invalidate();

  Result<std::vector<std::string>> list();
  // The rows of one fragment, authenticated and checked: a view of `payload`.
  Result<Bytes> read(const std::string& name, Buffer& payload);
  // Whether a fragment's bytes hash to its name.
  Result<bool> name_matches(const std::string& name);

 private:
  Result<std::vector<std::string>> write_rows(Bytes rows, bool under_marker);
  Status walk_all(ChunkIndex& index, exec::Pool& pool, bool only_uncovered);

  store::Store& store_;
  StoreObjects& objects_;
  const crypt::Suite suite_;
  const crypt::KeyMaterial& material_;
  const hash::IdHash& id_hash_;
};

}  // namespace cairn::repo

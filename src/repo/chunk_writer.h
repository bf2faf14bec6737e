// From plain bytes to a place in a pack: identify, claim, compress, seal. Used by everything that stores objects.
//
// Threads   store() is called from pool tasks, one chunk per call, any number side by side.
// Checking  with CAIRN_DECODE_CHECK=yes, and by itself for levels above 15, every compressed chunk is decoded again
// before it
//           is stored; "no" switches that off.
// Errors    those of the store; the run must stop then.
// Source    docs/format (repository, section 4; compression, "order of work").
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "exec/load.h"
#include "exec/pool.h"
#include "exec/stage.h"
#include "repo/object_codec.h"
#include "repo/pack_writer.h"

namespace cairn::repo {

struct StoredChunk {
  ChunkId id;
  std::uint32_t size = 0;
  bool is_new = false;  // stored by this call
};

class ChunkWriter {
 public:
  ChunkWriter(exec::Pool& pool, const crypt::Suite& suite, const crypt::KeyMaterial& material,
              const hash::IdHash& id_hash, ChunkIndex& index, PackWriter& packs, const compress::Spec& spec);

  Result<StoredChunk> store(exec::Worker& worker, char type, Bytes plain);
  // `size` zero bytes, whose id is remembered; the bytes are made only if the chunk is new.
  Result<StoredChunk> store_zeros(exec::Worker& worker, std::size_t size);
  // An object that is compressed already, with the id that it has.
  Result<bool> store_payload(exec::Worker& worker, const ChunkId& id, std::uint32_t plain_size, const ObjectMeta& meta,
                             Bytes payload);

  // Of a task whose main part is store().
  exec::Load load() const;
  // Seconds over all workers; after the pool has come to rest.
  double hashing_seconds() const;

 private:
  struct PerThread {
    PerThread(const crypt::Suite& suite, const crypt::KeyMaterial& material) : writer(suite, material) {}
    ObjectWriter writer;
    Buffer zeros;
    exec::StageClock hashing;
  };
  Result<StoredChunk> store_with_id(exec::Worker& worker, char type, const ChunkId& id, std::size_t size,
                                    const std::function<Bytes()>& plain);
  std::size_t touched_by_hashing(std::size_t size) const;
  Status place(exec::Worker& worker, const ChunkId& id, std::size_t object_size, ObjectWriter& writer);

  const hash::IdHash& id_hash_;
  ChunkIndex& index_;
  PackWriter& packs_;
  const compress::Spec spec_;
  const bool decode_check_;
  exec::PerWorker<PerThread> per_worker_;
};

}  // namespace cairn::repo

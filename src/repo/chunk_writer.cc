#include "repo/chunk_writer.h"

#include <cstring>

#include "base/env.h"
#include "exec/memory_bound.h"

namespace cairn::repo {
namespace {

struct Identify {
  static constexpr exec::StageInfo info{.name = "identify", .load = exec::Load::Memory};
  const hash::IdHash& id_hash;
  ChunkId operator()(Bytes plain, const exec::Worker& worker) const { return id_hash(plain, worker.spare()); }
};

// High levels run code that few use, and have had faults in other programs; they are slow enough to pay for a check.
bool wants_decode_check(const compress::Spec& spec) {
  if (const auto choice = env_nonempty("CAIRN_DECODE_CHECK")) return *choice != "no";
  return spec.level > 15;
}

// Bytes from which compressing takes milliseconds, unless it is lz4.
constexpr std::size_t kLongPlain = std::size_t{1} << 20U;
bool takes_long(const compress::Spec& spec) {
  return spec.method != compress::Method::None && spec.method != compress::Method::Lz4;
}

}  // namespace

ChunkWriter::ChunkWriter(exec::Pool& pool, const crypt::Suite& suite, const crypt::KeyMaterial& material,
                         const hash::IdHash& id_hash, ChunkIndex& index, PackWriter& packs, const compress::Spec& spec)
    : id_hash_(id_hash),
      index_(index),
      packs_(packs),
      spec_(spec),
      decode_check_(wants_decode_check(spec)),
      per_worker_(pool, [suite, &material] { return std::make_unique<PerThread>(suite, material); }) {}

Result<StoredChunk> ChunkWriter::store(exec::Worker& worker, char type, Bytes plain) {
  PerThread& mine = per_worker_(worker);
  const ChunkId id = exec::run_stage(Identify{id_hash_}, mine.hashing, touched_by_hashing(plain.size()), plain, worker);
  return store_with_id(worker, type, id, plain.size(), [plain] { return plain; });
}

Result<StoredChunk> ChunkWriter::store_zeros(exec::Worker& worker, std::size_t size) {
  PerThread& mine = per_worker_(worker);
  return store_with_id(worker, 'F', id_hash_.of_zeros(size), size, [&mine, size]() -> Bytes {
    const std::size_t known = mine.zeros.size();
    if (known < size) {
      mine.zeros.resize(size);
      std::memset(mine.zeros.data() + known, 0, size - known);
    }
    return mine.zeros.view(0, size);
  });
}

Result<StoredChunk> ChunkWriter::store_with_id(exec::Worker& worker, char type, const ChunkId& id, std::size_t size,
                                               const std::function<Bytes()>& plain) {
  StoredChunk stored{.id = id, .size = static_cast<std::uint32_t>(size), .is_new = false};
  if (!index_.claim(id, stored.size)) return stored;
  PerThread& mine = per_worker_(worker);
  if (size >= kLongPlain && takes_long(spec_)) worker.pool().expect_long_work();
  CAIRN_TRY(const std::size_t object_size, mine.writer.prepare(type, id, plain(), spec_, decode_check_));
  CAIRN_CHECKED(place(worker, id, object_size, mine.writer));
  stored.is_new = true;
  return stored;
}

Result<bool> ChunkWriter::store_payload(exec::Worker& worker, const ChunkId& id, std::uint32_t plain_size,
                                        const ObjectMeta& meta, Bytes payload) {
  if (!index_.claim(id, plain_size)) return false;
  PerThread& mine = per_worker_(worker);
  CAIRN_TRY(const std::size_t object_size, mine.writer.prepare(id, meta, payload));
  CAIRN_CHECKED(place(worker, id, object_size, mine.writer));
  return true;
}

Status ChunkWriter::place(exec::Worker& worker, const ChunkId& id, std::size_t object_size, ObjectWriter& writer) {
  CAIRN_TRY(const PackWriter::Range range, packs_.reserve(id, object_size));
  if (range.fills_pack) worker.pool().expect_long_work();  // it will be hashed and stored
  if (auto status = writer.write(range.bytes); !status) {
    packs_.abandon(range, status.error().clone());
    return status;
  }
  return packs_.commit(range, worker.spare());
}

// HMAC-SHA-256 is far slower than memory.
std::size_t ChunkWriter::touched_by_hashing(std::size_t size) const {
  return id_hash_.kind() == hash::IdHashKind::Blake3 ? exec::side_by_side(size) : 0;
}

exec::Load ChunkWriter::load() const {
  const bool moves_bytes = spec_.method == compress::Method::None && id_hash_.kind() == hash::IdHashKind::Blake3;
  return moves_bytes ? exec::Load::Memory : exec::Load::Compute;
}

double ChunkWriter::hashing_seconds() const {
  double seconds = 0;
  per_worker_.for_each([&](const PerThread& one) { seconds += one.hashing.seconds(); });
  return seconds;
}

}  // namespace cairn::repo

// How long does loading the chunk index take, and how much memory does a chunk need in it?
//
// Fills a store in memory with the fragments of an index of a million chunks, as a repository would hold them (each one
// sealed and hashed), then loads them with one thread and with two: wall and CPU seconds, best of five.
//
//   bench_index_load [chunks]
#include <ctime>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>

#include "crypt/key_material.h"
#include "crypt/suite.h"
#include "exec/pool.h"
#include "repo/chunk_index.h"
#include "repo/index_fragments.h"
#include "repo/store_object.h"
#include "store/memory.h"

namespace {

using namespace cairn;

constexpr int kRounds = 5;
constexpr std::size_t kChunksPerPack = 25;  // packs of 50 MB, chunks of 2 MB
constexpr std::uint32_t kObjectSize = 2'000'000;

double seconds_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Ids are hashes, so random bytes stand for them. Filled as `create` does it, pack by pack.
void fill(repo::ChunkIndex& index, std::size_t chunks) {
  ChunkId id;
  PackId pack;
  for (std::size_t i = 0; i < chunks; ++i) {
    const std::size_t place = i % kChunksPerPack;
    if (place == 0) crypt::random_bytes(pack.raw);
    crypt::random_bytes(id.raw);
    index.insert(id, {pack, static_cast<std::uint32_t>(place) * kObjectSize, kObjectSize});
  }
}

Status measure(repo::IndexFragments& fragments, unsigned threads, std::size_t chunks) {
  double best_wall = 0;
  double best_cpu = 0;
  std::size_t bytes = 0;
  for (int round = 0; round < kRounds; ++round) {
    exec::Pool pool(threads);
    repo::ChunkIndex index;
    const double wall = seconds_of(CLOCK_MONOTONIC);
    const double cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    CAIRN_TRY(const repo::IndexLoad loaded, fragments.load(index, repo::BadFragments::Error, pool));
    const double wall_taken = seconds_of(CLOCK_MONOTONIC) - wall;
    const double cpu_taken = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    if (loaded.rebuilt || index.size() != chunks) return fail(Code::Integrity, "the index is not what was written");
    best_wall = round == 0 ? wall_taken : std::min(best_wall, wall_taken);
    best_cpu = round == 0 ? cpu_taken : std::min(best_cpu, cpu_taken);
    bytes = index.memory_bytes();
  }
  const auto count = static_cast<double>(chunks);
  fmt::print("{} thread{}: {:.3f} s wall, {:.3f} s CPU ({:.0f} ns a chunk), {:.1f} bytes of memory a chunk\n", threads,
             threads == 1 ? " " : "s", best_wall, best_cpu, best_cpu / count * 1e9, static_cast<double>(bytes) / count);
  return {};
}

Status run(std::size_t chunks) {
  const auto store = store::make_memory_store();
  CAIRN_CHECKED(store->create());
  CAIRN_CHECKED(store->open());
  const auto suite = crypt::find_suite("aes256-ocb", "blake3");
  if (!suite) return fail(Code::Unsupported, "suite");
  const crypt::KeyMaterial material = crypt::make_key_material(RepositoryId{});
  const hash::IdHash id_hash(suite->id_hash, material.id_key);
  repo::StoreObjects objects(*suite, material, material.repository_id);
  repo::IndexFragments fragments(*store, objects, *suite, material, id_hash);
  {
    repo::ChunkIndex index;
    fill(index, chunks);
    const double wall = seconds_of(CLOCK_MONOTONIC);
    CAIRN_CHECKED(fragments.write_full(index, {}));
    CAIRN_TRY(const auto names, fragments.list());
    fmt::print("{} chunks, {} fragments, written in {:.3f} s\n", chunks, names.size(),
               seconds_of(CLOCK_MONOTONIC) - wall);
  }
  for (const unsigned threads : {1U, 2U}) CAIRN_CHECKED(measure(fragments, threads, chunks));
  return {};
}

}  // namespace

int main(int count, char** arguments) {
  const std::size_t chunks = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1'000'000;
  if (chunks == 0) return 2;
  if (const Status status = run(chunks); !status) {
    fmt::print(stderr, "{}\n", status.error().text());
    return 1;
  }
  return 0;
}

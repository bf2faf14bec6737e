// repo-compress: gives every object the wanted compression, pack by pack.
//
// Before    the index is loaded; the exclusive lock is held.
// Safety    as compaction: the index is marked invalid before the first pack goes and written in full at the end, and
// new
//           packs are durable before their source is deleted. Every object that is copied or compressed again has been
//           authenticated, what is compressed again also compared with its id; a pack with damage in it stays as it is.
//           What no index entry names is copied if it is genuine.
// Memory    two packs, and what becomes of them; 8 bytes per indexed object for the order.
// Threads   called by the pool's owner; the objects of a pack are done by all of the pool's workers.
// Logs      what it leaves alone, and why: "borg.archiver.repo_compress_cmd".
// Errors    those of the store and a lost lock. The index is written all the same, as far as that goes.
// Source    docs/format (repository, section 14).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/error.h"
#include "compress/spec.h"
#include "exec/pool.h"
#include "repo/pack_check.h"
#include "repo/repository.h"

namespace cairn::repo {

struct RecompressOptions {
  compress::Spec spec;
  std::uint64_t pack_max_size = 50'000'000;
  const std::atomic<bool>* interrupted = nullptr;  // stops between packs
  Progress progress{};                             // calls come one at a time, from any worker
};

struct RecompressReport {
  std::size_t packs = 0, rewritten = 0;
  std::uint64_t objects = 0, recompressed = 0, already = 0, kept = 0;
  std::uint64_t size_before = 0, size_after = 0;  // of all packs
  bool warnings = false;                          // exit code 1: something was left alone
  bool interrupted = false;
};

Result<RecompressReport> recompress_packs(Repository& repository, exec::Pool& pool, const RecompressOptions& options);

}  // namespace cairn::repo

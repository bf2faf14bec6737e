// Copying archives from one repository into another.
//
// Chunks that the target has are not read. The others are authenticated, decompressed and compared with their ids
// before they are sealed for the target; without recompression their compressed bytes stay as they are. Damage    of a
// chunk that is missing or damaged in the source the item keeps the id, so that the archive says what it
//           had; a warning names the file. Cutting again needs every chunk, and such an error ends it.
// Memory    chunks in flight; items are streamed.
// Threads   called by the pool's owner; the observer is called there, warning() by one thread at a time.
// Errors    Error: the repositories are not related. Those of either repository end the run; what is stored is found
//           again by the next one, and archives that are complete stay.
// Source    docs/format (archive, section 14).
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "archive/summary.h"
#include "base/error.h"
#include "chunk/params.h"
#include "compress/spec.h"
#include "exec/pool.h"
#include "ops/create.h"
#include "repo/repository.h"

namespace cairn::ops {

struct TransferRequest {
  bool dry_run = false;
  bool recompress = false;
  compress::Spec compression;            // of what is new, and of all content with `recompress`
  std::optional<chunk::Params> rechunk;  // cut content again
  bool check_ids = true;                 // BORG_ASSERT_ID
  bool want_progress = false;
  const std::atomic<bool>* interrupted = nullptr;
};

struct TransferCount {
  std::uint64_t transferred = 0, present = 0;  // bytes of plaintext
};

class TransferObserver {
 public:
  virtual ~TransferObserver() = default;
  virtual void is_present(const archive::ArchiveSummary& archive) = 0;
  virtual void begins(const archive::ArchiveSummary& archive) = 0;
  virtual void ends(const archive::ArchiveSummary& archive, const TransferCount& count) = 0;  // or would, in a dry run
  virtual void warning(const std::string& path, const Error& error) = 0;
  virtual void progress(const CreateProgress& progress) = 0;
};

Status transfer(repo::Repository& source, repo::Repository& target, exec::Pool& pool,
                const std::vector<archive::ArchiveSummary>& archives, const TransferRequest& request,
                TransferObserver& observer);

}  // namespace cairn::ops

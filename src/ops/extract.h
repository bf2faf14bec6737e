// Restoring an archive into a directory, to a stream, or nowhere (dry run), chunks and files side by side.
//
// Order     directories are made as they come, files by the workers; hard links, then attributes of directories
// (deepest
//           first) at the end. Paths that meet twice are kept apart by waiting.
// Threads   extract() runs on the pool's owner. `listed` and `write` are called there, in archive order; warning() and
//           progress() from any thread.
// Errors    a file's own problems are warnings; a missing or damaged chunk becomes zeros and a warning that names the
// file.
//           Repository errors end the run.
// Source    docs/format (archive, section 9).
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "archive/metadata.h"
#include "base/error.h"
#include "exec/pool.h"
#include "match/patterns.h"
#include "repo/repository.h"

namespace cairn::ops {

struct ExtractRequest {
  std::string target = ".";
  const match::Matcher* matcher = nullptr;
  std::size_t strip_components = 0;
  bool dry_run = false;
  bool to_stream = false;  // contents go to ExtractObserver::write()
  bool sparse = false;
  bool keep_equal = false;  // --continue: what is there already and equal is left alone
  bool numeric_ids = false, set_flags = true, set_acls = true, set_xattrs = true;
  repo::Verify verify = repo::Verify::Envelope;
  bool want_list = false, want_progress = false;
  const std::atomic<bool>* interrupted = nullptr;
};

class ExtractObserver {
 public:
  virtual ~ExtractObserver() = default;
  virtual void listed(bool included, const std::string& path) = 0;
  virtual void warning(const Error& error) = 0;
  virtual void incomplete() = 0;  // some attributes could not be set; the log has said which. Any thread
  virtual Status write(Bytes bytes) = 0;
  virtual void total(std::uint64_t bytes) = 0;                              // before the first progress()
  virtual void progress(std::uint64_t bytes, const std::string& path) = 0;  // that many more
  virtual void directories(std::uint64_t count) = 0;                        // whose attributes come now, at the end
  virtual void directory_done() = 0;
};

Status extract(repo::Repository& repository, exec::Pool& pool, const archive::Metadata& metadata,
               const ExtractRequest& request, ExtractObserver& observer);

}  // namespace cairn::ops

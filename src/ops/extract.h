// Restoring an archive into a directory, to a stream, or nowhere (dry run), chunks and files side by side.
//
// Order     what is not to stay goes first (once the whole list of items has been read), then directories are made as
//           they come, files by the workers; hard links, then attributes of directories (deepest first) at the end.
//           Paths that meet twice are kept apart by waiting.
// What is there already is compared (update_existing): a regular file of the archived size and mtime counts as equal
//           unless check_content is set or it has only just been written; one of equal size and another mtime is read
//           and its chunks' ids are compared. Equal objects are left alone, or get the attributes that differ; all
//           others are replaced. Objects with links that the archive does not know of are replaced, never changed.
// Times     are set last, and not at all on a file that is not what was archived (damage, disk full), so that whatever
//           is equal by them is complete.
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
  bool update_existing = false;  // what is there already and equal is left alone
  bool check_content = false;    // never trust size and mtime
  bool remove_others = false;    // what the archive does not have goes; without a matcher's choice only
  bool numeric_ids = false, set_flags = true, set_acls = true, set_xattrs = true;
  repo::Verify verify = repo::Verify::Envelope;
  bool want_list = false, want_progress = false;
  const std::atomic<bool>* interrupted = nullptr;
};

class ExtractObserver {
 public:
  virtual ~ExtractObserver() = default;
  // '+' is (or would be) restored, '-' is not selected. A dry run over what is there also tells 'M' to be replaced, 'm'
  // only attributes differ, '=' equal.
  virtual void listed(char what, const std::string& path) = 0;
  virtual void removed(const std::string& path) = 0;  // or would be, in a dry run
  virtual void warning(const std::string& path, const Error& error) = 0;
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

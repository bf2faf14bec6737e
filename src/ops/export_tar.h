// Writing an archive as a tar stream.
//
// Content is fetched, opened and decompressed ahead by all workers; one thread writes, in archive order.
// Memory    what is fetched ahead, and the facts of the items that wait for it.
// Threads   export_tar() runs on the pool's owner; the observer is called there.
// Errors    those of the repository and of the output. Chunks that are missing or damaged become zeros, a message and a
//           warning that names the file, as when extracting.
// Source    docs/format (archive, section 15.1).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "archive/metadata.h"
#include "base/error.h"
#include "exec/pool.h"
#include "match/patterns.h"
#include "ops/tar_items.h"
#include "repo/repository.h"

namespace cairn::ops {

struct ExportTarRequest {
  const match::Matcher* matcher = nullptr;
  std::size_t strip_components = 0;
  TarFormat format = TarFormat::Pax;
  bool sparse = false;  // not with Gnu
  repo::Verify verify = repo::Verify::Envelope;
  bool want_list = false, want_progress = false;
  const std::atomic<bool>* interrupted = nullptr;
};

class ExportTarObserver {
 public:
  virtual ~ExportTarObserver() = default;
  virtual void listed(const std::string& path) = 0;
  virtual void warning(const std::string& path, const Error& error) = 0;
  virtual void left_out(const std::string& message) = 0;  // a warning without a code of its own
  virtual Status write(Bytes bytes) = 0;
  virtual bool stopped() const = 0;                                         // nobody reads any more
  virtual void total(std::uint64_t bytes) = 0;                              // before the first progress()
  virtual void progress(std::uint64_t bytes, const std::string& path) = 0;  // that many more
};

Status export_tar(repo::Repository& repository, exec::Pool& pool, const archive::Metadata& metadata,
                  const ExportTarRequest& request, ExportTarObserver& observer);

}  // namespace cairn::ops

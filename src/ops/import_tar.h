// Making an archive of a tar stream.
//
// One thread reads the stream; cutting, identifying, compressing and storing go on side by side.
// Memory    what is in flight, and for hard links, which may name any file before, what known_members.h keeps.
// Threads   import_tar() runs on the pool's owner. The observer is called by one thread at a time, in the stream's
//           order.
// Errors    Error: the stream cannot be understood, or leads out of the archive ("unexpected '..' element"). No archive
//           is made then; what is stored is found again by the next run.
// Logs      "borg.archiver": members that are left out.
// Source    docs/format (archive, section 15.2).
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "archive/time.h"
#include "chunk/params.h"
#include "compress/spec.h"
#include "ops/create.h"
#include "tar/reader.h"

namespace cairn::ops {

struct ImportTarRequest {
  std::string name;
  std::string command_line;
  std::string hostname, username;
  std::string comment;
  std::optional<archive::Timestamp> timestamp;
  compress::Spec compression;
  chunk::Params chunker;
  std::size_t strip_components = 0;
  bool ignore_zeros = false;
  std::vector<std::string> digests;  // algorithm names
  tar::ReadBytes source;
  bool want_status = false;
  const std::atomic<bool>* interrupted = nullptr;
};

Result<CreateResult> import_tar(repo::Repository& repository, exec::Pool& pool, const ImportTarRequest& request,
                                CreateObserver& observer);

}  // namespace cairn::ops

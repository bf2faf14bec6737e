// Writing an archive anew: without some of its items, with another comment or time, or cut into other chunks.
//
// The new archive keeps what the old one says of its origin (host, user, command, tags). The old one is soft-deleted
// once the new one is complete, unless the new one has another name. Memory    items are streamed; when cutting again
// what is fetched ahead and in flight. Threads   called by the pool's owner; the observer is called by one thread at a
// time, in the archive's order. Errors    those of the repository. A chunk that is missing or damaged ends cutting
// again, and the old archive stays. Source    docs/format (archive, section 13).
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "archive/summary.h"
#include "archive/time.h"
#include "chunk/params.h"
#include "compress/spec.h"
#include "match/patterns.h"
#include "ops/create.h"

namespace cairn::ops {

struct RecreateRequest {
  const match::Matcher* matcher = nullptr;
  bool any_patterns = false;  // patterns, paths or tag options were given
  bool exclude_caches = false, keep_exclude_tags = false;
  std::vector<std::string> exclude_if_present;
  bool dry_run = false;
  std::optional<std::string> target;  // the new archive's name
  std::optional<std::string> comment;
  std::optional<archive::Timestamp> timestamp;
  compress::Spec compression;            // of content that is cut again
  std::optional<chunk::Params> chunker;  // cut again where the archive has others
  std::string command_line;
  bool check_ids = true;  // BORG_ASSERT_ID
  bool want_status = false;
  const std::atomic<bool>* interrupted = nullptr;
};

// Nothing if there is nothing to do for this archive. In a dry run the result has no id.
Result<std::optional<CreateResult>> recreate(repo::Repository& repository, exec::Pool& pool,
                                             const archive::ArchiveSummary& archive, const RecreateRequest& request,
                                             CreateObserver& observer);

}  // namespace cairn::ops

// The client's cache directory of one repository, shared with Borg: <cache dir>/<repository id>/.
#pragma once

#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/error.h"

namespace cairn::ops {

std::string repository_cache_path(const RepositoryId& id);
// Creates it, with a CACHEDIR.TAG in the cache root so that backups can leave it out. Returns its path.
Result<std::string> ensure_repository_cache(const RepositoryId& id);
// The files cache of an archive series: "cairn-files.<suffix>", suffix from BORG_FILES_CACHE_SUFFIX or the name's
// BLAKE3.
std::string files_cache_name(std::string_view archive_name);

}  // namespace cairn::ops

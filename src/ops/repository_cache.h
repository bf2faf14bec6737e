// The client's cache directories of one repository.
//
// Borg's is <cache dir>/<repository id>/; Borg fails if it exists without what Borg put there, so Cairn keeps its own
// files apart, in <cache dir>/cairn/<repository id>/.
#pragma once

#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/error.h"

namespace cairn::ops {

std::string repository_cache_path(const RepositoryId& id);  // Borg's, the one that users are told about
std::string own_cache_path(const RepositoryId& id);
// Creates Cairn's, with a CACHEDIR.TAG in the cache root so that backups can leave it out. Returns its path.
Result<std::string> ensure_own_cache(const RepositoryId& id);
// The files cache of an archive series: "files.<suffix>", suffix from BORG_FILES_CACHE_SUFFIX or the name's BLAKE3;
// Borg calls its own the same, in its own directory.
std::string files_cache_name(std::string_view archive_name);

}  // namespace cairn::ops

// repo-delete: a repository and what this machine keeps about it.
// Source: docs/format (repository, section 15).
#pragma once

#include "base/bytes.h"
#include "base/error.h"
#include "repo/repository.h"
#include "store/store.h"

namespace cairn::ops {

// The exclusive lock must be held; it is given back on the way. From the first step on nobody can open the repository
// any more, and an interrupted deletion leaves a store that looks_like_repository() still knows.
Status delete_repository(repo::Repository& repository);
// Cairn's and Borg's cache directories of the repository.
Status delete_caches(const RepositoryId& id);

// Whether a store without config/config has the namespaces that every repository has. Anything else is better not
// destroyed.
Result<bool> looks_like_repository(store::Store& store);

}  // namespace cairn::ops

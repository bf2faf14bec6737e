// Removing the files caches of archive series that no longer exist: Cairn's own and Borg's, which lie side by side.
// Source: docs/format (archive, section 5; repository, section 12, step 12). Errors: none; what cannot be removed
// stays.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_set>

namespace cairn::ops {

// `directory` is the repository's cache directory. Says how many files were removed.
std::size_t remove_unused_files_caches(const std::string& directory,
                                       const std::unordered_set<std::string>& archive_names);

}  // namespace cairn::ops

// Key files: finding those of a repository, writing and erasing them.
//
// Files of the keys directory (base/user_dirs.h) are recognised by how they begin, whatever they are called. Anything
// that is not a regular file is skipped.
// Errors    KeyfileInvalid, KeyfileMismatch and what the system says. `location` is the repository as messages name it.
// Source    docs/format/crypto.md, section 3.5.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"

namespace cairn::crypt {

struct KeyFile {
  std::string path;
  std::string text;
};

// The file that BORG_KEY_FILE names, as an absolute path; nothing if it is unset or empty.
std::optional<std::string> explicit_key_file();

// The candidates among files, in the order in which they are to be tried: the explicit file alone, which then must fit,
// or else every fitting file of the keys directory by name. A missing keys directory has no files.
Result<std::vector<KeyFile>> find_key_files(const RepositoryId& repository, const std::string& location);

// Where a new key is to be written: the explicit file, else <keys dir>/<key id>.
std::string new_key_file_path(std::string_view text);
// Where key import puts a key: the explicit file, else over the first fitting file, else as new_key_file_path().
Result<std::string> import_key_file_path(std::string_view text, const RepositoryId& repository,
                                         const std::string& location);

enum class IfExists { Replace, Refuse };
// Complete or not at all, mode 0600, synced; a missing keys directory is created. Refuse: "Aborting because key in
// "PATH" already exists."
Status write_key_file(const std::string& path, std::string_view text, IfExists if_exists);
// Overwrites with random bytes, syncs and removes; a file with other names is only removed.
Status erase_key_file(const std::string& path);
// Whether the file lies in the keys directory itself. Only there are old key files replaced by new ones.
bool is_in_keys_dir(const std::string& path);

}  // namespace cairn::crypt

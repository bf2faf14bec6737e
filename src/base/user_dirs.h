// Where per-user files live: configuration, keys, cache, data, security records, runtime files.
//
// The functions only compute paths from the environment, in this order: the directory's own BORG_ variable,
// BORG_BASE_DIR, the XDG variable, the home directory. An empty variable counts as not set. Nothing is created.
// Source: docs/format (cli, section 3; crypto, sections 3.5 and 10).
#pragma once

#include <sys/types.h>

#include <string>

#include "base/error.h"

namespace cairn {

std::string home_dir();      // HOME, else the account's entry; "/" if there is neither
std::string config_dir();    // BORG_CONFIG_DIR   ~/.config/borg
std::string cache_dir();     // BORG_CACHE_DIR    ~/.cache/borg
std::string data_dir();      // BORG_DATA_DIR     ~/.local/share/borg
std::string runtime_dir();   // BORG_RUNTIME_DIR  $XDG_RUNTIME_DIR/borg
std::string keys_dir();      // BORG_KEYS_DIR     <config dir>/keys
std::string security_dir();  // BORG_SECURITY_DIR <data dir>/security; one subdirectory per repository id

// Creates the directory and its missing parents with this mode (the umask applies). One that exists is left as it is.
Status ensure_directory(const std::string& path, mode_t mode = 0700);

}  // namespace cairn

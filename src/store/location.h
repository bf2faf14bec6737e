// Where a repository is: the text behind -r and BORG_REPO, taken apart.
//
// Errors    Usage for a text that is no location, in Borg's words and never with credentials; Unsupported from
//           open_store() for the kinds that Cairn cannot reach.
// Source    docs/format (cli, section 1.3; store, section 10). Placeholders are already expanded.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "store/store.h"

namespace cairn::store {

enum class LocationKind { Local, Ssh, Sftp, Http, Https, S3, B2, Rclone };

struct Location {
  LocationKind kind = LocationKind::Local;
  std::string path = {};  // Local: absolute and normalised. Ssh: as the server sees it. Others: empty
  std::string user = {};  // Ssh only, as host and port
  std::string host = {};
  std::optional<std::uint16_t> port = std::nullopt;
  std::string verbatim = {};   // the whole text for the backends that parse it themselves; may hold credentials
  std::string display = {};    // for messages
  std::string canonical = {};  // for the security database
};

std::string_view scheme_of(LocationKind kind);  // "file", "ssh", ...

// A relative path is taken from `directory`, by default the current one.
Result<Location> parse_location(std::string_view text, const std::optional<std::string>& directory = std::nullopt);

struct StoreOptions {
  std::string permissions = {};  // preset, empty is "all"
  bool durable = true;
  std::optional<std::uint64_t> quota_limit = std::nullopt;

  static StoreOptions from_env();  // BORG_REPO_PERMISSIONS, CAIRN_FSYNC=no
};

// The store at a location, not yet opened: create() or open() comes next. Faults that CAIRN_TEST_STORE_FAULT asks for
// (faulty.h) are built in.
Result<std::unique_ptr<Store>> open_store(const Location& location, const StoreOptions& options);

}  // namespace cairn::store

// Options of the `key` commands. Source: docs/format (cli, section 10.26).
#pragma once

#include <optional>
#include <string>

#include "cli/option_table.h"

namespace cairn::cli {

struct KeyListOptions {};

struct KeyAddOptions {
  std::string label;
};

struct KeyRemoveOptions {
  std::optional<std::string> label, key;  // key: id or the start of it
  bool current = false;                   // the key unlocked now
};

struct KeyExportOptions {
  std::optional<std::string> path, label, key;
  bool paper = false, qr_html = false;
};

struct KeyImportOptions {
  std::optional<std::string> path;
  bool paper = false;
  std::string key_location = "repokey";
};

struct KeyChangePassphraseOptions {};

struct KeyChangeLocationOptions {
  std::string location;  // "repokey" or "keyfile"
  bool keep = false;
};

extern const Command kKeyExport;
extern const Command kKeyImport;
extern const Command kKeyChangePassphrase;
extern const Command kKeyAdd;
extern const Command kKeyRemove;
extern const Command kKeyList;
extern const Command kKeyChangeLocation;

}  // namespace cairn::cli

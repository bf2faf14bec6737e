// Options of `create`. Source: docs/format (cli, section 10.7).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/option_table.h"
#include "cli/pattern_options.h"

namespace cairn::cli {

struct CreateOptions {
  bool dry_run = false, stats = false, list = false, json = false;
  std::optional<std::string> filter;  // status letters
  std::string stdin_name = "stdin";
  std::optional<std::string> stdin_user, stdin_group;
  int stdin_mode = 0660;
  bool content_from_command = false;
  bool paths_from_stdin = false, paths_from_command = false, paths_from_shell_command = false;
  std::string paths_delimiter = "\n";  // escapes evaluated
  bool exclude_dataless = false, one_file_system = false, numeric_ids = false;
  bool atime = false, noctime = false, nobirthtime = false;
  bool noflags = false, noacls = false, noxattrs = false;
  bool sparse = false;
  std::optional<std::vector<std::string>> digests;  // empty list: none
  std::string files_cache = "ctime,size,inode";
  std::vector<std::string> group_by{"name", "host"};
  std::string files_changed = "ctime";
  bool read_special = false;
  std::optional<int> read_special_timeout;  // seconds, 0: for ever
  std::optional<std::string> map, reuse_from, reuse_path;
  std::string comment;                        // placeholders not expanded
  std::optional<std::string> timestamp;       // checked; see archive::parse_timestamp_option
  std::optional<std::string> chunker_params;  // "default" or checked
  std::optional<std::string> compression;     // checked
  std::vector<std::string> tags;
  PatternArguments patterns;
  TagFileOptions tag_files;
  std::string name;  // placeholders not expanded
  std::vector<std::string> paths;

  bool paths_from_elsewhere() const { return paths_from_stdin || paths_from_command || paths_from_shell_command; }
};

extern const Command kCreate;

}  // namespace cairn::cli

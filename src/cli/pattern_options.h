// Options that choose files: patterns in command line order, and tag files.
// Source: docs/format (cli, sections 2.2 and 2.3; archive, sections 4.10 and 6).
#pragma once

#include <string>
#include <vector>

#include "cli/option_table.h"
#include "cli/spec_values.h"

namespace cairn::cli {

enum class PatternSource { Exclude, ExcludeFile, Pattern, PatternFile };

struct PatternArgument {
  PatternSource source;
  std::string text;  // the pattern, the pattern line or the file's name
};

struct PatternArguments {
  std::vector<PatternArgument> list;  // one list over all four options: the first match decides
};

struct TagFileOptions {
  bool exclude_caches = false;
  std::vector<std::string> exclude_if_present;
  bool keep_exclude_tags = false;
};

template <PatternSource source>
Status add_pattern(void* target, std::string_view value) {
  // A bad --exclude is a usage error; the other three are read, and may fail, when the command starts.
  if constexpr (source == PatternSource::Exclude) {
    CAIRN_TRY([[maybe_unused]] const std::string checked, parse_exclude_pattern(value));
  }
  static_cast<PatternArguments*>(target)->list.push_back({source, std::string(value)});
  return {};
}

inline constexpr Option kPatternOptions[] = {
    value("-e, --exclude", "PATTERN", "leave out what matches (repeatable; see \"help patterns\")",
          add_pattern<PatternSource::Exclude>)
        .repeatable(),
    value("--exclude-from", "FILE", "read exclude patterns from FILE, one per line",
          add_pattern<PatternSource::ExcludeFile>)
        .repeatable(),
    value("--pattern", "PATTERN", "include or exclude what matches", add_pattern<PatternSource::Pattern>).repeatable(),
    value("--patterns-from", "FILE", "read include and exclude patterns from FILE, one per line",
          add_pattern<PatternSource::PatternFile>)
        .repeatable(),
};

inline constexpr Option kTagFileOptions[] = {
    flag("--exclude-caches", "leave out directories with a CACHEDIR.TAG file", set<&TagFileOptions::exclude_caches>),
    value("--exclude-if-present", "NAME", "leave out directories that contain NAME",
          set<&TagFileOptions::exclude_if_present>)
        .repeatable(),
    flag("--keep-exclude-tags", "of directories left out so, keep the tag files",
         set<&TagFileOptions::keep_exclude_tags>),
};

}  // namespace cairn::cli

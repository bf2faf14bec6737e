// Conversions and checks of option values, with Borg's error texts.
//
// Errors    Usage with the part of the message after "argument NAME: ". Texts follow docs/format/cli.md, section 1.1.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace cairn::cli {

// What --sort-by understands: of archives, of an archive's items (list), of differences (diff).
inline constexpr auto kArchiveSortKeys =
    std::to_array<std::string_view>({"timestamp", "archive", "name", "id", "tags", "host", "user"});
inline constexpr auto kItemSortKeys = std::to_array<std::string_view>(
    {"path", "type", "mode", "user", "uid", "group", "gid", "size", "mtime", "ctime", "atime"});
inline constexpr auto kDiffSortKeys =
    std::to_array<std::string_view>({"path", "size_added", "size_removed", "size_diff", "size", "user", "group", "uid",
                                     "gid", "ctime", "mtime", "ctime_diff", "mtime_diff"});

// The value in Python's quotes, as the messages show it: 'x', "it's".
std::string quoted(std::string_view value);

Result<bool> parse_bool(std::string_view value);  // of environment variables and configuration files
Result<int> parse_int(std::string_view value);
Result<int> parse_positive_int(std::string_view value);
Result<int> parse_thread_count(std::string_view value);  // 1 to 4096
Result<int> parse_octal(std::string_view value);
Result<int> parse_timeout_seconds(std::string_view value);        // not negative
Result<std::string> parse_time_span(std::string_view value);      // "7d": checked, kept as text
Result<std::string> parse_path_argument(std::string_view value);  // not empty
Result<std::string> parse_stored_path(std::string_view value);    // relative and normal; no ".." in it
Result<std::vector<std::string>> parse_archive_sort_keys(std::string_view value);
Result<std::vector<std::string>> parse_item_sort_fields(std::string_view value);    // "<size,>path": prefixes kept
Result<std::vector<std::string>> parse_diff_sort_fields(std::string_view value);    // the same for differences
Result<std::vector<std::string>> parse_create_group_keys(std::string_view value);   // name, host, user
Result<std::vector<std::string>> parse_archive_group_keys(std::string_view value);  // and tags
Result<std::vector<std::string>> parse_digest_names(std::string_view value);        // "none" gives an empty list
Result<std::string> parse_files_cache_mode(std::string_view value);  // "ctime,size,inode", short forms spelled out
Result<std::string> parse_delimiter(std::string_view value);         // escapes evaluated: "\0" is one NUL byte

}  // namespace cairn::cli

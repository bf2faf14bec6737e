#include "cli/option_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/item.h"
#include "archive/prune.h"
#include "cli/option_table.h"

namespace cairn::cli {
namespace {

std::unexpected<Error> bad(std::string message) { return fail(Code::Usage, std::move(message)); }

// Optional sign and digits of `base`, nothing else; Python's int() also takes blanks around.
bool read_int(std::string_view text, int base, int& out) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return false;
  text = text.substr(first, text.find_last_not_of(" \t") - first + 1);
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return false;
  }
  if (base == 8 && (text.starts_with("0o") || text.starts_with("0O"))) text.remove_prefix(2);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, base);
  return error == std::errc() && end == text.data() + text.size();
}

std::vector<std::string> names_of_keys(std::span<const archive::GroupKey> keys) {
  std::vector<std::string> names;
  for (const archive::GroupKey key : keys) names.emplace_back(archive::name_of(key));
  return names;
}

// Each may have > or < in front, which stays.
Result<std::vector<std::string>> sort_fields_among(std::string_view value, std::span<const std::string_view> valid) {
  std::vector<std::string> fields;
  for (const auto word : split_words(value, ',')) {
    std::string_view field = word;
    if (field.starts_with('<') || field.starts_with('>')) field.remove_prefix(1);
    if (std::ranges::find(valid, field) == valid.end())
      return bad(fmt::format("unsupported sort field: {}, supported: {}", field, fmt::join(valid, ", ")));
    fields.emplace_back(word);
  }
  if (fields.empty()) return bad("unsupported sort field: empty spec");
  return fields;
}

}  // namespace

std::string quoted(std::string_view value) {
  const char quote =
      value.find('\'') != std::string_view::npos && value.find('"') == std::string_view::npos ? '"' : '\'';
  std::string out(1, quote);
  for (const char c : value) {
    if (c == quote || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + quote;
}

Result<bool> parse_bool(std::string_view value) {
  for (const std::string_view yes : {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "1"})
    if (value == yes) return true;
  for (const std::string_view no : {"false", "False", "FALSE", "no", "No", "NO", "off", "0", ""})
    if (value == no) return false;
  return bad(fmt::format("invalid bool value: {}", quoted(value)));
}

Result<int> parse_int(std::string_view value) {
  int number = 0;
  if (!read_int(value, 10, number)) return bad(fmt::format("invalid int value: {}", quoted(value)));
  return number;
}

Result<int> parse_positive_int(std::string_view value) {
  int number = 0;
  if (!read_int(value, 10, number) || number < 1)
    return bad(fmt::format("invalid PositiveInt value: {}", quoted(value)));
  return number;
}

Result<int> parse_thread_count(std::string_view value) {
  int number = 0;
  if (!read_int(value, 10, number) || number < 1 || number > 4096)
    return bad(fmt::format("invalid thread count: {} (1 to 4096)", quoted(value)));
  return number;
}

Result<int> parse_octal(std::string_view value) {
  int number = 0;
  if (!read_int(value, 8, number) || number < 0) return bad(fmt::format("invalid octal_int value: {}", quoted(value)));
  return number;
}

Result<int> parse_timeout_seconds(std::string_view value) {
  int number = 0;
  if (!read_int(value, 10, number)) return bad(fmt::format("invalid seconds value: {}", quoted(value)));
  if (number < 0) return bad("seconds value must be >= 0");
  return number;
}

Result<std::string> parse_time_span(std::string_view value) {
  constexpr std::string_view kUnits = "ymwdHMS";
  const bool digits =
      value.size() >= 2 && value.size() <= 10 &&
      std::ranges::all_of(value.substr(0, value.size() - 1), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || kUnits.find(value.back()) == std::string_view::npos)
    return bad(fmt::format("Invalid relative time marker used: {}, choose from y, m, w, d, H, M, S", value));
  return std::string(value);
}

Result<std::string> parse_path_argument(std::string_view value) {
  if (value.empty()) return bad("Empty strings are not accepted as paths.");
  return std::string(value);
}

Result<std::string> parse_stored_path(std::string_view value) {
  auto path = archive::safe_path(std::string(value));
  if (!path) return bad(path.error().message());
  if (*path == ".") return bad(fmt::format("{} is not a valid file name", quoted(value)));
  return path;
}

Result<std::vector<std::string>> parse_archive_sort_keys(std::string_view value) {
  std::vector<std::string> keys;
  std::string_view rest = value;
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    const std::string_view key = rest.substr(0, comma);
    if (std::ranges::find(kArchiveSortKeys, key) == kArchiveSortKeys.end())
      return bad(fmt::format("Invalid sort key: {}", key));
    keys.emplace_back(key);
    more = comma != std::string_view::npos;
    if (more) rest.remove_prefix(comma + 1);
  }
  return keys;
}

Result<std::vector<std::string>> parse_item_sort_fields(std::string_view value) {
  return sort_fields_among(value, kItemSortKeys);
}

Result<std::vector<std::string>> parse_diff_sort_fields(std::string_view value) {
  return sort_fields_among(value, kDiffSortKeys);
}

Result<std::vector<std::string>> parse_create_group_keys(std::string_view value) {
  constexpr auto kAllowed = std::to_array({archive::GroupKey::Name, archive::GroupKey::Host, archive::GroupKey::User});
  CAIRN_TRY(const auto keys, archive::parse_group_keys(value, kAllowed));
  if (keys.empty())
    return bad(fmt::format("At least one group-by key is required (valid keys: {})", archive::names_of(kAllowed)));
  return names_of_keys(keys);
}

Result<std::vector<std::string>> parse_archive_group_keys(std::string_view value) {
  CAIRN_TRY(const auto keys, archive::parse_group_by(value));
  return names_of_keys(keys);
}

Result<std::vector<std::string>> parse_digest_names(std::string_view value) {
  constexpr auto kValid =
      std::to_array<std::string_view>({"blake2b", "blake2s", "blake3", "md5", "sha1", "sha224", "sha256", "sha384",
                                       "sha3_224", "sha3_256", "sha3_384", "sha3_512", "sha512"});
  std::vector<std::string> names;
  if (value == "none") return names;
  for (const auto name : split_words(value, ',')) {
    if (std::ranges::find(kValid, name) == kValid.end()) {
      names.clear();
      break;
    }
    names.emplace_back(name);
  }
  if (names.empty())
    return bad(fmt::format("digests must be \"none\" or a comma-separated list of: {}", fmt::join(kValid, ",")));
  return names;
}

Result<std::string> parse_files_cache_mode(std::string_view value) {
  struct Mode {
    std::string_view short_form, text;
  };
  constexpr auto kModes = std::to_array<Mode>({{"cis", "ctime,size,inode"},
                                               {"ims", "mtime,size,inode"},
                                               {"cs", "ctime,size"},
                                               {"ms", "mtime,size"},
                                               {"cr", "rechunk,ctime"},
                                               {"mr", "rechunk,mtime"},
                                               {"d", "disabled"}});
  for (const auto& mode : kModes)
    if (value == mode.short_form) return std::string(mode.text);
  const auto sorted = [](std::string_view text) {
    auto words = split_words(text, ',');
    std::ranges::sort(words);
    return words;
  };
  const auto given = sorted(value);
  for (const auto& mode : kModes)
    if (given == sorted(mode.text)) return std::string(mode.text);
  return bad("cache mode must be a comma-separated list of: ctime,disabled,inode,mtime,rechunk,size");
}

Result<std::string> parse_delimiter(std::string_view value) {
  std::string out;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] != '\\' || i + 1 == value.size()) {
      out += value[i];
      continue;
    }
    switch (const char c = value[++i]) {
      case '0':
        out += '\0';
        break;
      case 'n':
        out += '\n';
        break;
      case 'r':
        out += '\r';
        break;
      case 't':
        out += '\t';
        break;
      case '\\':
        out += '\\';
        break;
      case 'x': {
        int code = 0;
        if (i + 2 >= value.size() || !read_int(value.substr(i + 1, 2), 16, code) || code < 0)
          return bad(fmt::format("invalid delimiter: {}", quoted(value)));
        out += static_cast<char>(code);
        i += 2;
        break;
      }
      default:
        out += '\\';
        out += c;
    }
  }
  if (out.empty()) return bad(fmt::format("invalid delimiter: {}", quoted(value)));
  return out;
}

}  // namespace cairn::cli

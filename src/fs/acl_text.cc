#include "fs/acl_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>
#include <vector>

#include "fs/node.h"

namespace cairn::fs {
namespace {

enum Tag : std::uint16_t { kUserObject = 1, kUser = 2, kGroupObject = 4, kGroup = 8, kMask = 16, kOther = 32 };
constexpr std::uint32_t kVersion = 2, kNoId = 0xffffffff;
constexpr std::size_t kHeaderSize = 4, kEntrySize = 8;

struct Entry {
  std::uint16_t tag;
  std::uint16_t permissions;
  std::uint32_t id;
};

std::string_view type_of(std::uint16_t tag) {
  switch (tag) {
    case kUserObject:
    case kUser:
      return "user";
    case kGroupObject:
    case kGroup:
      return "group";
    case kMask:
      return "mask";
    case kOther:
      return "other";
    default:
      return {};
  }
}

void append_permissions(std::string& to, std::uint32_t bits) {
  to += (bits & 4U) != 0 ? 'r' : '-';
  to += (bits & 2U) != 0 ? 'w' : '-';
  to += (bits & 1U) != 0 ? 'x' : '-';
}

// The tags' numbers rise in the canonical order, and named entries come by id. The kernel keeps the latter in any
// order.
void sort_canonically(std::vector<Entry>& entries) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.tag, a.id, a.permissions) < std::tie(b.tag, b.id, b.permissions);
  });
}

std::optional<std::uint16_t> parse_permissions(std::string_view text) {
  if (text.size() != 3) return std::nullopt;
  constexpr std::string_view kLetters = "rwx";
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    if (text[i] == kLetters[i]) {
      bits |= 4U >> i;
    } else if (text[i] != '-') {
      return std::nullopt;
    }
  }
  return static_cast<std::uint16_t>(bits);
}

std::optional<std::uint32_t> parse_id(std::string_view text) {
  std::uint32_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || end != text.data() + text.size() || id == kNoId) return std::nullopt;
  return id;
}

std::optional<std::uint32_t> resolve(bool is_user, std::string_view name, std::optional<std::string_view> stored,
                                     bool numeric_ids) {
  if (!numeric_ids || !stored) {
    const std::string text(name);
    const std::int64_t local = is_user ? user_id(text) : group_id(text);
    if (local >= 0 && local < kNoId) return static_cast<std::uint32_t>(local);
  }
  return parse_id(stored ? *stored : name);
}

std::optional<Entry> parse_line(std::string_view line, bool numeric_ids) {
  std::array<std::string_view, 4> fields;
  std::size_t count = 0;
  for (;;) {
    if (count == fields.size()) return std::nullopt;
    const std::size_t colon = line.find(':');
    fields[count++] = line.substr(0, colon);
    if (colon == std::string_view::npos) break;
    line.remove_prefix(colon + 1);
  }
  if (count < 3) return std::nullopt;
  const auto permissions = parse_permissions(fields[2]);
  if (!permissions) return std::nullopt;
  const bool is_user = fields[0] == "user", is_group = fields[0] == "group";
  if (!fields[1].empty()) {
    if (!is_user && !is_group) return std::nullopt;
    const auto stored = count == 4 ? std::optional(fields[3]) : std::nullopt;
    const auto id = resolve(is_user, fields[1], stored, numeric_ids);
    if (!id) return std::nullopt;
    return Entry{is_user ? kUser : kGroup, *permissions, *id};
  }
  if (count != 3) return std::nullopt;
  if (is_user) return Entry{kUserObject, *permissions, kNoId};
  if (is_group) return Entry{kGroupObject, *permissions, kNoId};
  if (fields[0] == "mask") return Entry{kMask, *permissions, kNoId};
  if (fields[0] == "other") return Entry{kOther, *permissions, kNoId};
  return std::nullopt;
}

}  // namespace

std::optional<std::string> acl_to_text(Bytes binary, bool numeric_ids) {
  if (binary.empty()) return std::string();
  if (binary.size() < kHeaderSize || load_le<std::uint32_t>(binary.data()) != kVersion) return std::nullopt;
  binary = binary.subspan(kHeaderSize);
  if (binary.size() % kEntrySize != 0) return std::nullopt;
  std::vector<Entry> entries;
  entries.reserve(binary.size() / kEntrySize);
  for (; !binary.empty(); binary = binary.subspan(kEntrySize)) {
    entries.push_back({load_le<std::uint16_t>(binary.data()),
                       static_cast<std::uint16_t>(load_le<std::uint16_t>(binary.data() + 2) & 7U),
                       load_le<std::uint32_t>(binary.data() + 4)});
    if (type_of(entries.back().tag).empty()) return std::nullopt;
    // The id of an unnamed entry means nothing, whatever is in its place.
    if (entries.back().tag != kUser && entries.back().tag != kGroup) entries.back().id = kNoId;
  }
  sort_canonically(entries);
  std::string text;
  for (const Entry& entry : entries) {
    if (!text.empty()) text += '\n';
    text += type_of(entry.tag);
    text += ':';
    if (entry.tag == kUser || entry.tag == kGroup) {
      const std::string number = std::to_string(entry.id);
      const std::string& name = entry.tag == kUser ? user_name(entry.id) : group_name(entry.id);
      text += numeric_ids || name.empty() ? number : name;
      text += ':';
      append_permissions(text, entry.permissions);
      text += ':';
      text += number;
    } else {
      text += ':';
      append_permissions(text, entry.permissions);
    }
  }
  return text;
}

std::string acl_text_of_mode(std::uint32_t mode) {
  std::string text = "user::";
  append_permissions(text, mode >> 6U);
  text += "\ngroup::";
  append_permissions(text, mode >> 3U);
  text += "\nother::";
  append_permissions(text, mode);
  return text;
}

std::optional<std::string> acl_from_text(std::string_view text, bool numeric_ids) {
  std::vector<Entry> entries;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    const std::string_view line = text.substr(0, newline);
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
    if (line.empty()) continue;
    const auto entry = parse_line(line, numeric_ids);
    if (!entry) return std::nullopt;
    entries.push_back(*entry);
  }
  sort_canonically(entries);
  std::string binary(kHeaderSize + entries.size() * kEntrySize, '\0');
  const MutableBytes to = std::as_writable_bytes(std::span(binary.data(), binary.size()));
  store_le<std::uint32_t>(to.data(), kVersion);
  std::size_t at = kHeaderSize;
  for (const Entry& entry : entries) {
    store_le<std::uint16_t>(&to[at], entry.tag);
    store_le<std::uint16_t>(&to[at + 2], entry.permissions);
    store_le<std::uint32_t>(&to[at + 4], entry.id);
    at += kEntrySize;
  }
  return binary;
}

bool acl_is_extended(Bytes binary) { return binary.size() > kHeaderSize + 3 * kEntrySize; }

}  // namespace cairn::fs

#include "cli/item_format.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "archive/time.h"
#include "cli/display_text.h"
#include "cli/format_json.h"
#include "cli/json_output.h"
#include "hash/digest.h"
#include "hash/sha256.h"

namespace cairn::cli {
namespace {

constexpr std::string_view kPlainKeys[] = {
    "type",     "mode",     "uid",      "gid",         "user",       "group",       "path",  "target",
    "hlid",     "inode",    "flags",    "size",        "num_chunks", "mtime",       "ctime", "atime",
    "isomtime", "isoctime", "isoatime", "fingerprint", "archiveid",  "archivename", "extra"};

char type_letter(std::uint32_t mode) {
  switch (mode & S_IFMT) {
    case S_IFDIR:
      return 'd';
    case S_IFLNK:
      return 'l';
    case S_IFIFO:
      return 'p';
    case S_IFCHR:
      return 'c';
    case S_IFBLK:
      return 'b';
    case S_IFSOCK:
      return 's';
    case S_IFREG:
      return '-';
    default:
      return '?';
  }
}

// Length in characters, as symbolic links show it.
std::int64_t characters(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; });
}

std::string name_or_number(const std::optional<std::string>& name, const std::optional<std::int64_t>& id) {
  if (name && !name->empty()) return *name;
  return id ? std::to_string(*id) : "None";
}

std::string fingerprint(const archive::Item& item, const std::string& conditions) {
  if (!item.chunks) return "";
  Buffer ids;
  for (const auto& chunk : *item.chunks) ids.append(chunk.id.raw);
  return conditions + "-" + hash::sha256(ids).hex();
}

}  // namespace

std::int64_t shown_size(const archive::Item& item) {
  if (item.target) return characters(*item.target);
  return static_cast<std::int64_t>(item.size.value_or(0));
}

std::string mode_text(std::uint32_t mode) {
  std::string text(10, '-');
  text[0] = type_letter(mode);
  static constexpr char kLetters[] = "rwxrwxrwx";
  for (std::size_t i = 0; i < 9; ++i) {
    if ((mode >> (8 - i) & 1U) != 0) text[i + 1] = kLetters[i];
  }
  auto special = [&](std::uint32_t bit, std::size_t at, char with, char without) {
    if ((mode & bit) != 0) text[at] = text[at] == 'x' ? with : without;
  };
  special(S_ISUID, 3, 's', 'S');
  special(S_ISGID, 6, 's', 'S');
  special(S_ISVTX, 9, 't', 'T');
  return text;
}

Result<ItemFormat> ItemFormat::compile(std::string_view text) {
  static const std::vector<std::string_view> keys = [] {
    std::vector<std::string_view> all(std::begin(kPlainKeys), std::end(kPlainKeys));
    all.insert(all.end(), hash::digest_names().begin(), hash::digest_names().end());
    return all;
  }();
  CAIRN_TRY(auto compiled, archive::FormatTemplate::compile(text, keys));
  return ItemFormat(std::move(compiled));
}

namespace {

Result<archive::FormatValue> value_of(const archive::Item& item, const ItemFormat::Context& context,
                                      const std::string& key) {
  auto time = [&](const std::optional<Nanoseconds>& value) { return value.value_or(item.mtime); };
  if (key == "path") return archive::FormatValue(std::string_view(item.path));
  if (key == "mode") return archive::FormatValue(mode_text(item.mode));
  if (key == "type") return archive::FormatValue(std::string(1, type_letter(item.mode)));
  if (key == "size") return archive::FormatValue(shown_size(item));
  if (key == "user") return archive::FormatValue(name_or_number(item.user, item.uid));
  if (key == "group") return archive::FormatValue(name_or_number(item.group, item.gid));
  if (key == "uid") return item.uid ? archive::FormatValue(*item.uid) : archive::FormatValue(std::string("None"));
  if (key == "gid") return item.gid ? archive::FormatValue(*item.gid) : archive::FormatValue(std::string("None"));
  if (key == "mtime") return archive::FormatValue(archive::TimeValue{item.mtime});
  if (key == "ctime") return archive::FormatValue(archive::TimeValue{time(item.ctime)});
  if (key == "atime") return archive::FormatValue(archive::TimeValue{time(item.atime)});
  if (key == "isomtime") return archive::FormatValue(archive::iso_local(item.mtime));
  if (key == "isoctime") return archive::FormatValue(archive::iso_local(time(item.ctime)));
  if (key == "isoatime") return archive::FormatValue(archive::iso_local(time(item.atime)));
  if (key == "target") return archive::FormatValue(item.target.value_or(""));
  if (key == "extra") return archive::FormatValue(item.target ? " -> " + *item.target : std::string());
  if (key == "hlid") return archive::FormatValue(item.hlid ? item.hlid->hex() : std::string());
  if (key == "inode")
    return item.inode ? archive::FormatValue(static_cast<std::int64_t>(*item.inode))
                      : archive::FormatValue(std::string("None"));
  if (key == "flags")
    return item.bsdflags ? archive::FormatValue(static_cast<std::int64_t>(*item.bsdflags))
                         : archive::FormatValue(std::string("None"));
  if (key == "num_chunks")
    return archive::FormatValue(static_cast<std::int64_t>(item.chunks ? item.chunks->size() : 0));
  if (key == "archiveid") return archive::FormatValue(std::string_view(context.archive_id));
  if (key == "archivename") return archive::FormatValue(std::string_view(context.archive_name));
  if (key == "fingerprint") return archive::FormatValue(fingerprint(item, context.conditions));
  // A hash key: the stored digest, else computed from the content.
  if (!item.chunks) return archive::FormatValue(std::string());
  if (item.digests) {
    for (const auto& [name, raw] : *item.digests) {
      if (name == key) return archive::FormatValue(to_hex(bytes_of(raw)));
    }
  }
  CAIRN_TRY(const std::string raw, context.digest(item, key));
  return archive::FormatValue(to_hex(bytes_of(raw)));
}

}  // namespace

Status ItemFormat::render(const archive::Item& item, const Context& context, std::string& out) const {
  const auto& keys = template_.keys();
  Status problem;
  auto rendered = template_.render(
      [&](std::size_t i) {
        auto value = value_of(item, context, keys[i]);
        if (!value) {
          problem = std::unexpected<Error>(std::move(value).error());
          return archive::FormatValue(std::string());
        }
        if (context.one_line_names) {
          if (const auto* text = std::get_if<std::string_view>(&*value)) return archive::FormatValue(one_line(*text));
          if (const auto* text = std::get_if<std::string>(&*value)) return archive::FormatValue(one_line(*text));
        }
        return std::move(*value);
      },
      out);
  if (!problem) return problem;
  return rendered;
}

Status ItemFormat::render_json(const archive::Item& item, const Context& context, std::string& out) const {
  nlohmann::json object;
  set_text(object, "type", std::string(1, type_letter(item.mode)));
  object["mode"] = mode_text(item.mode);
  set_text(object, "user", name_or_number(item.user, item.uid));
  set_text(object, "group", name_or_number(item.group, item.gid));
  object["uid"] = item.uid ? nlohmann::json(*item.uid) : nlohmann::json(nullptr);
  object["gid"] = item.gid ? nlohmann::json(*item.gid) : nlohmann::json(nullptr);
  set_text(object, "path", item.path);
  set_text(object, "target", item.target.value_or(""));
  object["hlid"] = item.hlid ? item.hlid->hex() : "";
  object["inode"] = item.inode ? nlohmann::json(*item.inode) : nlohmann::json(nullptr);
  object["flags"] = item.bsdflags ? nlohmann::json(*item.bsdflags) : nlohmann::json(nullptr);
  for (const std::string& key : template_.keys()) {
    if (object.contains(key) || key == "extra") continue;  // extra is for people: "target" tells the same
    CAIRN_TRY(const archive::FormatValue value, value_of(item, context, key));
    set_value(object, key, value);
  }
  out += json_text(object, std::nullopt);
  out += '\n';
  return {};
}

}  // namespace cairn::cli

#include "cli/item_format.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "archive/time.h"
#include "cli/display_text.h"
#include "cli/format_json.h"
#include "cli/json_text.h"
#include "hash/digest.h"
#include "hash/sha256.h"

namespace cairn::cli {
namespace {

using Key = ItemFormat::Key;

constexpr std::pair<std::string_view, Key> kPlainKeys[] = {
    {"type", Key::Type},
    {"mode", Key::Mode},
    {"uid", Key::Uid},
    {"gid", Key::Gid},
    {"user", Key::User},
    {"group", Key::Group},
    {"path", Key::Path},
    {"target", Key::Target},
    {"hlid", Key::Hlid},
    {"inode", Key::Inode},
    {"flags", Key::Flags},
    {"size", Key::Size},
    {"num_chunks", Key::NumChunks},
    {"mtime", Key::Mtime},
    {"ctime", Key::Ctime},
    {"atime", Key::Atime},
    {"isomtime", Key::IsoMtime},
    {"isoctime", Key::IsoCtime},
    {"isoatime", Key::IsoAtime},
    {"fingerprint", Key::Fingerprint},
    {"archiveid", Key::ArchiveId},
    {"archivename", Key::ArchiveName},
    {"extra", Key::Extra},
};
// What JSON always has.
constexpr Key kJsonKeys[] = {Key::Type, Key::Mode,   Key::User, Key::Group, Key::Uid,  Key::Gid,
                             Key::Path, Key::Target, Key::Hlid, Key::Inode, Key::Flags};

bool is_json_key(Key key) { return std::ranges::find(kJsonKeys, key) != std::end(kJsonKeys); }

Key key_of(std::string_view name) {
  const auto found = std::ranges::find(kPlainKeys, name, &std::pair<std::string_view, Key>::first);
  return found == std::end(kPlainKeys) ? Key::Digest : found->second;
}

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
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const auto& [name, key] : kPlainKeys) all.push_back(name);
    all.insert(all.end(), hash::digest_names().begin(), hash::digest_names().end());
    return all;
  }();
  CAIRN_TRY(auto compiled, archive::FormatTemplate::compile(text, names));
  return ItemFormat(std::move(compiled));
}

ItemFormat::ItemFormat(archive::FormatTemplate compiled) : template_(std::move(compiled)) {
  for (const auto& [name, key] : kPlainKeys) {
    if (is_json_key(key)) json_keys_.push_back({std::string(name), key});
  }
  for (const std::string& name : template_.keys()) {
    const Key key = key_of(name);
    keys_.push_back({name, key});
    // "extra" is for people: "target" tells the same.
    if (key != Key::Extra && !is_json_key(key)) json_keys_.push_back({name, key});
  }
  std::ranges::sort(json_keys_, {}, &NamedKey::name);
}

namespace {

archive::FormatValue number_or_none(const std::optional<std::int64_t>& number) {
  return number ? archive::FormatValue(*number) : archive::FormatValue(std::string_view("None"));
}
archive::FormatValue number_or_none(const std::optional<std::uint64_t>& number) {
  return number ? archive::FormatValue(static_cast<std::int64_t>(*number))
                : archive::FormatValue(std::string_view("None"));
}

// The stored digest, else computed from the content.
Result<archive::FormatValue> digest_value(const archive::Item& item, const ItemFormat::Context& context,
                                          const std::string& name) {
  if (!item.chunks) return archive::FormatValue(std::string());
  if (item.digests) {
    for (const auto& [algorithm, raw] : *item.digests) {
      if (algorithm == name) return archive::FormatValue(to_hex(bytes_of(raw)));
    }
  }
  CAIRN_TRY(const std::string raw, context.digest(item, name));
  return archive::FormatValue(to_hex(bytes_of(raw)));
}

}  // namespace

Result<archive::FormatValue> ItemFormat::value_of(const archive::Item& item, const Context& context,
                                                  const NamedKey& key) {
  using Value = archive::FormatValue;
  const auto time = [&](const std::optional<Nanoseconds>& value) { return value.value_or(item.mtime); };
  switch (key.key) {
    case Key::Path:
      return Value(std::string_view(item.path));
    case Key::Mode:
      return Value(mode_text(item.mode));
    case Key::Type:
      return Value(std::string(1, type_letter(item.mode)));
    case Key::Size:
      return Value(shown_size(item));
    case Key::User:
      return Value(name_or_number(item.user, item.uid));
    case Key::Group:
      return Value(name_or_number(item.group, item.gid));
    case Key::Uid:
      return number_or_none(item.uid);
    case Key::Gid:
      return number_or_none(item.gid);
    case Key::Mtime:
      return Value(archive::TimeValue{item.mtime});
    case Key::Ctime:
      return Value(archive::TimeValue{time(item.ctime)});
    case Key::Atime:
      return Value(archive::TimeValue{time(item.atime)});
    case Key::IsoMtime:
      return Value(archive::iso_local(item.mtime));
    case Key::IsoCtime:
      return Value(archive::iso_local(time(item.ctime)));
    case Key::IsoAtime:
      return Value(archive::iso_local(time(item.atime)));
    case Key::Target:
      return Value(item.target.value_or(""));
    case Key::Extra:
      return Value(item.target ? " -> " + *item.target : std::string());
    case Key::Hlid:
      return Value(item.hlid ? item.hlid->hex() : std::string());
    case Key::Inode:
      return number_or_none(item.inode);
    case Key::Flags:
      return number_or_none(item.bsdflags);
    case Key::NumChunks:
      return Value(static_cast<std::int64_t>(item.chunks ? item.chunks->size() : 0));
    case Key::ArchiveId:
      return Value(std::string_view(context.archive_id));
    case Key::ArchiveName:
      return Value(std::string_view(context.archive_name));
    case Key::Fingerprint:
      return Value(fingerprint(item, context.conditions));
    case Key::Digest:
      break;
  }
  return digest_value(item, context, key.name);
}

Status ItemFormat::render(const archive::Item& item, const Context& context, std::string& out) const {
  Status problem;
  auto rendered = template_.render(
      [&](std::size_t i) {
        auto value = value_of(item, context, keys_[i]);
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
  JsonLine line;
  for (const NamedKey& key : json_keys_) {
    // Numbers that are not there are null, and large ones stay as they are.
    const bool is_null = (key.key == Key::Uid && !item.uid) || (key.key == Key::Gid && !item.gid) ||
                         (key.key == Key::Inode && !item.inode) || (key.key == Key::Flags && !item.bsdflags);
    if (is_null) {
      line.null(key.name);
      continue;
    }
    if (key.key == Key::Inode || key.key == Key::Flags) {
      line.unsigned_integer(key.name, key.key == Key::Inode ? *item.inode : *item.bsdflags);
      continue;
    }
    CAIRN_TRY(const archive::FormatValue value, value_of(item, context, key));
    add_value(line, key.name, value);
  }
  out += line.str();
  out += '\n';
  return {};
}

}  // namespace cairn::cli

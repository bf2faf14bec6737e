#include "ops/tar_items.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/normalized_path.h"
#include "crypt/base64.h"
#include "tar/pax_records.h"

namespace cairn::ops {
namespace {

constexpr std::string_view kXattr = "SCHILY.xattr.";
constexpr std::string_view kAclAccess = "SCHILY.acl.access", kAclDefault = "SCHILY.acl.default";
constexpr std::string_view kItemVersion = "BORG.item.version", kItemMeta = "BORG.item.meta";

std::vector<tar::Record> records_of(const archive::Item& item, const std::string& path, TarFormat format) {
  std::vector<tar::Record> records;
  if (item.atime) records.emplace_back("atime", tar::time_text(*item.atime));
  if (item.ctime) records.emplace_back("ctime", tar::time_text(*item.ctime));
  records.emplace_back("mtime", tar::time_text(item.mtime));
  if (item.xattrs) {
    for (const auto& [name, value] : *item.xattrs) records.emplace_back(std::string(kXattr) + name, value);
  }
  if (item.acl_access) records.emplace_back(kAclAccess, *item.acl_access);
  if (item.acl_default) records.emplace_back(kAclDefault, *item.acl_default);
  if (format == TarFormat::Borg) {
    archive::Item renamed = item;
    renamed.path = path;
    Buffer encoded;
    archive::encode(renamed, encoded);
    records.emplace_back(kItemVersion, "1");
    records.emplace_back(kItemMeta, crypt::encode_base64(encoded));
  }
  return records;
}

std::uint32_t type_bits(char type) {
  switch (type) {
    case tar::kSymlink:
      return S_IFLNK;
    case tar::kCharDevice:
      return S_IFCHR;
    case tar::kBlockDevice:
      return S_IFBLK;
    case tar::kDirectory:
      return S_IFDIR;
    case tar::kFifo:
      return S_IFIFO;
    default:
      return S_IFREG;
  }
}

Result<archive::Item> decoded_item(const tar::Member& member, const std::string& version) {
  if (version != "1") {
    return fail(Code::Integrity, fmt::format("{}: unknown {} {}", member.path, kItemVersion, version));
  }
  const std::string* meta = tar::find_record(member, kItemMeta);
  Buffer encoded;
  archive::Item item;
  if (meta == nullptr || !crypt::decode_base64(*meta, encoded)) {
    return fail(Code::Integrity, fmt::format("{}: {} is damaged", member.path, kItemMeta));
  }
  if (auto status = archive::decode_complete(encoded, item); !status) {
    return fail(std::move(status).error().at(fmt::format("{} of {}", kItemMeta, member.path)));
  }
  // What the member is decides what the rest of the item means.
  if ((item.mode & S_IFMT) != type_bits(member.type)) {
    return fail(Code::Integrity, fmt::format("{}: {} says another type than the member", member.path, kItemMeta));
  }
  item.chunks.reset();
  item.size.reset();
  return item;
}

}  // namespace

bool make_member(const archive::Item& item, const std::string& path, TarFormat format, tar::Member& member) {
  member = {};
  member.path = path;
  member.mode = item.mode & 07777U;
  member.uid = item.uid.value_or(0);
  member.gid = item.gid.value_or(0);
  member.user = item.user.value_or("");
  member.group = item.group.value_or("");
  member.mtime = item.mtime;
  switch (item.mode & S_IFMT) {
    case S_IFREG:
      member.type = tar::kRegular;
      break;
    case S_IFDIR:
      member.type = tar::kDirectory;
      break;
    case S_IFLNK:
      member.type = tar::kSymlink;
      member.link = item.target.value_or("");
      break;
    case S_IFCHR:
    case S_IFBLK:
      member.type = S_ISCHR(item.mode) ? tar::kCharDevice : tar::kBlockDevice;
      member.major = major(item.rdev.value_or(0));
      member.minor = minor(item.rdev.value_or(0));
      break;
    case S_IFIFO:
      member.type = tar::kFifo;
      break;
    default:
      return false;
  }
  if (format != TarFormat::Gnu) member.records = records_of(item, path, format);
  return true;
}

Result<archive::Item> make_item(const tar::Member& member, const std::string& path) {
  if (const std::string* version = tar::find_record(member, kItemVersion); version != nullptr) {
    CAIRN_TRY(archive::Item item, decoded_item(member, *version));
    if (path != member.path) item.path = path;
    CAIRN_TRY(item.path, archive::safe_path(item.path));
    return item;
  }
  archive::Item item;
  CAIRN_TRY(item.path, archive::safe_path(normalized_path(path)));
  item.mode = type_bits(member.type) | (member.mode & 07777U);
  item.uid = member.uid;
  item.gid = member.gid;
  item.mtime = archive::clamp_timestamp(member.mtime);
  if (!member.user.empty()) item.user = member.user;
  if (!member.group.empty()) item.group = member.group;
  if (member.type == tar::kSymlink) item.target = member.link;
  if (member.type == tar::kCharDevice || member.type == tar::kBlockDevice) {
    item.rdev = makedev(static_cast<unsigned>(member.major), static_cast<unsigned>(member.minor));
  }
  std::vector<std::pair<std::string, std::string>> xattrs;
  for (const auto& [keyword, value] : member.records) {
    if (keyword == "atime" || keyword == "ctime") {
      if (value.empty()) continue;
      CAIRN_TRY(const Nanoseconds time, tar::parse_time(value));
      (keyword == "atime" ? item.atime : item.ctime) = archive::clamp_timestamp(time);
    } else if (keyword == kAclAccess) {
      item.acl_access = value;
    } else if (keyword == kAclDefault) {
      item.acl_default = value;
    } else if (keyword.starts_with(kXattr)) {
      std::string name = keyword.substr(kXattr.size());
      std::erase_if(xattrs, [&](const auto& known) { return known.first == name; });
      xattrs.emplace_back(std::move(name), value);
    }
  }
  if (!xattrs.empty()) {
    std::ranges::sort(xattrs);
    item.xattrs = std::move(xattrs);
  }
  return item;
}

}  // namespace cairn::ops

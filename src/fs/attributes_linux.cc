// Reading extended attributes, ACLs and flags with one list call for the objects that have none, which are most.
//
// An ACL is itself an extended attribute: only where the list names it does the object have one, and its binary form is
// turned into text here, which spares the allocations and further calls of libacl.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/log.h"
#include "fs/acl_text.h"
#include "fs/flags.h"
#include "fs/long_path.h"
#include "fs/node.h"
#include "fs/xattr.h"

namespace cairn::fs {
namespace {

constexpr std::string_view kAclPrefix = "system.posix_acl_";

bool is_unsupported(int error) { return error == ENOTSUP || error == EOPNOTSUPP; }

Error failure(int error, const std::string& shown, const char* operation) {
  return os_error(error, shown).at(operation);
}

std::uint32_t read_flags(int fd, int directory, const std::string& name, const Stat& stat) {
  if (stat.bsdflags_known) return stat.bsdflags;
  if (!stat.is_regular() && !stat.is_directory()) return 0;
  Fd opened;
  if (fd < 0) {
    const int kind = stat.is_directory() ? O_DIRECTORY : 0;
    opened = Fd(::openat(directory, name.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC | kind));
    fd = opened.get();
  }
  // Borg stores 0 if they cannot be had.
  return get_bsdflags(fd).value_or(0);
}

// The text of one ACL; empty if there is none.
Result<std::string> read_acl(XattrAccess& access, const char* name, bool numeric_ids, bool& extended,
                             const std::string& shown) {
  std::string binary;
  const int error = -access.get(name, binary);
  if (error == ENODATA || is_unsupported(error)) return std::string();
  if (error != 0) return fail(failure(error, shown, "extended stat (ACLs)"));
  auto text = acl_to_text(bytes_of(binary), numeric_ids);
  if (!text) return fail(failure(EINVAL, shown, "extended stat (ACLs)"));
  // A default ACL is more than the mode says even with three entries.
  extended = extended || name == kAclDefaultName || acl_is_extended(bytes_of(binary));
  return std::move(*text);
}

void read_xattr(XattrAccess& access, const char* name, Attributes& out, const std::string& shown) {
  std::string value;
  const int error = -access.get(name, value);
  if (error == 0) {
    out.xattrs.emplace_back(name, std::move(value));
  } else if (error != ENODATA) {  // it vanished since the list was made
    log(Level::Warning, "borg.xattr",
        fmt::format("When getting extended attribute {}: {}", name, os_error(error, shown).message()));
  }
}

}  // namespace

Result<Attributes> read_attributes(int fd, int directory, const std::string& name, const Stat& stat,
                                   const AttributeOptions& options, const std::string& shown) {
  if (fd < 0 && !fits_one_call(name)) [[unlikely]] {
    CAIRN_TRY(const Place place, walk_long_path(directory, name, shown));
    return read_attributes(fd, place.directory, place.name, stat, options, shown);
  }
  Attributes out;
  if (options.flags) out.bsdflags = read_flags(fd, directory, name, stat);
  const bool wants_acls = options.acls && !stat.is_symlink();
  if (!options.xattrs && !wants_acls) return out;

  XattrAccess access(fd, directory, name);
  std::string names;
  const int error = -access.list(names);
  if (is_unsupported(error) || error == EPERM) return out;
  // Without wanting them, a list that cannot be read tells nothing about ACLs.
  if (error != 0)
    return fail(failure(error, shown, options.xattrs ? "extended stat (xattrs)" : "extended stat (ACLs)"));

  bool lists_access = false, lists_default = false;
  for (std::size_t at = 0; at < names.size();) {
    const char* one = names.c_str() + at;  // each ends with NUL
    const std::size_t length = std::strlen(one);
    at += length + 1;
    if (std::string_view(one, length).starts_with(kAclPrefix)) {
      lists_access = lists_access || std::strcmp(one, kAclAccessName) == 0;
      lists_default = lists_default || std::strcmp(one, kAclDefaultName) == 0;
    } else if (options.xattrs && length > 0) {
      read_xattr(access, one, out, shown);
    }
  }
  std::sort(out.xattrs.begin(), out.xattrs.end());

  if (!wants_acls || (!lists_access && !lists_default)) return out;
  if (lists_access) {
    CAIRN_TRY(out.acl_access, read_acl(access, kAclAccessName, options.numeric_ids, out.has_acl, shown));
  }
  if (stat.is_directory() && lists_default) {
    CAIRN_TRY(out.acl_default, read_acl(access, kAclDefaultName, options.numeric_ids, out.has_acl, shown));
  }
  if (!out.has_acl) {
    out.acl_access.clear();
  } else if (out.acl_access.empty()) {
    out.acl_access = acl_text_of_mode(stat.mode);
  }
  return out;
}

}  // namespace cairn::fs

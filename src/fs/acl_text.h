// POSIX ACLs: the kernel's binary form (the value of system.posix_acl_access and _default) and Borg's text.
//
// Text      lines "type:qualifier:perms", joined by newlines without a last one; entries of a user or group have a
//           fourth field with the id: "user:daemon:rw-:1". Numeric ids put the id into the second field too.
// Binary    little endian: u32 version 2, then per entry u16 tag, u16 permissions, u32 id (0xffffffff if unnamed).
// Errors    nothing is returned for input of any other shape. Any size and content may be given: both directions parse
//           what comes from outside.
// Source    docs/format (archive, sections 3.4 and 16); the kernel's include/uapi/linux/posix_acl_xattr.h for the
// numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace cairn::fs {

constexpr const char* kAclAccessName = "system.posix_acl_access";
constexpr const char* kAclDefaultName = "system.posix_acl_default";

// In canonical order too, as libacl prints them.
std::optional<std::string> acl_to_text(Bytes binary, bool numeric_ids);
// What libacl prints for an object without an ACL of its own.
std::string acl_text_of_mode(std::uint32_t mode);

// In canonical order (named entries by id), as the kernel demands. A qualifier is looked up by name here first unless
// `numeric_ids`, then the fourth field counts; without one (older archives) the second if it is a number.
std::optional<std::string> acl_from_text(std::string_view text, bool numeric_ids);

// True if the binary form says more than the mode does: any entry beyond the three basic ones.
bool acl_is_extended(Bytes binary);

}  // namespace cairn::fs

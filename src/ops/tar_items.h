// Between items and tar members: what of an item a tar archive can say, and what a member makes an item of.
//
// Borg      the format of that name has the whole item in a record of the pax header, so that nothing is lost.
// Errors    Integrity: records that cannot be understood; BackupPathTraversal: ".." in a path.
// Source    docs/format (archive, section 15).
#pragma once

#include <string>

#include "archive/item.h"
#include "base/error.h"
#include "tar/member.h"

namespace cairn::ops {

enum class TarFormat { Borg, Pax, Gnu };

// False if tar has no such objects. `path` is what the member is called; a file's size and hard links are the caller's.
bool make_member(const archive::Item& item, const std::string& path, TarFormat format, tar::Member& member);

// The item without content. `path` is the member's own (after --strip-components).
Result<archive::Item> make_item(const tar::Member& member, const std::string& path);

}  // namespace cairn::ops

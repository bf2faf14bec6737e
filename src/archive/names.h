// What archives, tags and comments may be called. The errors are Usage, in Borg's words, without the option's name.
// Source: docs/format (archive, section 12).
#pragma once

#include <string_view>

#include "base/error.h"

namespace cairn::archive {

Status check_archive_name(std::string_view name);  // 'Invalid archive name: "a/b" [invalid chars detected ...]'
Status check_comment(std::string_view comment);
Status check_tag(std::string_view tag);

}  // namespace cairn::archive

// Placeholders in names, comments, patterns and repository locations: "{hostname}-{now:%Y-%m-%d}".
//
// Errors    InvalidPlaceholder for a name that does not exist (also with a conversion or an attribute); Placeholder for
//           anything else that cannot be evaluated.
// Source    docs/format (archive, section 8). Host and user names are those of base/host.h.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"

namespace cairn::archive {

// The version of Borg whose behaviour we speak; {borgversion} and its parts.
constexpr std::string_view kSpokenBorgVersion = "2.0.0b25";

struct PlaceholderContext {
  Nanoseconds now = 0;  // the archive's time if it was given with --timestamp
};

Result<std::string> replace_placeholders(std::string_view text, const PlaceholderContext& context);

}  // namespace cairn::archive

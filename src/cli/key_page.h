// A borg key as a web page to print: QR code, paper form and text in one file that needs nothing else.
// Source: docs/format (crypto, section 3.7).
#pragma once

#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/error.h"

namespace cairn::cli {

Result<std::string> key_page(std::string_view key_text, const RepositoryId& repository, std::string_view location);

}  // namespace cairn::cli

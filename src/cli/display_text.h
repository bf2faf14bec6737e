// Text of unknown encoding (paths, names, comments) made fit for a person or for JSON.
// Source: docs/format (cli, sections 1.2 and 5.1).
#pragma once

#include <string>
#include <string_view>

namespace cairn::cli {

// Each byte that is not UTF-8 becomes '?'.
std::string replaced(std::string_view text);
// For a terminal: also escape sequences and other control characters become visible ("\x1b"), so that a file name can
// neither move the cursor nor change the title. Line feeds and tabs stay.
std::string terminal_safe(std::string_view text);

// A name for a line of a terminal: line feeds become visible too, so that a name cannot pass for another line.
std::string one_line(std::string_view text);

// Columns that the text takes, one per code point: good enough for progress lines.
std::size_t display_width(std::string_view text);
// At most `columns`, with "..." in the middle if something was left out.
std::string middle_shortened(std::string_view text, std::size_t columns);

}  // namespace cairn::cli

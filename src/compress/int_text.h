// Whole numbers as the specification and the environment write them: the rules of Python's int() for ASCII text.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cairn::compress {

// Spaces around, one sign, underscores between digits. Numbers beyond +-10^9 come back as +-10^9, which is outside of
// every range that is asked for here. Nothing if the text is no number.
std::optional<std::int64_t> parse_int(std::string_view text);

}  // namespace cairn::compress

// Versions that Cairn shows.
#pragma once

namespace cairn::cli {

inline constexpr const char* kCairnVersion = CAIRN_VERSION;  // from the build
inline constexpr const char* kBorgVersion = "2.0.0b25";      // whose formats and command line Cairn provides

}  // namespace cairn::cli

// When "auto" keeps its lz4 probe. Source: docs/format/compression.md section 3; the ratios are IEEE doubles there too.
#pragma once

#include <cstddef>

namespace cairn::compress {

// Whether the chosen method is worth a try, from the lengths of the plaintext and of the probe's result.
inline bool probe_promises_gain(std::size_t plain, std::size_t probed) {
  return static_cast<double>(probed) / static_cast<double>(plain + 2) < 0.97;
}

// Whether the chosen method's result is enough smaller than the probe's. Nothing beats an empty result.
inline bool beats_probe(std::size_t chosen, std::size_t probed) {
  return probed > 0 && static_cast<double>(chosen) / static_cast<double>(probed) < 0.99;
}

}  // namespace cairn::compress

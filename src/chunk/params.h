// --chunker-params: parsing, limits, error texts, and the form that archives record.
// Source: docs/format (chunkers, section 1).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace cairn::chunk {

enum class Algorithm { FastCdc, Buzhash64, Buzhash, ToeplitzAes, RabinAes, GoldilocksAes, Fixed, Fail };

struct Params {
  Algorithm algorithm = Algorithm::FastCdc;
  int min_exp = 19, max_exp = 23, mask_bits = 21;
  int nc_level = 2;              // fastcdc, buzhash64, the AES kinds
  int window = 4095;             // buzhash, buzhash64
  std::int64_t block_size = 0;   // fixed, fail
  std::int64_t header_size = 0;  // fixed; <= 0 means none
  std::string fail_map;          // fail: letters r and e

  std::string text() const;       // "fastcdc,19,23,21,2", "fixed,4194304,0"
  std::size_t max_chunk() const;  // no chunk is longer
  friend bool operator==(const Params&, const Params&) = default;
};

std::string_view name_of(Algorithm algorithm);

// The limits of section 1.1 for values that did not come through parse_params (a repository's or an archive's
// metadata).
Status check_params(const Params& params);

// "default" gives `fallback`. Errors are Usage with Borg's message.
Result<Params> parse_params(std::string_view text, const Params& fallback = {});

// The item metadata stream is always cut with these.
inline Params item_stream_params() {
  return {.algorithm = Algorithm::FastCdc,
          .min_exp = 15,
          .max_exp = 19,
          .mask_bits = 17,
          .nc_level = 2,
          .window = 4095,
          .block_size = 0,
          .header_size = 0,
          .fail_map = {}};
}

}  // namespace cairn::chunk

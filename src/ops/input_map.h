// create --map and --reuse-from: which ranges of the one input are read, which are zero, and which an earlier archive
// has already.
//
// Units     bytes. Ranges are in order, without gaps, and begin at 0; whether they end where the input does is only
//           known once it is open.
// Errors    Error, in Borg's words: "MAPFILE:3: invalid input map line: ...".
// Source    docs/format (chunkers, section 8; archive, section 4.13).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/item.h"
#include "base/error.h"

namespace cairn::ops {

enum class RangeState { Data, Zero, Same };

struct InputRange {
  std::uint64_t start = 0, length = 0;
  RangeState state = RangeState::Data;
  friend bool operator==(const InputRange&, const InputRange&) = default;
};
using InputMap = std::vector<InputRange>;

// At least one range. `name` is for messages; the state "same" is only known with `allow_same`.
Result<InputMap> parse_input_map(std::string_view text, const std::string& name, bool allow_same);
Result<InputMap> load_input_map(const std::string& path, bool allow_same);

std::uint64_t covered_bytes(const InputMap& map);
// "input map covers N bytes, but the input has M bytes": the map was made for something else.
Error not_covered(const InputMap& map, std::uint64_t size);

// What becomes of a piece of the input: either chunks of the reference take its place, or it is cut anew, from ranges
// that are zero or are read.
struct InputPart {
  std::vector<archive::ChunkRef> reused;
  InputMap ranges;  // empty with `reused`; Same is read like Data
};

// The whole map in parts. A chunk of the reference is taken if it lies in `same` ranges from its first to its last byte
// and `usable` says that the repository has it; all else is read or zero.
std::vector<InputPart> plan_input(const InputMap& map, const std::vector<archive::ChunkRef>& reference,
                                  const std::function<bool(const archive::ChunkRef&)>& usable);

}  // namespace cairn::ops

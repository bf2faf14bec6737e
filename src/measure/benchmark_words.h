// What benchmarks work on: random bytes, and a word soup that compresses like text. Both are the same on every machine.
// Source: docs/format (benchmark, section 1.3).
#pragma once

#include "base/bytes.h"

namespace cairn::measure {

// A beginning of the one endless soup: a shorter one is a prefix of a longer one.
void fill_with_words(MutableBytes to);

// Incompressible. Other seeds give other bytes.
void fill_with_noise(MutableBytes to, std::uint64_t seed);

}  // namespace cairn::measure

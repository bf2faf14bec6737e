// Pairs of a key and a value, sorted by key and each key once, as maps are encoded.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace cairn::archive {

using KeyedValues = std::vector<std::pair<std::string, std::string>>;

// Of equal keys the last one stays. Costs one pass if nothing is out of order.
void sort_by_key(KeyedValues& values);

}  // namespace cairn::archive

#include "archive/keyed_values.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace cairn::archive {

void sort_by_key(KeyedValues& values) {
  const auto out_of_order = [](const auto& a, const auto& b) { return !(a.first < b.first); };
  if (std::adjacent_find(values.begin(), values.end(), out_of_order) == values.end()) return;
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const int difference = values[a].first.compare(values[b].first);
    return difference != 0 ? difference < 0 : a < b;
  });
  KeyedValues sorted;
  sorted.reserve(values.size());
  for (const std::size_t index : order) {
    if (!sorted.empty() && sorted.back().first == values[index].first) {
      sorted.back() = std::move(values[index]);
    } else {
      sorted.push_back(std::move(values[index]));
    }
  }
  values = std::move(sorted);
}

}  // namespace cairn::archive

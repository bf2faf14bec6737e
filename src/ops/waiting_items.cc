#include "ops/waiting_items.h"

#include <algorithm>

namespace cairn::ops {

std::size_t WaitingItems::cost(const std::string& path, const Entry& entry) {
  constexpr std::size_t kOfTheTable = 160;  // node, slot, two allocations
  return path.size() + entry.encoded.size() + kOfTheTable;
}

std::optional<WaitingItems::Entry> WaitingItems::take(Side side, const std::string& path) {
  Table& from = table(side);
  const auto found = from.find(path);
  if (found == from.end()) return std::nullopt;
  std::optional<Entry> entry(std::move(found->second));
  memory_ -= cost(path, *entry);
  from.erase(found);
  return entry;
}

void WaitingItems::add(Side side, const std::string& path, Entry entry) {
  const auto [found, is_new] = table(side).try_emplace(path);
  if (!is_new) {
    memory_ -= cost(path, found->second);
    entry.place = found->second.place;
  }
  memory_ += cost(path, entry);
  found->second = std::move(entry);
}

std::vector<std::pair<std::string, WaitingItems::Entry>> WaitingItems::take_all(Side side) {
  std::vector<std::pair<std::string, Entry>> all;
  Table& from = table(side);
  all.reserve(from.size());
  while (!from.empty()) {
    auto node = from.extract(from.begin());
    memory_ -= cost(node.key(), node.mapped());
    all.emplace_back(std::move(node.key()), std::move(node.mapped()));
  }
  std::ranges::sort(all, {}, [](const auto& entry) { return entry.second.place; });
  return all;
}

}  // namespace cairn::ops

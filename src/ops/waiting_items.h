// Items that wait for their partner in the other archive's list, kept as bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "archive/item.h"
#include "base/buffer.h"
#include "base/error.h"

namespace cairn::ops {

enum class Side { Before, After };

class WaitingItems {
 public:
  struct Entry {
    std::uint64_t place = 0;  // in the list of its archive
    std::string encoded{};
  };

  // The partner on the other side, which waits no longer.
  std::optional<Entry> take(Side side, const std::string& path);
  // An archive may have a path twice: the later item counts, at the place of the first.
  void add(Side side, const std::string& path, Entry entry);

  // Those of one side in the order of their places; they wait no longer.
  std::vector<std::pair<std::string, Entry>> take_all(Side side);
  std::size_t memory() const { return memory_; }

 private:
  using Table = std::unordered_map<std::string, Entry>;
  Table& table(Side side) { return side == Side::Before ? before_ : after_; }
  static std::size_t cost(const std::string& path, const Entry& entry);

  Table before_, after_;
  std::size_t memory_ = 0;
};

}  // namespace cairn::ops

// Which items of two archives belong together: those of the same path, in Borg's order.
//
// Both lists are walked side by side. Equal paths at the same place are a pair; else each item looks whether its
// partner has come already, or waits for it. Pairs come in the order in which they become complete, then what only the
// second archive has, then what only the first one has, each in the order of its archive.
//
// Memory    what waits, up to `memory_limit`. If more has to wait, both lists go to temporary files, divided by path,
//           and each part is paired by itself; the results are merged into the same order.
// Errors    those of the callbacks and of the temporary files.
// Source    docs/format (archive, section 10).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "archive/item.h"
#include "base/error.h"

namespace cairn::ops {

class ItemPairs {
 public:
  // One of them may be null. The items hold what a comparison needs; see reduce() in the source.
  using OnPair = std::function<Status(const archive::Item* before, const archive::Item* after)>;
  // Pairs that need not be reported; asked early, so that they need not be kept.
  using IsSame = std::function<bool(const archive::Item& before, const archive::Item& after)>;

  static constexpr std::size_t kMemoryLimit = std::size_t{32} << 20U;

  ItemPairs(IsSame is_same, OnPair on_pair, std::size_t memory_limit = kMemoryLimit);
  ~ItemPairs();

  // The next item of both lists; nothing where one has ended.
  Status add(std::optional<archive::Item> before, std::optional<archive::Item> after);
  Status finish();
  bool spilled() const { return spill_ != nullptr; }

 private:
  struct Waiting;
  class Spill;
  Status spill();

  const IsSame is_same_;
  const OnPair on_pair_;
  const std::size_t memory_limit_;
  std::unique_ptr<Waiting> waiting_;
  std::unique_ptr<Spill> spill_;
  std::uint64_t place_ = 0;
};

}  // namespace cairn::ops

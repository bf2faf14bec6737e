#include "ops/chunk_list_diff.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace cairn::ops {
namespace {

using List = std::span<const archive::ChunkRef>;

constexpr std::size_t kLongestList = 65536;
constexpr std::uint64_t kMostPairs = std::uint64_t{1} << 20U;

std::uint64_t bytes_of_chunks(List list) {
  std::uint64_t sum = 0;
  for (const archive::ChunkRef& chunk : list) sum += chunk.size;
  return sum;
}

struct Occurrences {
  std::size_t before = 0, after = 0;
  std::uint32_t size = 0;
};

ByteChange as_multisets(const std::unordered_map<ChunkId, Occurrences>& counts) {
  ByteChange change;
  for (const auto& [id, count] : counts) {
    if (count.after > count.before) change.added += (count.after - count.before) * std::uint64_t{count.size};
    if (count.before > count.after) change.removed += (count.before - count.after) * std::uint64_t{count.size};
  }
  return change;
}

// Longest common runs of two lists, found over and over in parts of them.
class Runs {
 public:
  Runs(List before, List after) : before_(before), lengths_(after.size() + 1), new_lengths_(after.size() + 1) {
    for (std::size_t i = 0; i < after.size(); ++i) places_[after[i].id].push_back(i);
  }

  struct Part {
    std::size_t before_begin, before_end, after_begin, after_end;
  };
  struct Run {
    std::size_t before = 0, after = 0, size = 0;
  };
  // Of equally long runs the one that begins first in the old list, then in the new one.
  Run longest(const Part& part) {
    Run best{.before = part.before_begin, .after = part.after_begin};
    for (std::size_t i = part.before_begin; i < part.before_end; ++i) {
      if (const auto found = places_.find(before_[i].id); found != places_.end()) {
        const std::vector<std::size_t>& places = found->second;
        for (auto at = std::ranges::lower_bound(places, part.after_begin); at != places.end(); ++at) {
          const std::size_t j = *at;
          if (j >= part.after_end) break;
          const std::size_t length = lengths_[j] + 1;
          new_lengths_[j + 1] = length;
          new_touched_.push_back(j + 1);
          if (length > best.size) best = {.before = i + 1 - length, .after = j + 1 - length, .size = length};
        }
      }
      turn();
    }
    turn();
    return best;
  }

 private:
  // lengths_[j + 1]: how long the run is that ends with this chunk of the old list and chunk j of the new one.
  void turn() {
    for (const std::size_t j : touched_) lengths_[j] = 0;
    touched_.clear();
    lengths_.swap(new_lengths_);
    touched_.swap(new_touched_);
  }

  List before_;
  std::unordered_map<ChunkId, std::vector<std::size_t>> places_;  // in the new list
  std::vector<std::size_t> lengths_, new_lengths_;
  std::vector<std::size_t> touched_, new_touched_;
};

}  // namespace

ByteChange compare_chunk_lists(List before, List after) {
  const auto same = [](const archive::ChunkRef& a, const archive::ChunkRef& b) { return a.id == b.id; };
  const auto [front, unused] = std::ranges::mismatch(before, after, same);
  const auto prefix = static_cast<std::size_t>(front - before.begin());
  before = before.subspan(prefix);
  after = after.subspan(prefix);
  while (!before.empty() && !after.empty() && same(before.back(), after.back())) {
    before = before.first(before.size() - 1);
    after = after.first(after.size() - 1);
  }
  ByteChange change{.added = bytes_of_chunks(after), .removed = bytes_of_chunks(before)};
  if (before.empty() || after.empty()) return change;

  std::unordered_map<ChunkId, Occurrences> counts;
  for (const archive::ChunkRef& chunk : before) {
    ++counts[chunk.id].before;
    counts[chunk.id].size = chunk.size;
  }
  for (const archive::ChunkRef& chunk : after) {
    ++counts[chunk.id].after;
    counts[chunk.id].size = chunk.size;
  }
  std::uint64_t pairs = 0;
  for (const auto& [id, count] : counts) pairs += std::uint64_t{count.before} * count.after;
  if (before.size() > kLongestList || after.size() > kLongestList || pairs > kMostPairs) return as_multisets(counts);

  Runs runs(before, after);
  std::vector<Runs::Part> parts{{0, before.size(), 0, after.size()}};
  while (!parts.empty()) {
    const Runs::Part part = parts.back();
    parts.pop_back();
    const Runs::Run run = runs.longest(part);
    if (run.size == 0) continue;
    change.added -= bytes_of_chunks(after.subspan(run.after, run.size));
    change.removed -= bytes_of_chunks(before.subspan(run.before, run.size));
    if (part.before_begin < run.before && part.after_begin < run.after) {
      parts.push_back({part.before_begin, run.before, part.after_begin, run.after});
    }
    if (run.before + run.size < part.before_end && run.after + run.size < part.after_end) {
      parts.push_back({run.before + run.size, part.before_end, run.after + run.size, part.after_end});
    }
  }
  return change;
}

}  // namespace cairn::ops

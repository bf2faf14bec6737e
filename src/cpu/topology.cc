#include "cpu/topology.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>

#include <fmt/format.h>

namespace cairn::cpu {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

// A file of sysfs is one short line; of anything longer the start is enough to refuse it.
std::string read_line(const std::string& path) {
  constexpr std::size_t kLongest = 65536;
  std::string line(kLongest, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return line;
}

// The highest level that this processor has.
std::optional<std::size_t> last_level_cache(const std::string& root, unsigned processor) {
  constexpr int kMostCaches = 16;
  std::optional<std::size_t> size;
  std::uint64_t highest = 0;
  for (int index = 0; index < kMostCaches; ++index) {
    const std::string folder = fmt::format("{}/cpu/cpu{}/cache/index{}/", root, processor, index);
    const std::string level_text = read_line(folder + "level");
    std::string_view rest = trimmed(level_text);
    const auto level = take_number(rest);
    if (!level || !rest.empty()) break;
    if (trimmed(read_line(folder + "type")) == "Instruction" || *level < highest) continue;
    const auto found = parse_cache_size(read_line(folder + "size"));
    if (!found) continue;
    highest = *level;
    size = found;
  }
  return size;
}

}  // namespace

std::optional<std::vector<unsigned>> parse_processor_list(std::string_view text) {
  std::vector<unsigned> list;
  text = trimmed(text);
  while (!text.empty()) {
    const auto first = take_number(text);
    if (!first) return std::nullopt;
    auto last = first;
    if (text.starts_with('-')) {
      text.remove_prefix(1);
      last = take_number(text);
    }
    if (!last || *last < *first || *last >= kMostProcessors) return std::nullopt;
    if (!list.empty() && *first <= list.back()) return std::nullopt;
    for (auto number = *first; number <= *last; ++number) list.push_back(static_cast<unsigned>(number));
    if (text.empty()) break;
    if (!text.starts_with(',') || text.size() == 1) return std::nullopt;
    text.remove_prefix(1);
  }
  return list;
}

std::optional<std::size_t> parse_cache_size(std::string_view text) {
  text = trimmed(text);
  const auto number = take_number(text);
  if (!number || *number == 0 || text.size() > 1) return std::nullopt;
  unsigned shift = 0;
  if (text == "K") {
    shift = 10;
  } else if (text == "M") {
    shift = 20;
  } else if (text == "G") {
    shift = 30;
  } else if (!text.empty()) {
    return std::nullopt;
  }
  if (*number > (std::numeric_limits<std::size_t>::max() >> shift)) return std::nullopt;
  return static_cast<std::size_t>(*number) << shift;
}

std::size_t usable_cache(const std::optional<std::size_t>& reported) {
  constexpr std::size_t kLeast = std::size_t{8} << 20U;
  constexpr std::size_t kMost = std::size_t{64} << 20U;
  return std::clamp(reported.value_or(kLeast), kLeast, kMost);
}

Topology read_topology(const std::string& root, const std::vector<unsigned>& allowed) {
  Topology topology;
  topology.processors = std::max(1U, static_cast<unsigned>(allowed.size()));
  const auto online = parse_processor_list(read_line(root + "/node/online"));
  std::vector<unsigned> seeds;  // one processor of each node
  if (online) {
    for (const unsigned node : *online) {
      const auto members = parse_processor_list(read_line(fmt::format("{}/node/node{}/cpulist", root, node)));
      if (!members || seeds.size() == kMostNodes) continue;
      std::vector<unsigned> mine;
      std::ranges::set_intersection(*members, allowed, std::back_inserter(mine));
      if (mine.empty()) continue;  // memory only, or not for this process
      if (topology.node_of.size() <= mine.back()) topology.node_of.resize(mine.back() + 1, 0);
      for (const unsigned processor : mine) topology.node_of[processor] = static_cast<std::uint16_t>(seeds.size());
      seeds.push_back(mine.front());
    }
  }
  topology.nodes = std::max(1U, static_cast<unsigned>(seeds.size()));
  if (topology.nodes == 1) topology.node_of.clear();
  if (seeds.empty() && !allowed.empty()) seeds.push_back(allowed.front());
  for (const unsigned processor : seeds) {
    const auto size = last_level_cache(root, processor);
    if (size) topology.cache = std::min(*size, topology.cache.value_or(*size));
  }
  return topology;
}

std::vector<unsigned> allowed_processors() {
  std::vector<unsigned> allowed;
  cpu_set_t* const set = CPU_ALLOC(kMostProcessors);
  if (set == nullptr) return allowed;
  const std::size_t size = CPU_ALLOC_SIZE(kMostProcessors);
  CPU_ZERO_S(size, set);
  if (::sched_getaffinity(0, size, set) == 0) {
    for (unsigned i = 0; i < kMostProcessors; ++i) {
      if (CPU_ISSET_S(i, size, set)) allowed.push_back(i);
    }
  }
  CPU_FREE(set);
  return allowed;
}

Topology read_topology() { return read_topology("/sys/devices/system", allowed_processors()); }

unsigned Topology::node_here() const {
  if (nodes == 1) return 0;
  const int processor = ::sched_getcpu();
  return processor >= 0 && static_cast<std::size_t>(processor) < node_of.size()
             ? node_of[static_cast<std::size_t>(processor)]
             : 0;
}

}  // namespace cairn::cpu

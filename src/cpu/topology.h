// Which processors this process may use, which NUMA nodes they belong to, and how large their last-level cache is.
//
// Read from Linux sysfs: some ten small files, a fraction of a millisecond. hwloc knows more, but loading it takes 15
// ms of CPU (measured: docs/threads.md), and none of that more is used here.
//
// Trust     virtual machines report caches of any size and folders that are not there. So nothing is an error: what is
//           missing or makes no sense counts as one node, and the cache size is only used between two bounds.
// Source    Linux Documentation/ABI/stable/sysfs-devices-node and testing/sysfs-devices-system-cpu.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::cpu {

// Lists and node numbers beyond it are not believed.
constexpr unsigned kMostProcessors = 8192;
constexpr unsigned kMostNodes = 64;

struct Topology {
  unsigned processors = 1;             // allowed to the process
  unsigned nodes = 1;                  // NUMA nodes that have allowed processors
  std::vector<std::uint16_t> node_of;  // by processor number, from 0 to nodes - 1; empty with one node
  std::optional<std::size_t> cache{};  // bytes of the smallest last-level cache, as reported

  // Of the processor that the calling thread runs on now; 0 if that is not known.
  unsigned node_here() const;
};

// `root` is /sys/devices/system or a tree like it; `allowed` lists processor numbers in ascending order.
Topology read_topology(const std::string& root, const std::vector<unsigned>& allowed);
// Of this machine and process.
Topology read_topology();
// Processors that the process may use, ascending; empty if the system does not tell.
std::vector<unsigned> allowed_processors();

// What may be taken for the size of a last-level cache: 8 to 64 MiB, and 8 MiB if it is not known.
std::size_t usable_cache(const std::optional<std::size_t>& reported);

// "0-3,8,10-11": ascending, without repeats; nothing if the text is no such list. An empty list is one.
std::optional<std::vector<unsigned>> parse_processor_list(std::string_view text);
// "32768K", "16M", "1G" or plain bytes; nothing if it is no size, zero included.
std::optional<std::size_t> parse_cache_size(std::string_view text);

}  // namespace cairn::cpu

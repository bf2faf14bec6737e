#include "exec/memory_policy.h"

#include <charconv>

#include <fmt/format.h>

#include "base/env.h"

namespace cairn::exec {

Result<unsigned> memory_threads_from_environment() {
  const auto text = env_nonempty("CAIRN_MEMORY_THREADS");
  if (!text) return MemoryPolicy().cap;
  unsigned cap = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), cap);
  if (error != std::errc() || end != text->data() + text->size() || cap < 1 || cap > 1024) {
    return fail(Code::Usage, fmt::format("CAIRN_MEMORY_THREADS must be from 1 to 1024, but is: '{}'", *text));
  }
  return cap;
}

MemoryPolicy make_memory_policy(unsigned threads, unsigned cap, const std::function<cpu::Topology()>& topology) {
  MemoryPolicy policy;
  policy.threads = threads;
  policy.cap = cap;
  if (!policy.limits()) return policy;
  cpu::Topology machine = topology();
  policy.small = cpu::usable_cache(machine.cache);
  policy.nodes = machine.nodes;
  if (policy.nodes > 1) policy.node_here = [machine = std::move(machine)] { return machine.node_here(); };
  return policy;
}

}  // namespace cairn::exec

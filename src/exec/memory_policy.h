// Which memory policy this process uses: from its number of threads, the machine, and what the user demands.
#pragma once

#include "base/error.h"
#include "cpu/topology.h"
#include "exec/memory_gate.h"

namespace cairn::exec {

// CAIRN_MEMORY_THREADS, 1 to 1024, or 8. Usage error otherwise.
Result<unsigned> memory_threads_from_environment();

// The topology is asked for only if there are more threads than `cap`: who has few threads never reads it.
MemoryPolicy make_memory_policy(
    unsigned threads, unsigned cap,
    const std::function<cpu::Topology()>& topology = [] { return cpu::read_topology(); });

}  // namespace cairn::exec

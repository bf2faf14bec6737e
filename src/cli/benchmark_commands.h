// `benchmark cpu` and `benchmark crud`: how fast this machine computes, and how fast a repository is.
// Source: docs/format (benchmark, sections 1 and 2).
#pragma once

#include "cli/benchmark_options.h"
#include "cli/context.h"

namespace cairn::cli {

Status run_benchmark_cpu(const BenchmarkCpuOptions& options, Context& context);
Status run_benchmark_crud(const BenchmarkCrudOptions& options, Context& context);

}  // namespace cairn::cli

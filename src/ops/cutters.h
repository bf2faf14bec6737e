// Cutters for a repository, with the kernels that are the fastest on this machine (kernel_record.h).
// Errors    parameters, or a kernel that a variable demands and this build or CPU cannot run (Usage).
#pragma once

#include <memory>

#include "base/error.h"
#include "chunk/cutter.h"
#include "repo/repository.h"

namespace cairn::ops {

Result<std::unique_ptr<chunk::Cutter>> make_cutter(const repo::Repository& repository, const chunk::Params& params);

}  // namespace cairn::ops

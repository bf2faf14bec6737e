#include "ops/cutters.h"

#include <fmt/format.h>

#include "base/log.h"
#include "ops/archive_writer.h"
#include "ops/kernel_record.h"

namespace cairn::ops {

Result<std::unique_ptr<chunk::Cutter>> make_cutter(const repo::Repository& repository, const chunk::Params& params) {
  settle_kernel(params.algorithm);
  CAIRN_TRY(auto cutter, chunk::make_cutter(params, chunker_keys(repository)));
  log(Level::Debug, "borg.chunkers",
      fmt::format("chunker: {}, scan kernel: {}", chunk::name_of(params.algorithm), cutter->kernel()));
  return cutter;
}

}  // namespace cairn::ops

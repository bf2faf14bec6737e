#include "cli/version_command.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "cli/json_output.h"
#include "cli/version.h"

namespace cairn::cli {

Status run_version(const VersionOptions& options, Context& context) {
  if (options.json) {
    write_json(context.output, {{"cairn", kCairnVersion}, {"client", kBorgVersion}, {"server", kBorgVersion}});
    return {};
  }
  context.output.write(fmt::format("{} / {}\n", kBorgVersion, kBorgVersion));
  return {};
}

}  // namespace cairn::cli

#include "cli/repo_space_command.h"

#include <fmt/format.h>

#include "base/units.h"
#include "cli/keyless.h"
#include "ops/space_reserve.h"

namespace cairn::cli {

// Neither key nor lock: this must work when nothing else does.
Status run_repo_space(const RepoSpaceOptions& options, Context& context) {
  CAIRN_TRY(const KeylessRepository repository, open_keyless(context));
  store::Store& store = *repository.store;
  const auto size = [&](std::uint64_t bytes) {
    return format_size(static_cast<std::int64_t>(bytes), {.units = context.units});
  };
  if (options.reserve > 0) {
    CAIRN_TRY(const std::uint64_t reserved, ops::reserve_space(store, options.reserve));
    context.output.write(fmt::format("There is {} reserved space in this repository now.\n", size(reserved)));
  } else if (options.free) {
    CAIRN_TRY(const std::uint64_t freed, ops::free_reserved_space(store));
    context.output.write(
        fmt::format("Freed {} in the repository.\n"
                    "Delete or prune archives now, then run compact: only that frees their space.\n"
                    "When that is done, reserve space for the next time.\n",
                    size(freed)));
  } else {
    CAIRN_TRY(const std::uint64_t reserved, ops::reserved_space(store));
    context.output.write(
        fmt::format("There is {} reserved space in this repository.\n"
                    "For another amount free it first (--free),\n"
                    "then reserve anew (--reserve).\n",
                    size(reserved)));
  }
  return {};
}

}  // namespace cairn::cli

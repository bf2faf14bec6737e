// A repository whose key is not needed, or not there: key export and import, and deleting what is left of one.
// Errors: RepositoryDoesNotExist and those of repo::read_config().
#pragma once

#include <memory>

#include "cli/context.h"
#include "repo/config.h"
#include "store/location.h"
#include "store/store.h"

namespace cairn::cli {

struct KeylessRepository {
  store::Location location;
  std::unique_ptr<store::Store> store;  // opened
};

Result<KeylessRepository> open_keyless(Context& context);

}  // namespace cairn::cli

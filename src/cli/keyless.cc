#include "cli/keyless.h"

#include <fmt/format.h>

#include "cli/session.h"

namespace cairn::cli {

Result<KeylessRepository> open_keyless(Context& context) {
  KeylessRepository repository;
  CAIRN_TRY(repository.location, repository_location(context));
  CAIRN_TRY(repository.store, store::open_store(repository.location, store::StoreOptions::from_env()));
  if (auto status = repository.store->open(); !status) {
    if (status.error().code() != Code::RepositoryDoesNotExist) return std::unexpected<Error>(std::move(status).error());
    return fail(Code::RepositoryDoesNotExist,
                fmt::format("Repository {} does not exist.", repository.location.display));
  }
  return repository;
}

}  // namespace cairn::cli

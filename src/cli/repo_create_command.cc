// repo-create: a new, empty repository.
#include "cli/repo_create_command.h"

#include <fmt/format.h>

#include "base/env.h"
#include "base/log.h"
#include "chunk/params.h"
#include "cli/new_passphrase.h"
#include "cli/session.h"
#include "compress/spec.h"

namespace cairn::cli {
namespace {

constexpr std::string_view kAdvice =
    "\nIMPORTANT: you need both the key and the passphrase to get at your data again.\n"
    "Keep a copy of the key in a safe place outside of the repository, for example with\n"
    "    cairn key export -r {0} cairn-key.txt          (a file)\n"
    "    cairn key export -r {0} --paper key-paper.txt  (a text to print)\n"
    "Nobody can restore a lost passphrase.\n"
    "A reserve of free space helps when the disk is full one day:\n"
    "    borg repo-space -r {0} --reserve 1G";

Result<crypt::Suite> suite_of(const RepoCreateOptions& options) {
  std::string id_hash = options.id_hash.value_or("sha256");
  if (options.encryption.starts_with("authenticated-")) {
    const std::string own = options.encryption.substr(std::string_view("authenticated-").size());
    if (options.id_hash && *options.id_hash != own) {
      return fail(Code::Error,
                  fmt::format("The \"{}\" encryption mode always uses the \"{}\" id-hash, thus --id-hash \"{}\" "
                              "can not be used with it.",
                              options.encryption, own, *options.id_hash));
    }
    id_hash = own;
  }
  const auto suite = crypt::find_suite(options.encryption, id_hash);
  if (!suite) return fail(Code::Error, fmt::format("unsupported crypto suite: {}, {}", options.encryption, id_hash));
  return *suite;
}

}  // namespace

Status run_repo_create(const RepoCreateOptions& options, Context& context) {
  if (options.from_borg1)
    return fail(Code::Error, "key material of borg 1.x repositories can not be taken over, that is not there yet.");
  CAIRN_TRY(const crypt::Suite suite, suite_of(options));
  repo::CreateOptions create;
  create.suite = suite;
  create.key_location = options.key_location == "keyfile" ? repo::KeyLocation::Keyfile : repo::KeyLocation::Repokey;
  if (options.compression) {
    CAIRN_TRY(const compress::Spec spec, compress::parse_spec(*options.compression));
    create.defaults.compression = spec.text();
  }
  if (options.chunker_params && *options.chunker_params != "default") {
    CAIRN_TRY(const chunk::Params params, chunk::parse_params(*options.chunker_params));
    create.defaults.chunker_params = params.text();
  }
  create.copy_crypt_key = options.copy_crypt_key;

  const std::string other_text = options.other_repo.empty() ? env("BORG_OTHER_REPO").value_or("") : options.other_repo;
  std::unique_ptr<repo::Repository> other;
  if (!other_text.empty()) {
    CAIRN_TRY(const store::Location location, store::parse_location(other_text));
    CAIRN_TRY(auto store, store::open_store(location, store::StoreOptions::from_env()));
    repo::Access access = session_access(context, location);
    access.group = crypt::PassphraseGroup::Other;
    CAIRN_TRY(other, repo::Repository::open(
                         std::move(store), access,
                         {.lock = repo::LockMode::Exclusive, .lock_wait = context.common.lock_wait * kSecond}));
    create.related = &other->material();
  }

  CAIRN_TRY(const store::Location location, repository_location(context));
  CAIRN_TRY(auto store, store::open_store(location, store::StoreOptions::from_env()));
  CAIRN_TRY(const crypt::Secret passphrase, ask_new_passphrase(context));
  repo::Access access = session_access(context, location);
  if (location.kind == store::LocationKind::Local) access.location = "file://" + location.path;
  CAIRN_CHECKED(repo::Repository::create(*store, access, create, passphrase));
  log(Level::Warning, "borg.archiver.repo_create_cmd", fmt::format(fmt::runtime(kAdvice), location.display));
  return {};
}

}  // namespace cairn::cli

#include "repo/repository.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "base/env.h"
#include "base/log.h"
#include "crypt/key_files.h"

namespace cairn::repo {
namespace {

constexpr std::string_view kLogger = "borg.repository";

// BORG_WORKAROUNDS is a comma separated list.
bool workaround(std::string_view name) {
  const auto list = env("BORG_WORKAROUNDS");
  if (!list) return false;
  std::string_view rest = *list;
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    if (rest.substr(0, comma) == name) return true;
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  return false;
}

bool without_key(const crypt::Suite& suite) { return !suite.encrypts() && workaround("authenticated_no_key"); }

// The key material for reading an authenticated repository whose key is lost: all zero, nothing is verified.
OpenedKey no_key(const RepositoryId& id) {
  OpenedKey key;
  key.key.material.repository_id = id;
  return key;
}

std::string archive_name(const ChunkId& archive) { return fmt::format("archives/{}", archive.hex()); }

}  // namespace

std::string unencrypted_reason(const crypt::Suite& suite, const KeyEntry& key, bool empty_passphrase) {
  if (!suite.encrypts()) {
    return fmt::format("The repository uses the {} mode, which does not encrypt the data.", suite.encryption());
  }
  if (key.in_repository && empty_passphrase) {
    return "Its key is stored inside the repository (repokey) and has an empty passphrase: whoever can read the "
           "repository can unlock it.";
  }
  return {};
}

Result<Config> read_config(store::Store& store, const std::string& location) {
  Buffer bytes;
  if (auto status = store.load("config/config", bytes); !status) {
    if (status.error().code() != Code::NotFound) return std::unexpected<Error>(std::move(status).error());
    CAIRN_TRY(const store::Info info, store.info("config"));
    if (info.exists && !info.directory) {
      return fail(Code::LegacyRepository,
                  fmt::format("{} looks like a borg 1.x repository, use --from-borg1 to access it "
                              "(e.g. with borg transfer).",
                              location));
    }
    return fail(Code::InvalidRepository,
                fmt::format("{} is not a valid repository. Check the repository config.", location));
  }
  return parse_config(text_of(bytes), location);
}

Repository::Repository(std::unique_ptr<store::Store> store, std::string location, Config config, OpenedKey key)
    : store_(std::move(store)),
      location_(std::move(location)),
      config_(config),
      key_(std::move(key)),
      id_hash_(config_.suite->id_hash, key_.key.material.id_key),
      objects_(*config_.suite, key_.key.material, config_.id),
      fragments_(*store_, objects_, *config_.suite, key_.key.material, id_hash_) {}

Repository::~Repository() { (void)close(); }

Status Repository::close() {
  if (!lock_) return {};
  const auto lock = std::move(lock_);
  return lock->release();
}

Result<std::unique_ptr<Repository>> Repository::open(std::unique_ptr<store::Store> store, const Access& access,
                                                     const OpenOptions& options) {
  if (auto status = store->open(); !status) {
    if (status.error().code() == Code::RepositoryDoesNotExist) {
      return fail(Code::RepositoryDoesNotExist, fmt::format("Repository {} does not exist.", access.location));
    }
    return std::unexpected<Error>(std::move(status).error());
  }
  CAIRN_TRY(Config config, read_config(*store, access.location));
  if (!config.suite) {
    return fail(Code::KeyInfoMissing,
                fmt::format("Repository {} has no key information in its config.", access.location));
  }
  OpenedKey key;
  if (without_key(*config.suite)) {
    key = no_key(config.id);
  } else {
    CAIRN_TRY(auto entries, find_keys(*store, config.id, access.location));
    CAIRN_TRY(key, unlock_keys(std::move(entries), config.id, access.location, access.group, access.prompt));
  }
  const SecurityRecord record{.location = access.canonical_location, .key_type = config.suite->type_byte};
  CAIRN_CHECKED(check_security(config.id, record,
                               unencrypted_reason(*config.suite, key.entry, key.key.empty_passphrase), access.confirm));

  std::unique_ptr<Repository> repository(new Repository(std::move(store), access.location, config, std::move(key)));
  if (without_key(*config.suite)) repository->objects_.trust_unverified();
  if (options.lock != LockMode::None) {
    Repository* raw = repository.get();
    LockOptions lock{.exclusive = options.lock == LockMode::Exclusive,
                     .wait = options.lock_wait,
                     .host_id = access.host_id,
                     .on_lost = [raw](Error error) {
                       std::function<void(Error)> action;
                       {
                         const std::lock_guard guard(raw->lost_mutex_);
                         action = raw->lost_action_;
                       }
                       if (action) action(std::move(error));
                     }};
    lock.interrupted = access.interrupted;
    lock.may_go_without = options.lock == LockMode::Reading;
    CAIRN_TRY(repository->lock_, Lock::acquire(*repository->store_, repository->objects_, std::move(lock)));
  }
  return repository;
}

Status Repository::create(store::Store& store, const Access& access, const CreateOptions& options,
                          const crypt::Secret& passphrase) {
  if (store.open()) {
    CAIRN_TRY(const store::Info config, store.info("config/config"));
    if (config.exists) {
      return fail(Code::RepositoryAlreadyExists, fmt::format("A repository already exists at {}.", access.location));
    }
  }
  if (auto status = store.create(); !status) {
    if (status.error().code() == Code::RepositoryAlreadyExists) {
      return fail(Code::IncompleteRepository, fmt::format("{} has no repository config.", access.location));
    }
    return status;
  }
  std::string key_file;
  auto make = [&]() -> Status {
    CAIRN_CHECKED(store.open());
    RepositoryId id;
    crypt::random_bytes(id.raw);
    crypt::KeyMaterial material = crypt::make_key_material(id);
    if (options.related != nullptr) {
      material.id_key = options.related->id_key;
      material.chunk_seed = options.related->chunk_seed;
      if (options.copy_crypt_key) material.crypt_key = options.related->crypt_key;
    }
    CAIRN_TRY(const std::string text, crypt::wrap(material, passphrase.view(), crypt::kAdminLabel));
    if (options.key_location == KeyLocation::Repokey) {
      CAIRN_CHECKED(store.put(fmt::format("keys/{}", crypt::key_id(text)), bytes_of(text)));
    } else {
      const std::string path = crypt::new_key_file_path(text);
      CAIRN_CHECKED(crypt::write_key_file(path, text, crypt::IfExists::Refuse));
      key_file = path;
    }
    StoreObjects objects(options.suite, material, id);
    CAIRN_TRY(
        const auto lock,
        Lock::acquire(store, objects,
                      {.exclusive = true, .wait = 0, .host_id = access.host_id, .on_lost = nullptr, .timer = false}));
    CAIRN_CHECKED(store.sync());
    CAIRN_CHECKED(store.put("config/config", bytes_of(encode_config(id, options.suite))));
    CAIRN_TRY(const Buffer defaults, objects.seal_named("config/defaults", encode_defaults(options.defaults)));
    CAIRN_CHECKED(store.put("config/defaults", defaults));
    const hash::IdHash id_hash(options.suite.id_hash, material.id_key);
    IndexFragments fragments(store, objects, options.suite, material, id_hash);
    CAIRN_CHECKED(fragments.write_full(ChunkIndex(), {}));
    CAIRN_CHECKED(lock->release());
    CAIRN_CHECKED(store.sync());
    return remember(id, {.location = access.canonical_location, .key_type = options.suite.type_byte});
  };
  auto status = make();
  if (!status) {
    if (auto destroyed = store.destroy(); !destroyed) {
      log(Level::Warning, kLogger, fmt::format("Removing the unfinished repository: {}", destroyed.error().text()));
    }
    if (!key_file.empty()) (void)crypt::erase_key_file(key_file);
  }
  return status;
}

std::unique_ptr<ObjectReader> Repository::make_reader() const {
  auto reader = std::make_unique<ObjectReader>(suite(), key_.key.material, id_hash_);
  if (without_key(suite())) reader->opener().trust_unverified();
  return reader;
}

bool Repository::can_verify() const { return !without_key(suite()); }

Result<Defaults> Repository::defaults() {
  Buffer envelope;
  if (auto status = store_->load("config/defaults", envelope); !status) {
    if (status.error().code() != Code::NotFound) return std::unexpected<Error>(std::move(status).error());
    return fail(Code::DefaultsMissing,
                fmt::format("Repository {} has no config/defaults object, run \"borg check --repair\" "
                            "to store empty defaults.",
                            location_));
  }
  Buffer payload;
  CAIRN_CHECKED(objects_.open_named("config/defaults", envelope, payload));
  return decode_defaults(payload, location_);
}

Status Repository::load_index(BadFragments policy, exec::Pool& pool) {
  if (index_loaded_) return {};
  CAIRN_TRY(index_load_, fragments_.load(index_, policy, pool));
  index_loaded_ = true;
  return {};
}

Status Repository::forget_missing_packs() {
  CAIRN_TRY(const auto names, store_->list_names("packs", store::Which::Live));
  std::unordered_set<PackId> stored;
  for (const auto& name : names) {
    if (const auto pack = PackId::from_hex(name)) stored.insert(*pack);
  }
  const auto forgotten = index_.erase_packs([&](const PackId& pack) { return !stored.contains(pack); });
  if (forgotten.entries == 0) return {};
  log(Level::Warning, kLogger,
      fmt::format(
          "{} pack(s) with {} object(s) are missing from repository {}: what is needed of them is stored again. "
          "Run \"borg check\" to see what is lost.",
          forgotten.packs, forgotten.entries, location_));
  // Old fragments would go on naming the lost packs beside the new ones: the whole index is written instead.
  index_load_.rebuilt = true;
  return {};
}

Result<ObjectMeta> Repository::load_object(ObjectReader& reader, const ChunkId& id, char type, Verify verify,
                                           Buffer& object, Buffer& plain, std::optional<std::uint64_t> expected_size) {
  const auto location = index_.find(id);
  if (!location) {
    return fail(Code::ObjectNotFound,
                fmt::format("Object with key {} not found in repository {}.", id.hex(), location_));
  }
  const std::string pack = fmt::format("packs/{}", location->pack.hex());
  if (auto status = store_->load_range(pack, location->offset, location->size, object); !status) {
    if (status.error().code() != Code::NotFound) return std::unexpected<Error>(std::move(status).error());
    return fail(
        Code::PackNotFound,
        fmt::format("Object with key {} is indexed to pack {}, but that whole pack is missing from repository {}.",
                    id.hex(), location->pack.hex(), location_));
  }
  auto meta = reader.read(object, id, type, verify, plain, expected_size);
  if (!meta) {
    return fail(Error(meta.error().code(), fmt::format("Chunk {}: {}", id.hex(), meta.error().message())).at(pack));
  }
  return meta;
}

Status Repository::save_index(Bytes new_rows) {
  CAIRN_CHECKED(check_lock());
  // What the index will name must be on the disk before the index says so.
  CAIRN_CHECKED(store_->sync());
  if (index_load_.rebuilt) {
    CAIRN_CHECKED(fragments_.write_full(index_, index_load_.fragments));
    index_load_ = {};
    return {};
  }
  CAIRN_CHECKED(fragments_.write_new(new_rows));
  return store_->sync();
}

Status Repository::replace_index() {
  CAIRN_CHECKED(check_lock());
  CAIRN_CHECKED(store_->sync());
  CAIRN_TRY(const auto fragments, fragments_.list());
  CAIRN_CHECKED(fragments_.write_full(index_, fragments));
  index_load_ = {};
  return {};
}

Status Repository::commit_archive(const ChunkId& archive) {
  CAIRN_CHECKED(check_lock());
  CAIRN_CHECKED(store_->put(archive_name(archive), {}));
  return store_->sync();
}

Status Repository::delete_archive(const ChunkId& archive) {
  CAIRN_CHECKED(check_lock());
  return store_->move(archive_name(archive), archive_name(archive) + ".del");
}

Status Repository::undelete_archive(const ChunkId& archive) {
  CAIRN_CHECKED(check_lock());
  return store_->move(archive_name(archive) + ".del", archive_name(archive));
}

Result<std::vector<ChunkId>> Repository::list_archives(store::Which which) {
  CAIRN_TRY(const auto entries, store_->list("archives", which));
  std::vector<ChunkId> ids;
  for (const auto& entry : entries) {
    if (const auto id = ChunkId::from_hex(entry.name)) {
      ids.push_back(*id);
    } else {
      log(Level::Warning, kLogger, fmt::format("archives/{} is no archive, ignored.", entry.name));
    }
  }
  return ids;
}

// A lock that has grown old is looked at here and not only by its timer, which may come too late: after the machine has
// slept, others may have swept the lock and removed what the next step is about to name.
Status Repository::check_lock() const { return lock_ ? lock_->verify() : Status(); }

void Repository::on_lock_lost(std::function<void(Error)> action) {
  const std::lock_guard guard(lost_mutex_);
  lost_action_ = std::move(action);
}

}  // namespace cairn::repo

// An open repository: its store, key, lock, index and defaults, ready for use by archives and maintenance.
//
// Opening   store, config, key (asking for the passphrase before waiting for the lock), security checks, lock. The
// chunk
//           index and the defaults are loaded when first asked for.
// Threads   open(), load_index() and the commit functions belong to one thread; everything else is safe from any.
// Errors    those of docs/format (repository, section 17).
// Source    docs/format (repository, sections 2, 6, 8 and 10).
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "exec/pool.h"
#include "hash/id_hash.h"
#include "repo/chunk_index.h"
#include "repo/config.h"
#include "repo/index_fragments.h"
#include "repo/key_ring.h"
#include "repo/lock.h"
#include "repo/object_codec.h"
#include "repo/security.h"
#include "repo/store_object.h"
#include "store/store.h"

namespace cairn::repo {

// What the repository needs from the user's side.
struct Access {
  std::string location;            // as shown in messages
  std::string canonical_location;  // as remembered in the security directory
  std::string host_id;             // for lock objects
  Confirm confirm;
  crypt::Prompt prompt;
  crypt::PassphraseGroup group = crypt::PassphraseGroup::Repository;
  const std::atomic<bool>* interrupted = nullptr;  // Ctrl-C ends waiting for the lock
};

// Reading is a shared lock for those who only read: they do without where none can be written, see lock.h.
enum class LockMode { None, Reading, Shared, Exclusive };

struct OpenOptions {
  LockMode lock = LockMode::Shared;
  Nanoseconds lock_wait = 10 * kSecond;
};

struct CreateOptions {
  crypt::Suite suite;
  KeyLocation key_location = KeyLocation::Repokey;
  Defaults defaults;
  const crypt::KeyMaterial* related = nullptr;  // id key and chunk seed are taken from here
  bool copy_crypt_key = false;
};

class Repository {
 public:
  static Result<std::unique_ptr<Repository>> open(std::unique_ptr<store::Store> store, const Access& access,
                                                  const OpenOptions& options);
  // Makes a new repository and leaves it closed. `passphrase` protects its first key. A failure removes what was made.
  static Status create(store::Store& store, const Access& access, const CreateOptions& options,
                       const crypt::Secret& passphrase);
  ~Repository();
  // Releases the lock and says whether that worked; the destructor does it silently.
  Status close();

  const std::string& location() const { return location_; }
  const RepositoryId& id() const { return config_.id; }
  const crypt::Suite& suite() const { return *config_.suite; }
  const crypt::KeyMaterial& material() const { return key_.key.material; }
  const KeyEntry& key() const { return key_.entry; }
  bool empty_passphrase() const { return key_.key.empty_passphrase; }
  const crypt::Secret& passphrase() const { return key_.key.passphrase; }  // for wrapping the key again
  const hash::IdHash& id_hash() const { return id_hash_; }
  store::Store& store() { return *store_; }
  StoreObjects& objects() { return objects_; }
  IndexFragments& fragments() { return fragments_; }
  ChunkIndex& index() { return index_; }
  // A codec for one worker.
  std::unique_ptr<ObjectReader> make_reader() const;
  // False without the key (BORG_WORKAROUNDS=authenticated_no_key): nothing that is read is known to be genuine.
  bool can_verify() const;

  Result<Defaults> defaults();

  // Loads the chunk index once.
  Status load_index(BadFragments policy, exec::Pool& pool);
  const IndexLoad& index_load() const { return index_load_; }
  // For writers, after load_index(): forgets what lies in packs that are not there, so that it is stored again instead
  // of being taken for known.
  Status forget_missing_packs();

  // Reads one object through the index. Errors: ObjectNotFound, PackNotFound, Integrity; the message names the object.
  Result<ObjectMeta> load_object(ObjectReader& reader, const ChunkId& id, char type, Verify verify, Buffer& object,
                                 Buffer& plain, std::optional<std::uint64_t> expected_size = std::nullopt);

  // Makes everything that was stored so far findable: writes the index rows (the whole index if it had to be rebuilt).
  Status save_index(Bytes new_rows);
  // Makes the index in the store be the one in memory, which the caller has found to be true.
  Status replace_index();
  // Archives: the commit point, and its opposite. `archive` becomes live once all that it needs is durable.
  Status commit_archive(const ChunkId& archive);
  Status delete_archive(const ChunkId& archive);  // soft: compaction makes it final
  Status undelete_archive(const ChunkId& archive);
  Result<std::vector<ChunkId>> list_archives(store::Which which = store::Which::Live);

  // LockTimeout once somebody took the lock away. Called before every commit; also from the timer through on_lock_lost.
  Status check_lock() const;
  void on_lock_lost(std::function<void(Error)> action);

 private:
  Repository(std::unique_ptr<store::Store> store, std::string location, Config config, OpenedKey key);

  std::unique_ptr<store::Store> store_;
  const std::string location_;
  const Config config_;
  const OpenedKey key_;
  const hash::IdHash id_hash_;
  StoreObjects objects_;
  IndexFragments fragments_;
  ChunkIndex index_;
  IndexLoad index_load_;
  bool index_loaded_ = false;
  std::mutex lost_mutex_;
  std::function<void(Error)> lost_action_;
  std::unique_ptr<Lock> lock_;
};

// config/config of an opened store. RepositoryDoesNotExist, LegacyRepository, InvalidRepository ...
Result<Config> read_config(store::Store& store, const std::string& location);
// Why the data is readable without a passphrase, or "" if it is not.
std::string unencrypted_reason(const crypt::Suite& suite, const KeyEntry& key, bool empty_passphrase);

}  // namespace cairn::repo

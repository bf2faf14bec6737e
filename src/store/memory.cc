#include "store/memory.h"

#include <algorithm>
#include <cerrno>
#include <map>
#include <mutex>
#include <random>
#include <set>

#include "hash/blake3.h"

namespace cairn::store {
namespace {

struct Object {
  std::shared_ptr<const Buffer> value;  // readers of the old value may outlive its replacement
  double mtime = 0;
};
using Objects = std::map<std::string, Object, std::less<>>;

}  // namespace

struct MemoryDisk::State {
  std::mutex mutex;
  bool exists = false;
  Objects now;
  Objects durable;
  std::set<std::string, std::less<>> changed;  // since the last sync()
};

MemoryDisk::MemoryDisk() : state_(std::make_unique<State>()) {}
MemoryDisk::~MemoryDisk() = default;

void MemoryDisk::lose_power(std::uint64_t seed) {
  const std::lock_guard lock(state_->mutex);
  std::mt19937_64 random(seed);
  for (const std::string& name : state_->changed) {
    if (random() % 2 == 0) continue;
    const auto old = state_->durable.find(name);
    if (old == state_->durable.end()) {
      state_->now.erase(name);
    } else {
      state_->now[name] = old->second;
    }
  }
  state_->durable = state_->now;
  state_->changed.clear();
}

namespace {

class MemoryStore final : public Store {
 public:
  MemoryStore(std::shared_ptr<MemoryDisk> disk, const Clock& clock)
      : disk_(std::move(disk)), state_(disk_->state()), clock_(clock) {}

  Status create() override {
    const std::lock_guard lock(state_.mutex);
    if (state_.exists) return fail(Code::RepositoryAlreadyExists, "A repository already exists at memory:.");
    state_.exists = true;
    return {};
  }

  Status destroy() override {
    const std::lock_guard lock(state_.mutex);
    CAIRN_CHECKED(require_existence());
    state_.exists = false;
    state_.now.clear();
    state_.durable.clear();
    state_.changed.clear();
    return {};
  }

  Status open() override {
    const std::lock_guard lock(state_.mutex);
    return require_existence();
  }

  std::string location() const override { return "memory:"; }

  Result<std::vector<Entry>> list(std::string_view space, Which which) override {
    CAIRN_CHECKED(check_space(space));
    const std::lock_guard lock(state_.mutex);
    std::vector<Entry> entries;
    const std::string prefix = std::string(space) + '/';
    for (auto it = state_.now.lower_bound(prefix); it != state_.now.end() && it->first.starts_with(prefix); ++it) {
      std::string_view key;
      if (!key_of_entry(std::string_view(it->first).substr(prefix.size()), which, key)) continue;
      entries.push_back({std::string(key), it->second.value->size(), it->second.mtime});
    }
    return entries;
  }

  Result<Info> info(std::string_view name) override {
    CAIRN_CHECKED(check_any_name(name));
    const std::lock_guard lock(state_.mutex);
    if (std::ranges::find(kNamespaces, name) != std::end(kNamespaces))
      return Info{.exists = state_.exists, .directory = state_.exists};
    const auto it = state_.now.find(name);
    if (it == state_.now.end()) return Info{};
    return Info{.exists = true, .directory = false, .size = it->second.value->size(), .mtime = it->second.mtime};
  }

  Status load(std::string_view name, Buffer& out) override { return load_range(name, 0, UINT64_MAX, out); }

  Status load_range(std::string_view name, std::uint64_t offset, std::uint64_t size, Buffer& out) override {
    out.clear();
    CAIRN_TRY(const std::shared_ptr<const Buffer> value, find(name));
    const std::uint64_t start = std::min<std::uint64_t>(offset, value->size());
    out.append(value->view(start, std::min<std::uint64_t>(size, value->size() - start)));
    return {};
  }

  Status put(std::string_view name, Bytes value) override {
    CAIRN_CHECKED(check_object_name(name));
    auto copy = std::make_shared<Buffer>();
    copy->append(value);
    const std::lock_guard lock(state_.mutex);
    CAIRN_CHECKED(require_existence());
    state_.now.insert_or_assign(std::string(name),
                                Object{std::move(copy), static_cast<double>(clock_.now()) / kSecond});
    state_.changed.emplace(name);
    return {};
  }

  Status remove(std::string_view name) override {
    CAIRN_CHECKED(check_object_name(name));
    const std::lock_guard lock(state_.mutex);
    const auto it = state_.now.find(name);
    if (it == state_.now.end()) return missing(name);
    state_.now.erase(it);
    state_.changed.emplace(name);
    return {};
  }

  Status move(std::string_view from, std::string_view to) override {
    CAIRN_CHECKED(check_object_name(from));
    CAIRN_CHECKED(check_object_name(to));
    const std::lock_guard lock(state_.mutex);
    const auto it = state_.now.find(from);
    if (it == state_.now.end()) return missing(from);
    if (from == to) return {};
    Object object = std::move(it->second);
    state_.now.erase(it);
    state_.now.insert_or_assign(std::string(to), std::move(object));
    state_.changed.emplace(from);
    state_.changed.emplace(to);
    return {};
  }

  Result<Digest256> hash(std::string_view name) override {
    CAIRN_TRY(const std::shared_ptr<const Buffer> value, find(name));
    return hash::blake3(*value);
  }

  Status sync() override {
    const std::lock_guard lock(state_.mutex);
    for (const std::string& name : state_.changed) {
      const auto it = state_.now.find(name);
      if (it == state_.now.end()) {
        state_.durable.erase(name);
      } else {
        state_.durable[name] = it->second;
      }
    }
    state_.changed.clear();
    return {};
  }

 private:
  static std::unexpected<Error> missing(std::string_view name) { return fail(os_error(ENOENT, std::string(name))); }

  Status require_existence() const {
    if (!state_.exists) return fail(Code::RepositoryDoesNotExist, "Repository memory: does not exist.");
    return {};
  }

  Result<std::shared_ptr<const Buffer>> find(std::string_view name) {
    CAIRN_CHECKED(check_object_name(name));
    const std::lock_guard lock(state_.mutex);
    const auto it = state_.now.find(name);
    if (it == state_.now.end()) return missing(name);
    return it->second.value;
  }

  const std::shared_ptr<MemoryDisk> disk_;
  MemoryDisk::State& state_;
  const Clock& clock_;
};

}  // namespace

std::unique_ptr<Store> make_memory_store(std::shared_ptr<MemoryDisk> disk, const Clock& clock) {
  return std::make_unique<MemoryStore>(std::move(disk), clock);
}

}  // namespace cairn::store

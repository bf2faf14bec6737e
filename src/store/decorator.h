// A store around another one: every operation passes through around(), in which a decorator counts, delays or fails.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "store/store.h"

namespace cairn::store {

enum class Operation { Create, Destroy, Open, List, Info, Load, Put, Remove, Move, Hash, Sync };
inline constexpr std::size_t kOperations = 11;

constexpr bool changes_the_store(Operation operation) {
  using enum Operation;
  return operation == Create || operation == Destroy || operation == Put || operation == Remove || operation == Move ||
         operation == Sync;
}

class Decorator : public Store {
 public:
  explicit Decorator(std::unique_ptr<Store> inner) : inner_(std::move(inner)) {}

  Status create() override {
    return run(Operation::Create, "", {}, [&] { return inner_->create(); });
  }
  Status destroy() override {
    return run(Operation::Destroy, "", {}, [&] { return inner_->destroy(); });
  }
  Status open() override {
    return run(Operation::Open, "", {}, [&] { return inner_->open(); });
  }
  std::string location() const override { return inner_->location(); }
  Result<std::vector<Entry>> list(std::string_view space, Which which) override {
    return run_for<std::vector<Entry>>(Operation::List, space, [&] { return inner_->list(space, which); });
  }
  Result<std::vector<std::string>> list_names(std::string_view space, Which which) override {
    return run_for<std::vector<std::string>>(Operation::List, space, [&] { return inner_->list_names(space, which); });
  }
  Result<Info> info(std::string_view name) override {
    return run_for<Info>(Operation::Info, name, [&] { return inner_->info(name); });
  }
  Status load(std::string_view name, Buffer& out) override {
    return run(Operation::Load, name, {}, [&] { return inner_->load(name, out); }, &out);
  }
  Status load_range(std::string_view name, std::uint64_t offset, std::uint64_t size, Buffer& out) override {
    return run(Operation::Load, name, {}, [&] { return inner_->load_range(name, offset, size, out); }, &out);
  }
  Status put(std::string_view name, Bytes value) override {
    return run(Operation::Put, name, value, [&] { return inner_->put(name, value); });
  }
  Status remove(std::string_view name) override {
    return run(Operation::Remove, name, {}, [&] { return inner_->remove(name); });
  }
  Status move(std::string_view from, std::string_view to) override {
    return run(Operation::Move, from, {}, [&] { return inner_->move(from, to); });
  }
  Result<Digest256> hash(std::string_view name) override {
    return run_for<Digest256>(Operation::Hash, name, [&] { return inner_->hash(name); });
  }
  Status sync() override {
    return run(Operation::Sync, "", {}, [&] { return inner_->sync(); });
  }
  Status gather(std::span<const Range> ranges, Buffer& out) override {
    return run(Operation::Load, "packs", {}, [&] { return inner_->gather(ranges, out); }, &out);
  }
  Result<PackId> defrag(std::span<const Range> ranges) override {
    return run_for<PackId>(Operation::Put, "packs", [&] { return inner_->defrag(ranges); });
  }
  Result<std::optional<Quota>> quota() override { return inner_->quota(); }
  Result<std::uint64_t> remove_stale_temporaries() override {
    return run_for<std::uint64_t>(Operation::Remove, "", [&] { return inner_->remove_stale_temporaries(); });
  }
  std::string granted(std::string_view name) const override { return inner_->granted(name); }

 protected:
  struct Call {
    Operation operation;
    std::string_view name;
    Bytes value;                    // of a put
    const Buffer* loaded;           // where a load puts its bytes
    std::function<Status()> inner;  // the operation itself; valid during around()
  };
  // Must call `inner` at most once. An error is the operation's result.
  virtual Status around(const Call& call) = 0;
  Store& inner() { return *inner_; }

 private:
  template <class Function>
  Status run(Operation operation, std::string_view name, Bytes value, Function&& function,
             const Buffer* loaded = nullptr) {
    return around(Call{operation, name, value, loaded, std::ref(function)});
  }
  template <class T, class Function>
  Result<T> run_for(Operation operation, std::string_view name, Function&& function) {
    std::optional<T> answer;
    CAIRN_CHECKED(run(operation, name, {}, [&]() -> Status {
      CAIRN_TRY(answer, function());
      return {};
    }));
    return std::move(*answer);
  }

  const std::unique_ptr<Store> inner_;
};

}  // namespace cairn::store

#include "store/counted.h"

namespace cairn::store {
namespace {

class CountedStore final : public Decorator {
 public:
  CountedStore(std::unique_ptr<Store> inner, std::shared_ptr<StoreStatistics> statistics, const Clock& clock)
      : Decorator(std::move(inner)), statistics_(std::move(statistics)), clock_(clock) {}

 protected:
  Status around(const Call& call) override {
    const Nanoseconds start = clock_.monotonic();
    Status status = call.inner();
    std::uint64_t bytes = 0;
    if (status && call.loaded != nullptr) bytes = call.loaded->size();
    if (status && call.operation == Operation::Put) bytes = call.value.size();
    statistics_->add(call.operation, !status, bytes, clock_.monotonic() - start);
    return status;
  }

 private:
  const std::shared_ptr<StoreStatistics> statistics_;
  const Clock& clock_;
};

}  // namespace

void StoreStatistics::add(Operation operation, bool failed, std::uint64_t bytes, Nanoseconds duration) {
  Counters& counters = counters_[static_cast<std::size_t>(operation)];
  counters.calls.fetch_add(1, std::memory_order_relaxed);
  if (failed) counters.failures.fetch_add(1, std::memory_order_relaxed);
  counters.bytes.fetch_add(bytes, std::memory_order_relaxed);
  counters.nanoseconds.fetch_add(static_cast<std::uint64_t>(duration), std::memory_order_relaxed);
}

OperationCount StoreStatistics::of(Operation operation) const {
  const Counters& counters = counters_[static_cast<std::size_t>(operation)];
  return {counters.calls, counters.failures, counters.bytes, static_cast<double>(counters.nanoseconds) * 1e-9};
}

OperationCount StoreStatistics::total() const {
  OperationCount sum;
  for (std::size_t i = 0; i < kOperations; ++i) {
    const OperationCount one = of(static_cast<Operation>(i));
    sum.calls += one.calls;
    sum.failures += one.failures;
    sum.bytes += one.bytes;
    sum.seconds += one.seconds;
  }
  return sum;
}

const char* name_of(Operation operation) {
  constexpr const char* kNames[kOperations] = {"create", "destroy", "open", "list", "info", "load",
                                               "put",    "remove",  "move", "hash", "sync"};
  return kNames[static_cast<std::size_t>(operation)];
}

std::unique_ptr<Store> make_counted_store(std::unique_ptr<Store> inner, std::shared_ptr<StoreStatistics> statistics,
                                          const Clock& clock) {
  return std::make_unique<CountedStore>(std::move(inner), std::move(statistics), clock);
}

}  // namespace cairn::store

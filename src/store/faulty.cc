#include "store/faulty.h"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>

#include <charconv>
#include <fstream>

#include <fmt/format.h>

#include "base/check.h"
#include "base/env.h"
#include "base/fd.h"
#include "store/decorator.h"

namespace cairn::store {
namespace {

// splitmix64: the delay of an operation depends on the seed and its number alone.
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

class FaultyStore final : public Decorator {
 public:
  FaultyStore(std::unique_ptr<Store> inner, Fault fault, std::shared_ptr<OperationCounter> counter, const Clock& clock)
      : Decorator(std::move(inner)), fault_(std::move(fault)), counter_(std::move(counter)), clock_(clock) {}

  ~FaultyStore() override {
    if (!fault_.count_file.empty()) std::ofstream(fault_.count_file) << *counter_ << '\n';
  }

 protected:
  Status around(const Call& call) override {
    if (!fault_.any && !changes_the_store(call.operation)) return call.inner();
    const std::uint64_t number = counter_->fetch_add(1) + 1;
    if (fault_.longest_delay > 0) {
      const auto longest = static_cast<std::uint64_t>(fault_.longest_delay);
      clock_.sleep(static_cast<Nanoseconds>(mixed(fault_.delay_seed + number) % (longest + 1)));
    }
    const bool now = fault_.kind != Fault::Kind::None && (fault_.lasting ? number >= fault_.at : number == fault_.at);
    if (!now) return call.inner();
    const auto failed = [&](int error) -> Status { return fail(os_error(error, std::string(call.name))); };
    switch (fault_.kind) {
      case Fault::Kind::None:
        break;
      case Fault::Kind::Fail:
        return failed(fault_.error_number);
      case Fault::Kind::FailAfter:
        CAIRN_CHECKED(call.inner());
        return failed(fault_.error_number);
      case Fault::Kind::Short:
        if (call.operation == Operation::Put) leave_half(call);
        [[fallthrough]];
      case Fault::Kind::DieBefore:
        if (fault_.die) fault_.die();
        return failed(EIO);
      case Fault::Kind::DieAfter:
        (void)call.inner();
        if (fault_.die) fault_.die();
        return failed(EIO);
    }
    return call.inner();
  }

 private:
  // Where the store is a directory, what an interrupted writer leaves there. Elsewhere nothing lands.
  void leave_half(const Call& call) {
    const std::string path = nested(call.name);
    const std::string file = fmt::format("{}/{}/tmphalfhalf.tmp", inner().location(), path.substr(0, path.rfind('/')));
    const Fd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    if (fd) (void)!::write(fd.get(), call.value.data(), call.value.size() / 2);
  }

  const Fault fault_;
  const std::shared_ptr<OperationCounter> counter_;
  const Clock& clock_;
};

}  // namespace

Result<Fault> parse_fault(std::string_view text) {
  const auto refuse = [&] {
    return fail(Code::Usage, fmt::format("CAIRN_TEST_STORE_FAULT: '{}' is not a fault", text));
  };
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return refuse();
  std::string_view word = text.substr(0, colon);
  std::string_view argument = text.substr(colon + 1);
  Fault fault;
  if (word.ends_with("-any")) {
    fault.any = true;
    word.remove_suffix(4);
  }
  if (word == "count") {
    if (argument.empty()) return refuse();
    fault.count_file = argument;
    return fault;
  }
  if (argument.ends_with('+')) {
    fault.lasting = true;
    argument.remove_suffix(1);
  }
  const auto [end, error] = std::from_chars(argument.data(), argument.data() + argument.size(), fault.at);
  if (error != std::errc() || end != argument.data() + argument.size() || fault.at == 0) return refuse();
  if (word == "kill-before") {
    fault.kind = Fault::Kind::DieBefore;
  } else if (word == "kill-after") {
    fault.kind = Fault::Kind::DieAfter;
  } else if (word == "short") {
    fault.kind = Fault::Kind::Short;
  } else if (word == "enospc" || word == "eio" || word == "eio-after") {
    fault.kind = word == "eio-after" ? Fault::Kind::FailAfter : Fault::Kind::Fail;
    fault.error_number = word == "enospc" ? ENOSPC : EIO;
  } else {
    return refuse();
  }
  return fault;
}

std::unique_ptr<Store> make_faulty_store(std::unique_ptr<Store> inner, Fault fault,
                                         std::shared_ptr<OperationCounter> counter, const Clock& clock) {
  return std::make_unique<FaultyStore>(std::move(inner), std::move(fault), std::move(counter), clock);
}

std::unique_ptr<Store> with_faults_from_env(std::unique_ptr<Store> store) {
  const std::optional<std::string> text = env_nonempty("CAIRN_TEST_STORE_FAULT");
  if (!text) return store;
  Result<Fault> fault = parse_fault(*text);
  CAIRN_CHECK(fault, "CAIRN_TEST_STORE_FAULT is not a fault");
  fault->die = [] { std::raise(SIGKILL); };
  static const auto counter = std::make_shared<OperationCounter>();
  return make_faulty_store(std::move(store), std::move(*fault), counter);
}

}  // namespace cairn::store

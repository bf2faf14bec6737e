#include "ops/foreground_child.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <array>
#include <atomic>
#include <cerrno>

#include <fmt/format.h>

#include "base/child_environment.h"

namespace cairn::ops {
namespace {

std::atomic<pid_t> g_child{0};
std::atomic<int> g_early{0};  // came before there was a child

void pass_on(int number) {
  if (const pid_t child = g_child.load(); child > 0)
    ::kill(child, number);
  else
    g_early.store(number);
}

// While it lives, keyboard signals are ignored and the others go to the child.
class Handlers {
 public:
  Handlers() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      struct sigaction action{};
      action.sa_handler = kSignals[i] == SIGINT || kSignals[i] == SIGQUIT ? SIG_IGN : pass_on;
      action.sa_flags = SA_RESTART;
      ::sigaction(kSignals[i], &action, &before_[i]);
    }
  }
  Handlers(const Handlers&) = delete;
  Handlers& operator=(const Handlers&) = delete;
  ~Handlers() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  }
  // The signals that the child starts with as Cairn did: what was ignored then stays ignored.
  sigset_t defaults() const {
    sigset_t set;
    sigemptyset(&set);
    for (std::size_t i = 0; i < kSignals.size(); ++i)
      if (before_[i].sa_handler != SIG_IGN) sigaddset(&set, kSignals[i]);
    // Cairn ignores these for itself alone: a program that relies on them would write into a closed pipe for ever.
    sigaddset(&set, SIGPIPE);
    sigaddset(&set, SIGXFSZ);
    return set;
  }

 private:
  static constexpr std::array kSignals = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> before_{};
};

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

Result<int> run_in_foreground(const std::vector<std::string>& words) {
  std::vector<std::string> arguments = words, environment = child_environment();
  const std::vector<char*> argv = pointers_to(arguments), envp = pointers_to(environment);
  g_early.store(0);
  const Handlers handlers;
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  const sigset_t defaults = handlers.defaults();
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = -1;
  const int error = ::posix_spawnp(&child, argv[0], nullptr, &attributes, argv.data(), envp.data());
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0)
    return fail(Code::Command, fmt::format("Failed to execute command: {}", os_error(error, words[0]).message()));
  g_child.store(child);
  if (const int number = g_early.exchange(0); number != 0) ::kill(child, number);
  // Looked at before it is collected, so that no signal goes to a process that has its number after it.
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  g_child.store(0);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return fail(os_error(errno, words[0]));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace cairn::ops

// Sources of passphrases; see the header.
#include "crypt/passphrase.h"

#include <fcntl.h>
#include <signal.h>  // NOLINT: kill() is not in <csignal>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <vector>

#include "base/child_environment.h"
#include "base/env.h"
#include "base/fd.h"
#include "base/shell_words.h"

namespace cairn::crypt {

namespace {

constexpr std::size_t kMaxPassphrase = std::size_t{1} << 20U;
constexpr int kPrompts = 3;
constexpr int kNewRounds = 10;

std::string prefix_of(PassphraseGroup group) {
  switch (group) {
    case PassphraseGroup::Other:
      return "BORG_OTHER_";
    case PassphraseGroup::New:
      return "BORG_NEW_";
    case PassphraseGroup::Repository:
      break;
  }
  return "BORG_";
}

Result<Secret> read_to_end(int fd, const std::string& source) {
  Secret text;
  std::array<char, 4096> piece;
  for (;;) {
    const ssize_t got = ::read(fd, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      const int problem = errno;
      wipe(std::as_writable_bytes(std::span(piece)));
      if (got < 0) return fail(os_error(problem, source));
      break;
    }
    text.append({piece.data(), static_cast<std::size_t>(got)});
    if (text.size() > kMaxPassphrase) return fail(Code::Error, "The passphrase from " + source + " is too long.");
  }
  text.strip_line_ends();
  return text;
}

// As Python shows a list of words, which is how Borg names a command.
std::string shown(const std::vector<std::string>& words) {
  std::string text = "[";
  for (const std::string& word : words) {
    if (&word != words.data()) text += ", ";
    const char mark = word.find('\'') != std::string::npos && word.find('"') == std::string::npos ? '"' : '\'';
    text += mark;
    for (const char c : word) {
      if (c == mark || c == '\\') text += '\\';
      text += c;
    }
    text += mark;
  }
  return text += ']';
}

std::unexpected<Error> command_failed(const std::string& variable, const std::string& reason) {
  return fail(Code::PasscommandFailure, "Passcommand supplied in " + variable + " failed: " + reason + ".");
}

// posix_spawn's file actions, freed in any case.
class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

Result<Secret> run_passcommand(const std::string& command, const std::string& variable) {
  auto split = split_words(command);
  if (!split) return command_failed(variable, split.error().message());
  std::vector<std::string> words = std::move(*split);
  if (words.empty()) return command_failed(variable, "it is empty");

  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail(os_error(errno, variable));
  const Fd output(ends[0]);
  Fd input(ends[1]);
  FileActions actions;
  posix_spawn_file_actions_adddup2(actions.get(), input.get(), STDOUT_FILENO);
  std::vector<std::string> environment = child_environment();
  const std::vector<char*> arguments = pointers_to(words);
  const std::vector<char*> variables = pointers_to(environment);
  pid_t child = -1;
  const int spawned =
      ::posix_spawnp(&child, words.front().c_str(), actions.get(), nullptr, arguments.data(), variables.data());
  input.reset();
  if (spawned != 0) {
    std::string reason = os_error(spawned, words.front()).message();
    return command_failed(variable, reason);
  }
  auto text = read_to_end(output.get(), variable);
  if (!text) ::kill(child, SIGTERM);  // it would wait for a reader
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return fail(os_error(errno, variable));
  if (!text) return text;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return text;
  std::string reason = "Command '" + shown(words) + "' ";
  if (WIFSIGNALED(status))
    reason += "died with signal " + std::to_string(WTERMSIG(status));
  else
    reason += "returned non-zero exit status " + std::to_string(WEXITSTATUS(status));
  return command_failed(variable, reason);
}

std::optional<int> descriptor_in(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\n')) text.remove_suffix(1);
  int fd = -1;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), fd);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return fd;
}

}  // namespace

Result<std::optional<Secret>> environment_passphrase(PassphraseGroup group) {
  const std::string prefix = prefix_of(group);
  const std::array names = {prefix + "PASSPHRASE", prefix + "PASSCOMMAND", prefix + "PASSPHRASE_FD"};
  std::string set;
  int count = 0;
  for (const std::string& name : names) {
    if (!env(name.c_str())) continue;
    set += (count++ == 0 ? "" : ", ") + name;
  }
  if (count > 1) return fail(Code::Error, "More than one passphrase environment variable is set: " + set);

  if (auto value = env(names[0].c_str())) return std::optional(Secret::take(*value));
  if (const auto command = env(names[1].c_str())) {
    CAIRN_TRY(Secret passphrase, run_passcommand(*command, names[1]));
    return std::optional(std::move(passphrase));
  }
  if (const auto number = env(names[2].c_str())) {
    const auto descriptor = descriptor_in(*number);
    if (!descriptor) return std::optional<Secret>();
    const Fd fd(*descriptor);
    CAIRN_TRY(Secret passphrase, read_to_end(fd.get(), names[2]));
    return std::optional(std::move(passphrase));
  }
  return std::optional<Secret>();
}

Result<std::optional<Secret>> environment_new_passphrase() {
  CAIRN_TRY(std::optional<Secret> passphrase, environment_passphrase(PassphraseGroup::New));
  if (passphrase) return passphrase;
  return environment_passphrase(PassphraseGroup::Repository);
}

Result<UnlockedKey> unlock_with_passphrase(std::span<const KeyBlob> candidates, const RepositoryId& repository,
                                           PassphraseGroup group, const std::string& location, const Prompt& prompt,
                                           const std::function<void(const Secret&)>& wrong) {
  const auto attempt = [&](Secret passphrase) -> Result<UnlockedKey> {
    auto unlocked = unlock_first(candidates, passphrase.view(), repository);
    if (!unlocked) {
      if (wrong && unlocked.error().code() == Code::PassphraseWrong) wrong(passphrase);
      return std::unexpected(std::move(unlocked).error());
    }
    const bool empty = passphrase.empty();
    return UnlockedKey{std::move(unlocked->material), unlocked->index, empty, std::move(passphrase)};
  };

  CAIRN_TRY(std::optional<Secret> given, environment_passphrase(group));
  if (given) return attempt(std::move(*given));
  // Without a report: nobody entered the empty passphrase.
  if (auto unlocked = unlock_first(candidates, {}, repository))
    return UnlockedKey{std::move(unlocked->material), unlocked->index, true, Secret()};
  for (int round = 0; round < kPrompts; ++round) {
    CAIRN_TRY(Secret passphrase, prompt("Enter passphrase for key " + location + ": "));
    auto unlocked = attempt(std::move(passphrase));
    if (unlocked || unlocked.error().code() != Code::PassphraseWrong) return unlocked;
  }
  return fail(Code::PasswordRetriesExceeded, "Exceeded the maximum password retries.");
}

Result<NewPassphrase> choose_passphrase(const Prompt& prompt, const Say& say) {
  CAIRN_TRY(std::optional<Secret> given, environment_new_passphrase());
  if (given) return NewPassphrase{std::move(*given), false};
  CAIRN_TRY(Secret typed, type_new_passphrase(prompt, say));
  return NewPassphrase{std::move(typed), true};
}

Result<Secret> type_new_passphrase(const Prompt& prompt, const Say& say) {
  for (int round = 0; round < kNewRounds; ++round) {
    CAIRN_TRY(Secret first, prompt("Enter new passphrase: "));
    CAIRN_TRY(const Secret second, prompt("Enter same passphrase again: "));
    if (first == second) return first;
    say("Passphrases do not match");
  }
  return fail(Code::PasswordRetriesExceeded, "Exceeded the maximum password retries.");
}

}  // namespace cairn::crypt

#include "cli/prompts.h"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>

#include <fmt/format.h>

#include "base/env.h"
#include "base/fd.h"
#include "cli/json_text.h"

namespace cairn::cli {
namespace {

enum class Answer { Yes, No, Default, Invalid };

Answer meaning(std::string_view text, bool only_capital_yes) {
  constexpr auto kYes = std::to_array<std::string_view>({"Yes", "YES", "yes", "Y", "y", "1"});
  constexpr auto kNo = std::to_array<std::string_view>({"No", "NO", "no", "N", "n", "0"});
  constexpr auto kDefault = std::to_array<std::string_view>({"Default", "DEFAULT", "default", "D", "d", ""});
  if (only_capital_yes ? text == "YES" : std::ranges::find(kYes, text) != kYes.end()) return Answer::Yes;
  if (std::ranges::find(kNo, text) != kNo.end()) return Answer::No;
  if (std::ranges::find(kDefault, text) != kDefault.end()) return Answer::Default;
  return Answer::Invalid;
}

// A terminal that shows nothing and hands over each key, until the end of the scope. Ctrl-C comes as a key, so that
// the terminal never stays silent behind a killed program.
class SilentTerminal {
 public:
  explicit SilentTerminal(int fd) : fd_(fd) {
    if (::tcgetattr(fd_, &before_) != 0) return;
    termios silent = before_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHONL | ICANON | ISIG);
    silent.c_cc[VMIN] = 1;
    silent.c_cc[VTIME] = 0;
    changed_ = ::tcsetattr(fd_, TCSAFLUSH, &silent) == 0;
  }
  SilentTerminal(const SilentTerminal&) = delete;
  SilentTerminal& operator=(const SilentTerminal&) = delete;
  ~SilentTerminal() {
    if (changed_) ::tcsetattr(fd_, TCSAFLUSH, &before_);
  }
  bool silent() const { return changed_; }

 private:
  int fd_;
  termios before_{};
  bool changed_ = false;
};

void write_to(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count > 0)
      text.remove_prefix(static_cast<std::size_t>(count));
    else if (count < 0 && errno != EINTR)
      return;
  }
}

std::unexpected<Error> no_passphrase() {
  std::string why;
  for (const char* name : {"BORG_PASSPHRASE", "BORG_PASSCOMMAND"})
    why += fmt::format("{} is {}. ", name, env(name) ? "set" : "not set");
  return fail(Code::NoPassphrase,
              fmt::format("Cannot acquire a passphrase: {}Interactive password query failed..", why));
}

}  // namespace

void Prompts::say(std::string_view type, const YesNo& question, std::string_view message) {
  if (message.empty()) return;
  if (!json_) {
    output_.error_line(output_.error_display(message));
    return;
  }
  JsonLine line;
  if (type == "question_env_answer") line.raw_text("env_var", question.variable);
  line.raw_text("type", type).raw_text("msgid", question.variable).text("message", message);
  output_.error_line(line.str());
}

std::optional<std::string> Prompts::read_line() {
  constexpr std::size_t kLongest = 1U << 16;
  std::string text;
  for (;;) {
    char c = 0;
    const ssize_t count = ::read(input_fd_, &c, 1);  // byte by byte: what follows belongs to others
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text.empty() ? std::nullopt : std::optional(text);
    if (c == '\n') break;
    if (text.size() < kLongest) text += c;
  }
  if (text.ends_with('\r')) text.pop_back();
  return text;
}

bool Prompts::ask(const YesNo& question) {
  bool first = true, use_variable = true;
  for (;;) {
    if (json_)
      say(first ? "question_prompt" : "question_prompt_retry", question, question.text);
    else
      output_.error_text(output_.error_display(question.text));
    first = false;
    std::optional<std::string> answer;
    if (use_variable)
      if ((answer = env(question.variable.c_str())))
        say("question_env_answer", question, fmt::format("{} (from {})", *answer, question.variable));
    const bool from_variable = answer.has_value();
    use_variable = false;  // a useless answer is not asked for again
    if (!from_variable) answer = read_line();
    const bool at_end = !answer;
    switch (meaning(answer.value_or(""), question.only_capital_yes)) {
      case Answer::Yes:
        return true;
      case Answer::No:
        say("question_accepted_false", question, question.denied);
        return false;
      case Answer::Default:
        say(at_end ? "question_accepted_false" : "question_accepted_default", question, question.denied);
        return false;
      case Answer::Invalid:
        say("question_invalid_answer", question,
            question.retry ? "Invalid answer, please try again." : "Invalid answer, aborting.");
        if (!question.retry) return false;
    }
  }
}

std::optional<std::string> Prompts::line(std::string_view prompt) {
  output_.error_text(prompt);
  return read_line();
}

Result<crypt::Secret> Prompts::passphrase(std::string_view prompt) {
  const Fd terminal(::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!terminal) return no_passphrase();
  output_.show_transient("");
  return read_without_echo(terminal.get(), prompt);
}

Result<crypt::Secret> read_without_echo(int fd, std::string_view prompt) {
  constexpr std::size_t kLongest = 4096;
  constexpr char kCtrlC = 3, kCtrlD = 4, kBackspace = 8, kCtrlU = 21, kDelete = 127;
  const SilentTerminal terminal(fd);
  if (!terminal.silent()) return no_passphrase();
  write_to(fd, prompt);
  std::string typed;
  typed.reserve(kLongest);  // never moves, so no copy of it is left behind
  const auto wiped = [&] { return crypt::Secret::take(typed); };
  for (;;) {
    char key = 0;
    const ssize_t count = ::read(fd, &key, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0 || (key == kCtrlD && typed.empty())) {
      wiped();
      write_to(fd, "\n");
      return no_passphrase();
    }
    if (key == kCtrlC) {
      wiped();
      write_to(fd, "\n");
      return fail(Code::Cancelled, "");
    }
    if (key == '\n' || key == '\r' || key == kCtrlD) break;
    if (key == kBackspace || key == kDelete) {
      while (!typed.empty() && (static_cast<unsigned char>(typed.back()) & 0xc0) == 0x80) typed.pop_back();
      if (!typed.empty()) typed.pop_back();
    } else if (key == kCtrlU) {
      typed.clear();
    } else if (typed.size() < kLongest) {
      typed += key;
    }
  }
  write_to(fd, "\n");
  return wiped();
}

}  // namespace cairn::cli

// Questions to the user: yes or no, YES, passphrases.
//
// A variable of the question's name answers instead of the user. The end of standard input is the default answer, no.
// Source    docs/format (cli, section 7; crypto, section 3.6).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "cli/output.h"
#include "crypt/secret.h"

namespace cairn::cli {

struct YesNo {
  std::string variable{};            // and message id: "BORG_RELOCATED_REPO_ACCESS_IS_OK"
  std::string text{};                // with the blank at its end
  bool only_capital_yes = false;     // nothing but "YES" agrees
  bool retry = false;                // after an answer that is neither: ask again, instead of taking it as no
  std::string denied = "Aborting.";  // said after a no; empty: nothing
};

class Prompts {
 public:
  Prompts(Output& output, bool json, int input_fd = 0) : output_(output), json_(json), input_fd_(input_fd) {}
  bool ask(const YesNo& question);
  // On the controlling terminal, without echo. NoPassphrase if there is none or its input ends, Cancelled on Ctrl-C.
  Result<crypt::Secret> passphrase(std::string_view prompt);
  // One line from standard input without its line feed, for the paper key; nothing at the end.
  std::optional<std::string> line(std::string_view prompt);

 private:
  void say(std::string_view type, const YesNo& question, std::string_view message);
  std::optional<std::string> read_line();

  Output& output_;
  bool json_;
  int input_fd_;
};

// The terminal behind `fd`. Split off for tests.
Result<crypt::Secret> read_without_echo(int fd, std::string_view prompt);

}  // namespace cairn::cli

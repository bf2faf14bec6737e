// The program `cairn`.
#include <csignal>
#include <string>
#include <vector>

#include "cli/program.h"

int main(int argc, char** argv) {
  // A reader that goes away shows as EPIPE, which Output knows.
  std::signal(SIGPIPE, SIG_IGN);  // NOLINT(cert-err33-c): cannot fail for SIGPIPE
  const std::vector<std::string> words(argv, argv + argc);
  cairn::cli::Output output;
  return cairn::cli::run_program(words, cairn::cli::system_surroundings(), output);
}

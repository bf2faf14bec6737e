// The program `cairn`.
#include <csignal>
#include <string>
#include <vector>

#include "cli/program.h"

int main(int argc, char** argv) {
  // A reader that goes away shows as EPIPE, which Output knows.
  std::signal(SIGPIPE, SIG_IGN);  // NOLINT(cert-err33-c): cannot fail for SIGPIPE
  // A file that grows beyond the limit (ulimit -f) shows as EFBIG: an error with a message, and no lock left behind.
  std::signal(SIGXFSZ, SIG_IGN);  // NOLINT(cert-err33-c): cannot fail for SIGXFSZ
  const std::vector<std::string> words(argv, argv + argc);
  cairn::cli::Output output;
  return cairn::cli::run_program(words, cairn::cli::system_surroundings(), output);
}

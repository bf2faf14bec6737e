// debug info: what a report of a fault should say.
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include <fmt/format.h>

#include "archive/python_text.h"
#include "base/env.h"
#include "base/host.h"
#include "cli/debug_command.h"
#include "cli/version.h"

namespace cairn::cli {
namespace {

// PRETTY_NAME of os-release, without its quotes.
std::string distribution() {
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);) {
    constexpr std::string_view kName = "PRETTY_NAME=";
    if (!line.starts_with(kName)) continue;
    std::string name = line.substr(kName.size());
    if (name.size() >= 2 && name.front() == '"' && name.back() == '"') name = name.substr(1, name.size() - 2);
    return name;
  }
  return "Unknown Linux";
}

std::string working_directory() {
  std::string path(4096, '\0');
  const char* where = ::getcwd(path.data(), path.size());
  return where == nullptr ? "(gone)" : where;
}

}  // namespace

Status run_debug_info(const DebugInfoOptions& /*options*/, Context& context) {
  utsname system{};
  static_cast<void>(::uname(&system));
  const auto ssh = env_nonempty("SSH_ORIGINAL_COMMAND");
  const std::string text = fmt::format(
      "Platform: {} {} {} {} {}\nLinux: {}\nCairn: {}  Borg: {}  Compiler: {}  Threads: {}\nPID: {}  CWD: {}\n"
      "SSH_ORIGINAL_COMMAND: {}\n\nProcess ID: ('{}', {}, 0)\n",
      system.sysname, system.nodename, system.release, system.version, system.machine, distribution(), kCairnVersion,
      kBorgVersion, __VERSION__, std::thread::hardware_concurrency(), ::getpid(), working_directory(),
      ssh ? archive::python_repr(*ssh) : "None", host_id(), ::getpid());
  context.output.write(context.output.out_text(text));
  return {};
}

}  // namespace cairn::cli

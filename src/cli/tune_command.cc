#include "cli/tune_command.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "base/child_environment.h"
#include "base/env.h"
#include "base/fd.h"
#include "chart/chart.h"
#include "chunk/cutter.h"
#include "chunk/kernel_list.h"
#include "cli/json_output.h"
#include "cli/machine_settings.h"
#include "cli/signals.h"
#include "cli/text_file.h"
#include "cli/tune_charts.h"
#include "cli/tune_measure.h"
#include "cli/tune_page.h"
#include "cli/tune_report.h"
#include "cli/version.h"
#include "exec/memory_gate.h"
#include "hash/blake3.h"
#include "measure/tuning_json.h"
#include "measure/tuning_profile.h"
#include "ops/kernel_record.h"

namespace cairn::cli {
namespace {

using chunk::Algorithm;
using measure::Tuning;

constexpr std::size_t kMostInput = std::size_t{8} << 20U;

Result<std::string> read_file(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return fail(os_error(errno, path));
  std::string text;
  std::string block(std::size_t{64} << 10U, '\0');
  while (text.size() <= kMostInput) {
    const ssize_t got = ::read(fd.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(os_error(errno, path));
    if (got == 0) break;
    text.append(block, 0, static_cast<std::size_t>(got));
  }
  return text;
}

// A file of its own, so that nobody else can have put something under its name.
Result<std::string> write_temporary_page(std::string_view text) {
  std::string path = env_nonempty("TMPDIR").value_or("/tmp") + "/cairn-tune-XXXXXX.html";
  constexpr int kSuffixLength = 5;
  Fd fd(::mkostemps(path.data(), kSuffixLength, O_CLOEXEC));
  if (!fd) return fail(os_error(errno, path));
  CAIRN_CHECKED(write_text(fd, path, text));
  if (const int error = fd.close(); error != 0) return fail(os_error(error, path));
  return path;
}

Status open_in_browser(const std::string& path) {
  std::vector<std::string> words = {"xdg-open", path};
  std::vector<std::string> environment = child_environment();
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::vector<char*> envp;
  for (std::string& entry : environment) envp.push_back(entry.data());
  envp.push_back(nullptr);
  pid_t pid = -1;
  const int problem = ::posix_spawnp(&pid, argv[0], nullptr, nullptr, argv.data(), envp.data());
  if (problem != 0) return fail(os_error(problem, words[0]));
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return fail(Code::Error, "xdg-open could not show " + path);
  return {};
}

Result<Tuning> earlier_tuning(const std::string& path) {
  CAIRN_TRY(const std::string text, read_file(path));
  auto tuning = measure::tuning_from_json(text);
  if (!tuning) return fail(Code::Error, fmt::format("{}: {}", path, tuning.error().message()));
  return tuning;
}

Status apply(const Tuning& tuning, Context& context) {
  if (!tuning.machine.is_like(measure::this_machine(kCairnVersion))) {
    return fail(Code::Error,
                fmt::format("These measurements are not of this machine, but of: {}", tuning.machine.text()));
  }
  if (measure::was_busy(tuning)) {
    return fail(Code::Error,
                fmt::format("The machine was busy while it was measured (load {:.1f}): nothing is kept.", tuning.load));
  }
  const std::string path = measure::profile_path();
  CAIRN_CHECKED(measure::save_profile(path, tuning.machine, measure::recommended(tuning)));
  context.output.error_line(context.output.error_display(fmt::format("settings -> {}", path)));
  return {};
}

// ---- --show

std::string threshold_text(std::size_t bytes) {
  constexpr std::size_t kBeyondEverything = std::size_t{1} << 40U;
  if (bytes >= kBeyondEverything) return "never";
  return bytes == 0 ? "always" : fmt::format("from {} KiB on", bytes / 1024);
}

std::string readers_text(const MachineSettings& settings) {
  if (settings.readers.origin == Origin::Variable) return env_nonempty("CAIRN_READERS").value_or("");
  return settings.readers.value ? std::to_string(*settings.readers.value) : "all";
}

struct ShownKernel {
  std::string chunker, kernel;
  Origin origin;
};

// What a cutter takes: as a backup would, with what a variable, the kept settings or a quick try say. Makes all of them
// the process's own.
std::vector<ShownKernel> settled_kernels(const MachineSettings& settings) {
  std::vector<chunk::Params> all;
  std::vector<bool> by_variable;
  for (const char* text : {"fastcdc,19,23,21,2", "buzhash64,19,23,21,4095,2", "buzhash,19,23,21,4095",
                           "toeplitz-aes,19,23,21,2", "rabin-aes,19,23,21,2", "goldilocks-aes,19,23,21,2"}) {
    const auto params = chunk::parse_params(text);
    if (!params) continue;
    all.push_back(*params);
    by_variable.push_back(chunk::is_kernel_settled(params->algorithm));
  }
  use(settings);
  std::vector<ShownKernel> shown;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Algorithm algorithm = all[i].algorithm;
    ops::settle_kernel(algorithm);
    const auto cutter = chunk::make_cutter(all[i], {.without_repository = true});
    ShownKernel one{.chunker = std::string(chunk::name_of(algorithm)), .kernel = {}, .origin = Origin::Measured};
    one.kernel = cutter ? std::string((*cutter)->kernel()) : cutter.error().message();
    const auto tuned = std::ranges::find(settings.tuned_kernels, algorithm, &MachineSettings::Kernel::algorithm);
    if (by_variable[i])
      one.origin = Origin::Variable;
    else if (tuned != settings.tuned_kernels.end() && one.kernel == tuned->name)
      one.origin = Origin::Tuned;
    shown.push_back(std::move(one));
  }
  return shown;
}

Status show(const TuneOptions& options, Context& context) {
  CAIRN_CHECKED(hash::check_kernels());
  CAIRN_TRY(const MachineSettings settings, machine_settings(context.common));
  const std::vector<ShownKernel> kernels = settled_kernels(settings);
  const measure::Machine machine = measure::this_machine(kCairnVersion);
  const exec::MemoryPolicy& policy = exec::memory_gate().policy();
  if (options.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const ShownKernel& one : kernels)
      list.push_back({{"chunker", one.chunker}, {"kernel", one.kernel}, {"origin", text_of(one.origin)}});
    const auto setting = [](auto value, Origin origin) {
      return nlohmann::json{{"value", value}, {"origin", text_of(origin)}};
    };
    write_json(context.output,
               {{"profile", measure::profile_path()},
                {"profile_used", settings.profile_used},
                {"threads", setting(settings.threads.value, settings.threads.origin)},
                {"blake3_threshold_bytes", setting(settings.blake3_threshold.value, settings.blake3_threshold.origin)},
                {"memory_threads", setting(settings.memory_threads.value, settings.memory_threads.origin)},
                {"memory_policy", policy.text()},
                {"readers", setting(readers_text(settings), settings.readers.origin)},
                {"kernels", list}});
    return {};
  }
  const auto row = [&](std::string_view what, std::string_view value, std::string_view origin) {
    context.output.write(fmt::format("{:<26} {:<20} {}\n", what, value, origin));
  };
  context.output.write(fmt::format("{}\n\n", machine.text()));
  row("threads", std::to_string(settings.threads.value), text_of(settings.threads.origin));
  row("split BLAKE3", threshold_text(settings.blake3_threshold.value), text_of(settings.blake3_threshold.origin));
  row("memory-bound threads", fmt::format("at most {}", settings.memory_threads.value),
      text_of(settings.memory_threads.origin));
  for (const ShownKernel& one : kernels) row("kernel of " + one.chunker, one.kernel, text_of(one.origin));
  row("readers", readers_text(settings), text_of(settings.readers.origin));
  context.output.write(fmt::format("\nmemory policy: {}\n", policy.text()));
  context.output.write(context.output.out_text(
      fmt::format("{}: {}\n", measure::profile_path(),
                  settings.profile_used ? "used" : "nothing for this machine (cairn tune --apply)")));
  return {};
}

Status write_results(const TuneOptions& options, const Tuning& tuning, Context& context) {
  const auto tell = [&](std::string_view what, const std::string& path) {
    context.output.error_line(context.output.error_display(fmt::format("{} -> {}", what, path)));
  };
  if (!options.svg.empty()) {
    CAIRN_CHECKED(write_text_file(options.svg, chart::svg(tune_charts(tuning))));
    tell("chart", options.svg);
  }
  std::string page = options.html;
  if (!page.empty()) {
    CAIRN_CHECKED(write_text_file(page, tune_page(tuning)));
  } else if (options.open) {
    CAIRN_TRY(page, write_temporary_page(tune_page(tuning)));
  }
  if (!page.empty()) tell("page", page);
  if (options.open) CAIRN_CHECKED(open_in_browser(page));
  return {};
}

}  // namespace

Status run_tune(const TuneOptions& options, Context& context) {
  if (options.show) return show(options, context);
  Tuning tuning;
  if (options.from_json.empty()) {
    catch_signals();
    CAIRN_CHECKED(hash::check_kernels());
    CAIRN_TRY(tuning, tune_machine(options, context));
  } else {
    CAIRN_TRY(tuning, earlier_tuning(options.from_json));
  }
  if (options.json)
    write_json(context.output, measure::tuning_to_json(tuning));
  else
    context.output.write(context.output.out_text(tune_report(tuning)));
  CAIRN_CHECKED(context.output.flush());
  CAIRN_CHECKED(write_results(options, tuning, context));
  if (!tuning.complete && options.from_json.empty()) return fail(Code::Interrupted, "Got Ctrl-C / SIGINT.");
  if (options.apply) return apply(tuning, context);
  return {};
}

}  // namespace cairn::cli

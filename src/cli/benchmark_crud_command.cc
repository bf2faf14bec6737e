// Every step is a whole command in this process, through the program's own front door: parsing, opening the
// repository, locking, closing.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/env.h"
#include "base/log.h"
#include "base/units.h"
#include "cli/benchmark_commands.h"
#include "cli/json_text.h"
#include "cli/program.h"
#include "cli/session.h"
#include "cli/signals.h"
#include "measure/benchmark_files.h"
#include "ops/delete_archives.h"

namespace cairn::cli {
namespace {

using measure::Sample;
using Clock = std::chrono::steady_clock;

constexpr std::array kSamples = {
    Sample{"Z-BIG", 10, 100'000'000, false},    Sample{"R-BIG", 10, 100'000'000, true},
    Sample{"Z-MEDIUM", 1000, 1'000'000, false}, Sample{"R-MEDIUM", 1000, 1'000'000, true},
    Sample{"Z-SMALL", 10'000, 10'000, false},   Sample{"R-SMALL", 10'000, 10'000, true},
};
constexpr const char* kArchives[] = {"borg-benchmark-crud1", "borg-benchmark-crud2", "borg-benchmark-crud3"};
constexpr std::array kTestSamples = {Sample{"Z-TEST", 1, 1, false}, Sample{"R-TEST", 1, 1, true}};

struct Times {  // seconds
  double create, update, read, erase;
};

class Runner {
 public:
  explicit Runner(Context& context) : context_(context) {
    const CommonOptions& common = context.common;
    // Warnings are left out, above all the hint to compact after each delete.
    start_ = {context.words.empty() ? context.program : context.words.front(),
              common.level == Level::Critical ? "--critical" : "--error", "--repo=" + common.repo,
              fmt::format("--lock-wait={}", common.lock_wait), fmt::format("--umask={:o}", common.umask)};
    if (common.threads > 0) start_.push_back(fmt::format("--threads={}", common.threads));
    if (common.rsh) start_.push_back("--rsh=" + *common.rsh);
    if (common.remote_path) start_.push_back("--remote-path=" + *common.remote_path);
  }

  // Runs the command; returns its seconds.
  Result<double> run(const std::vector<std::string>& words) {
    std::vector<std::string> all = start_;
    all.insert(all.end(), words.begin(), words.end());
    const Clock::time_point start = Clock::now();
    const int exit_code = run_program(all, system_surroundings(), context_.output);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    install_log_sink(context_.log, log_settings(context_.common));  // the command took its own away with it
    any_may_be_left_ = any_may_be_left_ || exit_code == 0 || interrupted();
    if (interrupted()) return fail(Code::Interrupted, "");
    if (exit_code != 0) {
      return fail(Code::Error, fmt::format("the benchmark's command \"{}\" ended with exit code {}",
                                           joined_command_line(words), exit_code));
    }
    return seconds;
  }

  Result<Times> measure(const std::string& directory) {
    Times times{};
    CAIRN_TRY(times.create, run({"create", "--compression=none", "--files-cache=disabled", kArchives[0], directory}));
    // Fills the files cache.
    CAIRN_CHECKED(run({"create", "--compression=none", kArchives[1], directory}));
    CAIRN_CHECKED(run({"delete", "-a", kArchives[1]}));
    CAIRN_TRY(times.update, run({"create", "--compression=none", kArchives[2], directory}));
    CAIRN_CHECKED(run({"delete", "-a", kArchives[2]}));
    CAIRN_TRY(times.read, run({"extract", kArchives[0], "--dry-run"}));
    CAIRN_TRY(times.erase, run({"delete", "-a", kArchives[0]}));
    return times;
  }

  // After Ctrl-C or a failure: the benchmark's archives do not stay among the user's.
  Status remove_archives() {
    if (!any_may_be_left_) return {};
    static const std::atomic<bool> never = false;
    CAIRN_TRY(Session session, open_session(context_, repo::LockMode::Shared));
    for (const char* name : kArchives) {
      CAIRN_TRY(const auto archives, find_archives(session, name, {}));
      CAIRN_CHECKED(ops::mark_archives(
          *session.repository, archives, ops::Mark::Deleted, [](std::size_t) { return Status(); }, never));
    }
    return session.repository->close();
  }

 private:
  Context& context_;
  std::vector<std::string> start_;
  bool any_may_be_left_ = false;
};

struct Line {
  char letter;
  const char* command;
  double Times::* seconds;
};
constexpr Line kLines[] = {{'C', "create1", &Times::create},
                           {'R', "extract", &Times::read},
                           {'U', "create2", &Times::update},
                           {'D', "delete", &Times::erase}};

std::string text_line(const Line& line, const Sample& sample, double seconds, Units units) {
  const double bytes = static_cast<double>(sample.size) * sample.count;
  return fmt::format("{}-{:<10} {:9.2f} MB/s ({} * {} {} files: {:.2f}s)\n", line.letter, sample.name,
                     bytes / seconds / 1e6, sample.count,
                     format_size(static_cast<std::int64_t>(sample.size), {.units = units}),
                     sample.is_random ? "random" : "all-zero", seconds);
}

std::string json_line(const Line& line, const Sample& sample, double seconds) {
  const double bytes = static_cast<double>(sample.size) * sample.count;
  JsonLine json;
  json.raw_text("command", line.command).raw_text("id", fmt::format("{}-{}", line.letter, sample.name));
  json.integer("io", static_cast<std::int64_t>(bytes / seconds)).raw_text("sample", sample.name);
  json.integer("sample_count", sample.count).boolean("sample_random", sample.is_random);
  json.unsigned_integer("sample_size", sample.size).real("time", seconds);
  return json.str() + "\n";
}

}  // namespace

Status run_benchmark_crud(const BenchmarkCrudOptions& options, Context& context) {
  catch_signals();
  CAIRN_CHECKED(repository_location(context));  // before files are made
  const std::span<const Sample> samples =
      env("_BORG_BENCHMARK_CRUD_TEST") ? std::span<const Sample>(kTestSamples) : std::span<const Sample>(kSamples);
  Runner runner(context);
  for (const Sample& sample : samples) {
    CAIRN_TRY(const auto files, measure::SampleFiles::make(options.path, sample, [] { return interrupted().load(); }));
    const Result<Times> measured = runner.measure(files.directory());
    if (!measured) {
      if (auto removed = runner.remove_archives(); !removed) {
        log(Level::Warning, "borg.archiver",
            fmt::format("Archives of the benchmark may be left: {}", removed.error().text()));
      }
      return std::unexpected<Error>(measured.error().clone());
    }
    const Times& times = *measured;
    for (const Line& line : kLines) {
      const double seconds = std::max(times.*line.seconds, 1e-9);
      context.output.write(options.json_lines ? json_line(line, sample, seconds)
                                              : text_line(line, sample, seconds, context.units));
    }
    CAIRN_CHECKED(context.output.flush());
  }
  return {};
}

}  // namespace cairn::cli

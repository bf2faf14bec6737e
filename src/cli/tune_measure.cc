// The time that a run takes is the number of its points times the time for each:
//
//              BLAKE3                       memory                      kernels        readers
//   quick      60 sizes x 12 x 3 ms         10 counts x 3 x 2 x 40 ms   30 x 2 x 30    4 x 1 x 0.4 s     7 s
//   balanced   110 sizes x 12 x 7 ms        21 counts x 3 x 3 x 40 ms   30 x 3 x 50    4 x 2 x 0.5 s    26 s
//
// at most: with probes, with one warm-up and five runs for each of one and many threads, and on hundreds of processors.
#include "cli/tune_measure.h"

#include <chrono>
#include <cstdlib>

#include <fmt/format.h>

#include "base/log.h"
#include "cli/machine_settings.h"
#include "cli/signals.h"
#include "cli/version.h"
#include "measure/blake3_speed.h"

namespace cairn::cli {
namespace {

using measure::Effort;
using measure::Tuning;

struct Plan {
  const char* name;
  Effort effort;
  int blake3_runs;
  double blake3_seconds;  // a run
  int memory_runs;
  double memory_seconds;
  int kernel_runs;
  double kernel_seconds;
  int reader_runs;
  double reader_seconds;
};
constexpr Plan kQuick = {"quick", Effort::Quick, 5, 0.003, 2, 0.04, 2, 0.03, 1, 0.4};
constexpr Plan kBalanced = {"balanced", Effort::Balanced, 5, 0.007, 3, 0.04, 3, 0.05, 2, 0.5};
constexpr Plan kThorough = {"thorough", Effort::Thorough, 5, 0.05, 5, 0.2, 5, 0.2, 3, 2};

const Plan& plan_of(const TuneOptions& options) {
  if (options.quick) return kQuick;
  return options.thorough ? kThorough : kBalanced;
}

// The line in place on a terminal, and what goes to the log.
class Watch final : public measure::ThresholdWatch {
 public:
  Watch(Context& context, std::size_t sizes) : context_(context), sizes_(sizes) {}
  void next(unsigned kib) { show(context_, fmt::format("BLAKE3, {} KiB ({} of {})", kib, ++done_, sizes_)); }

  void verifying(unsigned candidate, std::size_t sizes) override {
    done_ = 0;
    sizes_ = sizes;
    say(fmt::format("verifying {} KiB: probing {} sizes that are usually worst", candidate, sizes));
  }
  void probed(const measure::Blake3Point& point, unsigned candidate) override {
    if (point.kib < candidate || point.ratio >= margin) return;
    say(fmt::format("{:>7} KiB {:.2f}x disproves {} KiB", point.kib, point.ratio, candidate));
  }
  void measuring_again(const measure::Blake3Point& point, int runs) override {
    done_ = 0;
    sizes_ = 1;
    say(fmt::format("re-measuring {} KiB ({:.2f}x) with {} runs", point.kib, point.ratio, runs));
  }
  void measured_again(const measure::Blake3Point& before, const measure::Blake3Point& now) override {
    say(fmt::format("  {:.2f}x -> {:.2f}x", before.ratio, now.ratio));
  }

  static void show(Context& context, std::string_view step) {
    const std::size_t columns = context.output.error_columns();
    context.output.show_transient(step.substr(0, columns > 1 ? columns - 1 : 0));
  }

  double margin = 1.0;

 private:
  static void say(const std::string& message) { log(Level::Info, "borg.output.progress", message); }

  Context& context_;
  std::size_t sizes_;
  std::size_t done_ = 0;
};

Status measure_blake3(const TuneOptions& options, const Plan& plan, Context& context, Tuning& tuning) {
  measure::Blake3Meter meter(tuning.threads, [] { return interrupted().load(); });
  measure::ThresholdSettings settings{
      .ladder = measure::threshold_ladder(plan.effort), .margin = options.margin, .runs = tuning.runs};
  Watch watch(context, settings.ladder.size());
  watch.margin = options.margin;
  return measure::search_threshold(
      settings,
      [&](unsigned kib, int runs) {
        watch.next(kib);
        return meter.measure(kib, {.runs = runs, .seconds_per_run = plan.blake3_seconds});
      },
      watch, tuning.blake3);
}

Status measure_all(const TuneOptions& options, const Plan& plan, Context& context, Tuning& tuning) {
  const auto stop = [] { return interrupted().load(); };
  const auto show = [&](const char* part) {
    return [&context, part](std::string_view step) { Watch::show(context, fmt::format("{}: {}", part, step)); };
  };
  const auto runs = [&](int usual) { return options.runs > 0 ? options.runs : usual; };
  // One thread has nobody to split with.
  if (tuning.threads > 1) CAIRN_CHECKED(measure_blake3(options, plan, context, tuning));
  CAIRN_CHECKED(measure::measure_memory({.threads = measure::thread_ladder(tuning.threads, plan.effort),
                                         .runs = runs(plan.memory_runs),
                                         .seconds_per_run = plan.memory_seconds},
                                        measure::memory_block_bytes(), stop, show("memory"), tuning.memory));
  CAIRN_CHECKED(measure::measure_kernels({.runs = runs(plan.kernel_runs), .seconds_per_run = plan.kernel_seconds}, stop,
                                         show("kernels"), tuning.kernels));
  if (options.readers.empty()) return {};
  tuning.readers.emplace();
  return measure::measure_readers(options.readers,
                                  {.runs = runs(plan.reader_runs), .seconds_per_run = plan.reader_seconds}, stop,
                                  show("readers"), *tuning.readers);
}

}  // namespace

Result<Tuning> tune_machine(const TuneOptions& options, Context& context) {
  CAIRN_TRY(const MachineSettings settings, machine_settings(context.common));
  const Plan& plan = plan_of(options);
  Tuning tuning;
  tuning.machine = measure::this_machine(kCairnVersion);
  tuning.threads = settings.threads.value;
  tuning.effort = plan.name;
  tuning.runs = options.runs > 0 ? options.runs : plan.blake3_runs;
  tuning.margin = options.margin;
  if (double load = 0; ::getloadavg(&load, 1) == 1) tuning.load = load;
  const auto start = std::chrono::steady_clock::now();
  const Status status = measure_all(options, plan, context, tuning);
  tuning.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  context.output.show_transient("");
  if (!status && status.error().code() != Code::Interrupted) return fail(status.error().clone());
  tuning.complete = status.has_value();
  return tuning;
}

}  // namespace cairn::cli

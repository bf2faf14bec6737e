#include "cli/tune_options.h"

#include <charconv>
#include <cmath>

#include "cli/common_options.h"
#include "cli/option_values.h"

namespace cairn::cli {
namespace {

Result<int> parse_runs(std::string_view value) {
  CAIRN_TRY(const int runs, parse_positive_int(value));
  if (runs > 1000) return fail(Code::Usage, "at most 1000 runs");
  return runs;
}

Result<double> parse_margin(std::string_view value) {
  double margin = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), margin);
  if (error != std::errc() || end != value.data() + value.size() || !std::isfinite(margin) || margin <= 0 ||
      margin > 100)
    return fail(Code::Usage, "not a speed-up above 0 and up to 100: " + quoted(value));
  return margin;
}

using O = TuneOptions;
constexpr Option kOptions[] = {
    flag("--quick", "fewer and shorter measurements: some seconds", set<&O::quick>),
    flag("--thorough", "more and longer measurements: minutes; --quick wins", set<&O::thorough>),
    value("--runs", "N", "repeat each measurement N times", set<&O::runs, parse_runs>),
    value("--margin", "X", "how much faster threads must be to count as faster", set<&O::margin, parse_margin>)
        .defaults("1.0"),
    value("--readers", "DIR", "also measure 1, 2, 4 and 8 readers on the files below DIR",
          set<&O::readers, parse_path_argument>),
};
constexpr Option kResults[] = {
    flag("--json", "print the measurements as JSON on standard output", set<&O::json>),
    value("--svg", "FILE", "write the charts as one picture", set<&O::svg, parse_path_argument>),
    value("--html", "FILE", "write a page with charts and tables", set<&O::html, parse_path_argument>),
    flag("--open", "show the page in the browser; without --html it is a temporary file", set<&O::open>),
    value("--from-json", "FILE", "measure nothing: show what an earlier --json wrote",
          set<&O::from_json, parse_path_argument>)
        .exclusive("source"),
    flag("--apply", "keep the settings for this machine; later runs use them", set<&O::apply>),
    flag("--show", "measure nothing: show the settings in force, and where each comes from", set<&O::show>)
        .exclusive("source"),
};
constexpr OptionSet kSets[] = {{"options", kOptions, whole}, {"results", kResults, whole}};

}  // namespace

constinit const Command kTune = {
    .name = "tune",
    .summary = "measure this machine and say what to set",
    .description =
        R"(Measures, in less than 30 seconds, from which chunk size on BLAKE3 should be split over threads, how much memory threads move together, which kernel of each chunker is the fastest, and (with --readers) how many files to read at once. Needs no repository. Then says what to set; nothing is changed without --apply.

The machine should have nothing else to do meanwhile. Measurements of memory are known to be unreliable: where the runs disagree that is said, and nothing is recommended. Ctrl-C ends the measuring and shows what is known by then.

--apply keeps the settings in the configuration directory, for machines with the same processor only. Variables and options win over them: BORG_BLAKE3_MT_THRESHOLD, CAIRN_MEMORY_THREADS, CAIRN_KERNELS and those of single chunkers, --threads. None of these settings changes what is stored.

  cairn tune
  cairn tune --readers /home --apply
  cairn tune --json > machine.json
  cairn tune --from-json machine.json --html machine.html --open)",
    .sets = kSets,
    .positionals = {},
    .make = make_options<TuneOptions>,
};

}  // namespace cairn::cli

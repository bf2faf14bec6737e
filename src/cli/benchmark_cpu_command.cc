#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "base/env.h"
#include "cli/benchmark_commands.h"
#include "cli/benchmark_figures.h"
#include "cli/benchmark_text.h"
#include "cli/json_output.h"
#include "cli/signals.h"
#include "cli/text_file.h"
#include "exec/threads.h"
#include "measure/benchmark.h"

namespace cairn::cli {
namespace {

using measure::BenchmarkRow;
using measure::BenchmarkSection;

struct Section {
  BenchmarkSection section;
  const char* title;
  const char* key;  // in the JSON document
  bool BenchmarkCpuOptions::* chosen;
};
constexpr Section kSections[] = {
    {BenchmarkSection::Chunkers, "Chunkers", "chunkers", &BenchmarkCpuOptions::chunking},
    {BenchmarkSection::Hashes, "Cryptographic hashes / MACs", "hashes", &BenchmarkCpuOptions::hashing},
    {BenchmarkSection::Encryption, "Encryption", "encryption", &BenchmarkCpuOptions::encrypting},
    {BenchmarkSection::Compression, "Compression", "compression", &BenchmarkCpuOptions::compressing},
    {BenchmarkSection::Msgpack, "msgpack", "msgpack", &BenchmarkCpuOptions::msgpacking},
};

nlohmann::json json_of(BenchmarkSection section, const BenchmarkRow& row) {
  if (row.error) return {{"spec", row.label}, {"error", failure_text(*row.error)}};
  nlohmann::json object = {{"algo", row.algorithm}, {"time", row.seconds}};
  if (section == BenchmarkSection::Msgpack) {
    object["count"] = row.count;
    return object;
  }
  object["size"] = row.size;
  if (section == BenchmarkSection::Chunkers || section == BenchmarkSection::Compression)
    object["algo_params"] = row.parameters;
  if (section == BenchmarkSection::Hashes || section == BenchmarkSection::Compression)
    object["buffer_size"] = row.buffer_size;
  if (section == BenchmarkSection::Compression) object["csize"] = row.compressed_size;
  return object;
}

class Run {
 public:
  Run(const BenchmarkCpuOptions& options, Context& context) : options_(options), output_(context.output) {
    const bool quick = env("_BORG_BENCHMARK_CPU_TEST").has_value();
    const unsigned threads =
        context.common.threads > 0 ? static_cast<unsigned>(context.common.threads) : exec::default_threads();
    const auto stop = [this] { return interrupted() || output_.reader_gone(); };
    settings_ = {.quick = quick, .threads = threads, .data_path = options.data, .stop = stop};
    figures_ = {.quick = quick, .threads = threads, .stop = stop};
  }

  Status run() {
    for (const Section& section : kSections) {
      if (options_.chooses() && !(options_.*section.chosen)) continue;
      CAIRN_CHECKED(say(benchmark_title(section.title)));
      nlohmann::json rows = nlohmann::json::array();
      CAIRN_CHECKED(measure::benchmark_section(section.section, settings_, [&](const BenchmarkRow& row) {
        rows.push_back(json_of(section.section, row));
        // A reader that is gone, or a full disk, shows when the rows are flushed the next time.
        (void)say(benchmark_line(section.section, row));
      }));
      document_[section.key] = std::move(rows);
      if (section.section == BenchmarkSection::Hashes && options_.sweep) CAIRN_CHECKED(sweep());
    }
    if (options_.kernels) CAIRN_CHECKED(kernels());
    if (options_.json) write_json(output_, document_);
    return {};
  }

 private:
  // Each line is shown as soon as it is known.
  Status say(std::string_view text) {
    if (options_.json) return {};
    output_.write(text);
    return output_.flush();
  }

  Status kernels() {
    CAIRN_TRY(const KernelTable table, measure_kernel_table(figures_));
    CAIRN_CHECKED(say(table.text()));
    document_["kernels"] = table.json();
    return options_.svg && !options_.sweep ? write_text_file(*options_.svg, chart::svg(table.chart())) : Status();
  }

  Status sweep() {
    CAIRN_TRY(const Blake3Sweep found, measure_blake3_sweep(figures_, [&](const Blake3Sweep& so_far) {
                (void)say(so_far.points.empty() ? so_far.head() : Blake3Sweep::line(so_far.points.back()));
              }));
    document_["blake3_sweep"] = found.json();
    return options_.svg ? write_text_file(*options_.svg, chart::svg(found.chart())) : Status();
  }

  const BenchmarkCpuOptions& options_;
  Output& output_;
  measure::BenchmarkSettings settings_;
  FigureSettings figures_;
  nlohmann::json document_ = nlohmann::json::object();
};

}  // namespace

Status run_benchmark_cpu(const BenchmarkCpuOptions& options, Context& context) {
  catch_signals();
  Status done = Run(options, context).run();
  // Nobody listens any more: that is no failure.
  if (!done && done.error().code() == Code::Interrupted && !interrupted()) return {};
  return done;
}

}  // namespace cairn::cli

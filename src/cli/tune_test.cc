// `tune` as a program: what it shows, keeps and refuses; and that kept settings are used, but never against a variable.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "chart/chart.h"
#include "chunk/kernel_list.h"
#include "cli/captured_output_test.h"
#include "cli/machine_settings.h"
#include "cli/program.h"
#include "cli/signals.h"
#include "cli/tune_charts.h"
#include "cli/tune_page.h"
#include "cli/tune_report.h"
#include "cli/version.h"
#include "hash/blake3.h"
#include "measure/tuning_json.h"
#include "measure/tuning_profile.h"

namespace cairn::cli {
namespace {

using measure::Settings;
using measure::Tuning;

struct Outcome {
  int exit_code;
  std::string out, error;
};

class Tune : public ::testing::Test {
 protected:
  Tune() {
    std::string name = (std::filesystem::temp_directory_path() / "cairn-tune-test-XXXXXX").string();
    directory_ = ::mkdtemp(name.data());
    ::setenv("BORG_CONFIG_DIR", directory_.c_str(), 1);
    ::setenv("BORG_CACHE_DIR", directory_.c_str(), 1);
    for (const char* variable : kVariables) ::unsetenv(variable);
  }
  ~Tune() override {
    ::unsetenv("BORG_CONFIG_DIR");
    ::unsetenv("BORG_CACHE_DIR");
    using chunk::Algorithm;  // --show made kernels the process's own
    for (const Algorithm algorithm : {Algorithm::FastCdc, Algorithm::Buzhash64, Algorithm::Buzhash,
                                      Algorithm::ToeplitzAes, Algorithm::RabinAes, Algorithm::GoldilocksAes}) {
      EXPECT_TRUE(chunk::prefer_kernel(algorithm, ""));
    }
    for (const char* variable : kVariables) ::unsetenv(variable);
    std::filesystem::remove_all(directory_);
  }

  static Outcome run(std::vector<std::string> words) {
    words.insert(words.begin(), {"cairn", "tune"});
    CapturedOutput captured;
    const Surroundings none{
        .variable = [](const std::string&) -> std::optional<std::string> { return std::nullopt; },
        .read_file = [](const std::string&) -> Result<std::optional<std::string>> { return std::nullopt; }};
    const int exit_code = run_program(words, none, captured.output);
    return {exit_code, captured.out_text(), captured.error_text()};
  }

  std::string path(const char* name) const { return directory_ + "/" + name; }
  static std::string content(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string write_json_file(const Tuning& tuning) const {
    std::ofstream(path("measured.json")) << measure::tuning_to_json(tuning).dump();
    return path("measured.json");
  }
  void keep(const Settings& settings) const {
    ASSERT_TRUE(measure::save_profile(measure::profile_path(), measure::this_machine(kCairnVersion), settings));
  }

  static constexpr const char* kVariables[] = {"BORG_BLAKE3_MT_THRESHOLD", "CAIRN_MEMORY_THREADS",
                                               "BORG_FASTCDC_KERNEL", "CAIRN_KERNELS", "CAIRN_READERS"};
  std::string directory_;
};

Tuning sample() {
  Tuning tuning;
  tuning.machine = measure::this_machine(kCairnVersion);
  tuning.threads = 12;
  tuning.effort = "balanced";
  tuning.runs = 5;
  tuning.seconds = 17.25;
  for (unsigned kib = 16; kib <= 512; kib += 16) {
    const double ratio = kib / 100.0;
    tuning.blake3.points.push_back({.kib = kib, .single = 7000, .many = 7000 * ratio, .ratio = ratio, .noise = 0.01});
  }
  tuning.blake3.threshold_kib = measure::threshold_of(tuning.blake3.points, 1.0);
  for (unsigned n = 1; n <= 12; ++n) {
    const double rate = 9.125 * std::min(n, 5U);
    tuning.memory.set.push_back({.threads = n, .runs = {rate, rate * 0.99}});
    tuning.memory.copy.push_back({.threads = n, .runs = {rate / 2, rate / 2}});
    tuning.memory.hash.push_back({.threads = n, .runs = {rate / 3, rate / 3}});
  }
  tuning.kernels = {{.chunker = "fastcdc",
                     .params = "fastcdc,19,23,21,2",
                     .usual = "avx2",
                     .rates = {{.name = "scalar", .runs = {2500}}, {.name = "avx2", .runs = {2000}}}}};
  tuning.readers = {.directory = "/home/<me>", .files = 10, .bytes = 1'000'000, .cached = 0};
  tuning.readers->points = {{.readers = 1, .runs = {100}}, {.readers = 2, .runs = {180}}};
  return tuning;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(Tune, ReportSaysWhatToSetReadyToPaste) {
  const std::string report = tune_report(sample());
  EXPECT_TRUE(has(report, "\n    export BORG_BLAKE3_MT_THRESHOLD=112\n")) << report;
  EXPECT_TRUE(has(report, "\n    export CAIRN_MEMORY_THREADS=5\n"));
  EXPECT_TRUE(has(report, "\n    export BORG_FASTCDC_KERNEL=scalar\n"));
  EXPECT_TRUE(has(report, "best: 2 readers"));
  EXPECT_TRUE(has(report, "     96       7000       6720    0.96x"));
  EXPECT_FALSE(has(report, " \n"));
}

TEST_F(Tune, ReportFitsATerminal) {
  const std::string report = tune_report(sample());
  for (std::size_t at = 0; at < report.size();) {
    const std::size_t end = report.find('\n', at);
    const std::string line = report.substr(at, end - at);
    if (!line.starts_with(sample().machine.processor)) {
      EXPECT_LE(line.size(), 110U) << line;
    }
    at = end + 1;
  }
}

TEST_F(Tune, OneCoreIsTold) {
  Tuning tuning = sample();
  tuning.machine.cpus_available = 1;
  tuning.blake3 = {};
  EXPECT_TRUE(has(tune_report(tuning), "Only one core available"));
}

TEST_F(Tune, InterruptedRunRecommendsNothing) {
  Tuning tuning = sample();
  tuning.complete = false;
  const std::string report = tune_report(tuning);
  EXPECT_TRUE(has(report, "Interrupted"));
  EXPECT_FALSE(has(report, "export "));
  EXPECT_TRUE(has(report, "0.96x"));
}

TEST_F(Tune, JsonAndBackGivesTheSameTextAndCharts) {
  const Tuning tuning = sample();
  const std::string file = write_json_file(tuning);
  const Outcome text = run({"--from-json", file, "--svg", path("chart.svg"), "--html", path("page.html")});
  EXPECT_EQ(text.exit_code, 0) << text.error;
  EXPECT_EQ(text.out, tune_report(tuning));
  EXPECT_EQ(content(path("chart.svg")), chart::svg(tune_charts(tuning)));
  EXPECT_EQ(content(path("page.html")), tune_page(tuning));
  EXPECT_TRUE(has(text.error, "chart -> ") && has(text.error, "page -> "));

  const Outcome json = run({"--from-json", file, "--json"});
  std::ofstream(path("again.json")) << json.out;
  EXPECT_EQ(run({"--from-json", path("again.json")}).out, text.out);
}

TEST_F(Tune, PageIsCompleteInItself) {
  const std::string page = tune_page(sample());
  EXPECT_FALSE(has(page, "<script") || has(page, "src=") || has(page, "href="));
  EXPECT_TRUE(has(page, "/home/&lt;me&gt;"));
  EXPECT_FALSE(has(page, "<me>"));
  for (const char* part : {"<svg", "<table>", "prefers-color-scheme", "112"}) EXPECT_TRUE(has(page, part)) << part;
}

TEST_F(Tune, FromJsonRefusesWhatIsNone) {
  std::ofstream(path("bad.json")) << "{}";
  const Outcome bad = run({"--from-json", path("bad.json")});
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_TRUE(has(bad.error, "bad.json: not a measurement of cairn tune")) << bad.error;
  EXPECT_EQ(run({"--from-json", path("missing.json")}).exit_code, 2);
}

TEST_F(Tune, OptionsAreChecked) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--margin", "0"},
                                                {"--margin", "x"},
                                                {"--runs", "0"},
                                                {"--runs", "1001"},
                                                {"--show", "--from-json", "x"},
                                                {"what"}}) {
    EXPECT_EQ(run(words).exit_code, 2) << words[0];
  }
}

TEST_F(Tune, ApplyKeepsAndLaterRunsUse) {
  const Outcome applied = run({"--from-json", write_json_file(sample()), "--apply"});
  EXPECT_EQ(applied.exit_code, 0) << applied.error;
  EXPECT_TRUE(has(applied.error, "settings -> " + measure::profile_path()));
  const auto settings = machine_settings(CommonOptions());
  ASSERT_TRUE(settings);
  EXPECT_TRUE(settings->profile_used);
  EXPECT_EQ(settings->blake3_threshold.value, 112U * 1024);
  EXPECT_EQ(settings->blake3_threshold.origin, Origin::Tuned);
  EXPECT_EQ(settings->memory_threads.value, 5U);
  EXPECT_EQ(settings->memory_threads.origin, Origin::Tuned);
  ASSERT_EQ(settings->tuned_kernels.size(), 1U);
  EXPECT_EQ(settings->tuned_kernels[0].name, "scalar");
}

TEST_F(Tune, ApplyRefusesMeasurementsOfAnotherMachine) {
  Tuning tuning = sample();
  tuning.machine.processor = "Another";
  EXPECT_EQ(run({"--from-json", write_json_file(tuning), "--apply"}).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(measure::profile_path()));
}

TEST_F(Tune, NothingIsConcludedFromABusyMachine) {
  Tuning tuning = sample();
  tuning.load = tuning.machine.cpus_available;
  const Outcome refused = run({"--from-json", write_json_file(tuning), "--apply"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_FALSE(has(refused.out, "BORG_BLAKE3_MT_THRESHOLD="));
  EXPECT_FALSE(std::filesystem::exists(measure::profile_path()));
}

TEST_F(Tune, VariablesAndOptionsWin) {
  keep({.blake3_threshold = 64 * 1024, .memory_threads = 3});
  ::setenv("BORG_BLAKE3_MT_THRESHOLD", "512", 1);
  ::setenv("CAIRN_MEMORY_THREADS", "7", 1);
  CommonOptions common;
  common.threads = 5;
  const auto settings = machine_settings(common);
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->blake3_threshold.value, 512U * 1024);
  EXPECT_EQ(settings->blake3_threshold.origin, Origin::Variable);
  EXPECT_EQ(settings->memory_threads.value, 7U);
  EXPECT_EQ(settings->memory_threads.origin, Origin::Variable);
  EXPECT_EQ(settings->threads.value, 5U);
  EXPECT_EQ(settings->threads.origin, Origin::Option);
}

TEST_F(Tune, WithoutAProfileThereAreDefaults) {
  const auto settings = machine_settings(CommonOptions());
  ASSERT_TRUE(settings);
  EXPECT_FALSE(settings->profile_used);
  EXPECT_EQ(settings->blake3_threshold.value, 256U * 1024);
  EXPECT_EQ(settings->blake3_threshold.origin, Origin::Default);
  EXPECT_EQ(settings->memory_threads.value, 8U);
  EXPECT_TRUE(settings->tuned_kernels.empty());
}

TEST_F(Tune, DamagedProfileIsAWarningWithItsPath) {
  std::filesystem::create_directories(directory_ + "/cairn");
  std::ofstream(measure::profile_path()) << "{";
  const Outcome shown = run({"--show"});
  EXPECT_EQ(shown.exit_code, 0);
  EXPECT_TRUE(has(shown.error, measure::profile_path())) << shown.error;
  EXPECT_TRUE(has(shown.out, "from 256 KiB on"));
}

TEST_F(Tune, KernelThatIsNotThereIsAWarning) {
  keep({.kernels = {{"fastcdc", "quantum"}}});
  const Outcome shown = run({"--show"});
  EXPECT_EQ(shown.exit_code, 0);
  EXPECT_TRUE(has(shown.error, "the kernel quantum of fastcdc cannot be used")) << shown.error;
}

TEST_F(Tune, ShowTellsWhereEachSettingComesFrom) {
  keep({.blake3_threshold = Settings::kNever, .kernels = {{"fastcdc", "scalar"}}, .readers = 2});
  ::setenv("CAIRN_MEMORY_THREADS", "4", 1);
  const Outcome shown = run({"--show"});
  EXPECT_EQ(shown.exit_code, 0);
  const auto line_of = [&](const std::string& what) {
    const std::size_t at = shown.out.find("\n" + what) + 1;
    return shown.out.substr(at, shown.out.find('\n', at) - at);
  };
  EXPECT_TRUE(line_of("split BLAKE3").ends_with("tuned") && has(line_of("split BLAKE3"), "never"));
  EXPECT_TRUE(line_of("memory-bound threads").ends_with("variable"));
  EXPECT_TRUE(line_of("threads").ends_with("default"));
  EXPECT_TRUE(line_of("readers").ends_with("tuned"));
  EXPECT_TRUE(line_of("kernel of fastcdc").ends_with("tuned"));
  EXPECT_TRUE(has(line_of("kernel of fastcdc"), "scalar"));
  EXPECT_TRUE(line_of("kernel of buzhash ").ends_with("measured"));
  EXPECT_TRUE(has(shown.out, "memory policy: "));
  EXPECT_TRUE(has(shown.out, measure::profile_path() + ": used"));

  ::setenv("BORG_FASTCDC_KERNEL", "scalar", 1);
  const auto json = nlohmann::json::parse(run({"--show", "--json"}).out);
  EXPECT_EQ(json["memory_threads"]["value"], 4);
  EXPECT_EQ(json["memory_threads"]["origin"], "variable");
}

TEST_F(Tune, MeasuresAndShowsEveryPart) {
  std::ofstream(path("file")) << std::string(100'000, 'x');
  const Outcome measured = run({"--quick", "--runs", "1", "--json", "--readers", directory_});
  ASSERT_EQ(measured.exit_code, 0) << measured.error;
  const auto json = nlohmann::json::parse(measured.out);
  EXPECT_EQ(json["effort"], "quick");
  EXPECT_EQ(json["complete"], true);
  EXPECT_GT(json["memory"]["set"].size(), 0U);
  EXPECT_EQ(json["kernels"].size(), 6U);
  EXPECT_EQ(json["readers"]["points"].size(), 4U);
}

// Runs last: a signal stays caught for the whole process, so this one is a process of its own.
TEST_F(Tune, CtrlCShowsWhatIsKnown) {
  Pipe out;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    catch_signals();
    ::raise(SIGINT);  // it comes before the first measurement; later ones end the same way
    CapturedOutput captured;
    Output output(out.write_end.get(), captured.error.write_end.get());
    const Surroundings none{
        .variable = [](const std::string&) -> std::optional<std::string> { return std::nullopt; },
        .read_file = [](const std::string&) -> Result<std::optional<std::string>> { return std::nullopt; }};
    const std::vector<std::string> words = {"cairn", "tune", "--quick", "--threads", "2"};
    ::_exit(run_program(words, none, output));
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 2);
  const std::string text = drained(out.read_end.get());
  EXPECT_TRUE(has(text, "Interrupted: this is what was known by then")) << text;
}

}  // namespace
}  // namespace cairn::cli

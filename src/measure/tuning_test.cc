// What follows from measurements; measurements as JSON and back; the kept settings as a file and back.
#include "measure/tuning.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "measure/memory_verdict.h"
#include "measure/tuning_json.h"
#include "measure/tuning_profile.h"

namespace cairn::measure {
namespace {

Tuning sample() {
  Tuning tuning;
  tuning.machine = {.platform = "Linux 6.1.0",
                    .architecture = "x86_64",
                    .processor = "A <fast> processor \xC3\xA9",
                    .cpus_available = 12,
                    .cpus_total = 24,
                    .blake3 = "cairn 0.1.0 (avx512)"};
  tuning.threads = 12;
  tuning.effort = "balanced";
  tuning.runs = 5;
  tuning.margin = 1.05;
  tuning.seconds = 17.25;
  tuning.load = 0.5;
  tuning.blake3.points = {{.kib = 64, .single = 7000.5, .many = 3500.25, .ratio = 0.5, .noise = 0.1},
                          {.kib = 96, .single = 7100, .many = 8000, .ratio = 1.126, .noise = 0},
                          {.kib = 128, .single = 7200, .many = 14000, .ratio = 1.944, .noise = 0.02}};
  tuning.blake3.threshold_kib = 96;
  tuning.memory.bytes = std::size_t{1} << 30U;
  for (unsigned n = 1; n <= 12; ++n) {
    const double rate = 9.125 * std::min(n, 5U);
    tuning.memory.set.push_back({.threads = n, .runs = {rate, rate * 0.99}});
    tuning.memory.copy.push_back({.threads = n, .runs = {rate / 2, rate / 2}});
    tuning.memory.hash.push_back({.threads = n, .runs = {rate / 3, rate / 3}});
  }
  tuning.kernels = {{.chunker = "fastcdc",
                     .params = "fastcdc,19,23,21,2",
                     .usual = "avx2",
                     .rates = {{.name = "scalar", .runs = {1000, 1001, 999}},
                               {.name = "avx2", .runs = {2000, 2010, 1990}},
                               {.name = "avx512", .runs = {2500, 2510, 2490}}}},
                    {.chunker = "buzhash",
                     .params = "buzhash,19,23,21,4095",
                     .usual = "scalar",
                     .rates = {{.name = "scalar", .runs = {1000}}, {.name = "lanes", .runs = {1020}}}}};
  tuning.readers = {.directory = "/home", .files = 10, .bytes = 1'000'000, .cached = 0.01};
  tuning.readers->points = {{.readers = 1, .runs = {100, 102}},
                            {.readers = 2, .runs = {180, 182}},
                            {.readers = 4, .runs = {186, 184}},
                            {.readers = 8, .runs = {150, 140}}};
  return tuning;
}

TEST(Recommended, TakesWhatWasMeasuredAndIsSure) {
  const Settings settings = recommended(sample());
  EXPECT_EQ(settings.blake3_threshold, 96U * 1024);
  EXPECT_EQ(settings.memory_threads, 5U);
  EXPECT_EQ(settings.kernels, (std::map<std::string, std::string>{{"fastcdc", "avx512"}}));
  EXPECT_EQ(settings.readers, 2U);
}

TEST(Recommended, NothingFromAnInterruptedRun) {
  Tuning tuning = sample();
  tuning.complete = false;
  EXPECT_EQ(recommended(tuning), Settings());
}

TEST(Recommended, NothingFromUnsureMemoryOrCachedFiles) {
  Tuning tuning = sample();
  for (MemoryPoint& point : tuning.memory.set) point.runs[1] *= 0.5;
  tuning.readers->cached = 0.8;
  EXPECT_EQ(recommended(tuning).memory_threads, std::nullopt);
  EXPECT_EQ(recommended(tuning).readers, std::nullopt);
}

TEST(Recommended, NoThresholdFromRunsThatDiffer) {
  Tuning tuning = sample();
  for (Blake3Point& point : tuning.blake3.points) point.noise = 0.4;
  EXPECT_EQ(recommended(tuning).blake3_threshold, std::nullopt);
}

TEST(Recommended, NeverSplitWhereThreadsNeverWin) {
  Tuning tuning = sample();
  tuning.blake3.threshold_kib.reset();
  EXPECT_EQ(recommended(tuning).blake3_threshold, Settings::kNever);
  tuning.blake3.points.clear();
  EXPECT_EQ(recommended(tuning).blake3_threshold, std::nullopt);
}

TEST(ChunkerKernels, BestIsTheUsualOneUnlessAnotherIsClearlyFaster) {
  ChunkerKernels chunker = sample().kernels[1];
  EXPECT_EQ(chunker.best(), "scalar");
  chunker.rates[1].runs = {1040};
  EXPECT_EQ(chunker.best(), "lanes");
  chunker.rates.clear();
  EXPECT_EQ(chunker.best(), "");
}

TEST(TuningJson, ComesBackAsItWas) {
  const std::string text = tuning_to_json(sample()).dump();
  const auto again = tuning_from_json(text);
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(tuning_to_json(*again).dump(), text);
  EXPECT_EQ(again->blake3.threshold_kib, 96U);
  EXPECT_EQ(again->machine.processor, sample().machine.processor);
  EXPECT_EQ(recommended(*again), recommended(sample()));
}

TEST(TuningJson, PartsThatWereNotMeasuredStayAway) {
  Tuning tuning = sample();
  tuning.memory = {};
  tuning.kernels.clear();
  tuning.readers.reset();
  tuning.blake3 = {};
  tuning.complete = false;
  const auto again = tuning_from_json(tuning_to_json(tuning).dump());
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->memory.set.empty());
  EXPECT_TRUE(again->kernels.empty());
  EXPECT_FALSE(again->readers);
  EXPECT_FALSE(again->complete);
  EXPECT_FALSE(again->blake3.threshold_kib);
}

TEST(TuningJson, ReadsWhatBorgsToolWrites) {
  const auto tuning = tuning_from_json(R"({
 "machine": {"platform": "Linux-6.1", "machine": "x86_64", "processor": "Some CPU", "cpus_available": 12,
             "cpus_total": 16, "python": "3.11.2", "blake3": "1.0.5"},
 "margin": 1.0, "threshold_kib": 256,
 "results": [{"kib": 256, "single": 1000.0, "auto": 2000.0, "ratio": 2.0, "noise": 0.01},
             {"kib": 240, "single": 1000.0, "auto": 900.0, "ratio": 0.9, "noise": 0.01}]})");
  ASSERT_TRUE(tuning);
  EXPECT_EQ(tuning->threads, 12U);
  EXPECT_EQ(tuning->blake3.threshold_kib, 256U);
  EXPECT_EQ(tuning->blake3.points.front().kib, 240U);
}

TEST(TuningJson, RefusesWhatIsNoMeasurement) {
  const std::string good = tuning_to_json(sample()).dump();
  for (const char* text : {"", "[]", "{}", "null", "{\"machine\": {}}", "{\"machine\": {}, \"results\": [1]}",
                           "{\"machine\": {}, \"results\": [{\"kib\": 0, \"single\": 1, \"auto\": 1, \"ratio\": 1}]}",
                           "{\"machine\": {}, \"results\": [{\"kib\": -5, \"single\": 1, \"auto\": 1, \"ratio\": 1}]}",
                           "{\"machine\": {}, \"results\": [], \"memory\": {\"set\": []}}",
                           "{\"machine\": {}, \"results\": [], \"kernels\": 7}"}) {
    EXPECT_FALSE(tuning_from_json(text)) << text;
  }
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_FALSE(tuning_from_json(std::string_view(good).substr(0, length))) << length;
  }
}

TEST(TuningJson, SizesThatComeTwiceAreRefused) {
  Tuning tuning = sample();
  tuning.blake3.points.push_back(tuning.blake3.points.front());
  EXPECT_FALSE(tuning_from_json(tuning_to_json(tuning).dump()));
}

class Profile : public ::testing::Test {
 protected:
  Profile() {
    std::string name = (std::filesystem::temp_directory_path() / "cairn-profile-XXXXXX").string();
    directory_ = ::mkdtemp(name.data());
    path_ = directory_ + "/config/cairn/tuning.json";
  }
  ~Profile() override { std::filesystem::remove_all(directory_); }

  std::string content() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& text) const {
    std::filesystem::create_directories(directory_ + "/config/cairn");
    std::ofstream(path_) << text;
  }

  std::string directory_, path_;
  const Machine here_ = this_machine("");
};

TEST_F(Profile, IsEmptyWhereThereIsNone) {
  const auto loaded = load_profile(path_);
  ASSERT_TRUE(loaded);
  EXPECT_FALSE(*loaded);
}

TEST_F(Profile, ComesBackAsItWasKept) {
  const Settings settings = recommended(sample());
  ASSERT_TRUE(save_profile(path_, here_, settings));
  const auto loaded = load_profile(path_);
  ASSERT_TRUE(loaded && *loaded);
  EXPECT_EQ(**loaded, settings);
  // Nothing else is left there, and it is nobody else's business.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_ + "/config/cairn"), {}), 1);
  struct stat status{};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(Profile, KeepsNeverAndNothing) {
  for (const Settings& settings :
       {Settings{.blake3_threshold = Settings::kNever}, Settings{}, Settings{.blake3_threshold = 0}}) {
    ASSERT_TRUE(save_profile(path_, here_, settings));
    EXPECT_EQ(**load_profile(path_), settings);
  }
}

TEST_F(Profile, AnotherMachineDoesNotUseIt) {
  Machine other = here_;
  other.processor += " II";
  Machine larger = here_;
  larger.cpus_total += 1;
  ASSERT_TRUE(save_profile(path_, other, {.memory_threads = 3}));
  ASSERT_TRUE(save_profile(path_, larger, {.memory_threads = 4}));
  EXPECT_FALSE(*load_profile(path_));
  // And its entry survives ours.
  ASSERT_TRUE(save_profile(path_, here_, {.memory_threads = 5}));
  ASSERT_TRUE(save_profile(path_, here_, {.memory_threads = 6}));
  EXPECT_EQ((**load_profile(path_)).memory_threads, 6U);
  const auto entries = parse_profile(content());
  ASSERT_TRUE(entries);
  EXPECT_EQ(entries->size(), 3U);
}

TEST_F(Profile, DamageIsAnErrorWithThePath) {
  for (const char* text : {"", "{", "[]", "{\"version\": 2, \"machines\": []}", "{\"version\": 1}",
                           "{\"version\": 1, \"machines\": [{}]}"}) {
    write(text);
    const auto loaded = load_profile(path_);
    ASSERT_FALSE(loaded) << text;
    EXPECT_NE(loaded.error().message().find(path_), std::string::npos);
  }
  write(std::string(2'000'000, ' '));
  EXPECT_FALSE(load_profile(path_));
}

TEST_F(Profile, ValuesOutOfRangeAreDamage) {
  for (const char* member : {R"("memory_threads": 0)", R"("memory_threads": "8")", R"("memory_threads": 100000)",
                             R"("blake3_threshold_kib": -1)", R"("blake3_threshold_kib": "often")", R"("readers": 0)",
                             R"("kernels": [])", R"("kernels": {"fastcdc": 7})"}) {
    const std::string text =
        std::string(R"({"version": 1, "machines": [{"processor": "p", "machine": "m", "cpus_total": 1, )") + member +
        "}]}";
    EXPECT_FALSE(parse_profile(text)) << text;
  }
}

TEST_F(Profile, ADamagedOneIsReplaced) {
  write("{");
  ASSERT_TRUE(save_profile(path_, here_, {.readers = 2}));
  EXPECT_EQ((**load_profile(path_)).readers, 2U);
}

TEST_F(Profile, WhatCannotBeWrittenIsAnError) {
  std::ofstream(directory_ + "/config") << "a file";
  EXPECT_FALSE(save_profile(path_, here_, {}));
}

}  // namespace
}  // namespace cairn::measure

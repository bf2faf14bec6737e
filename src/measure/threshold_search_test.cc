// The search against curves that are known: smooth, sawtooth, hopeless, noisy, interrupted.
#include "measure/threshold_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <string>

namespace cairn::measure {
namespace {

Blake3Point point_of(unsigned kib, double ratio) {
  return {.kib = kib, .single = 1000, .many = 1000 * ratio, .ratio = ratio, .noise = 0};
}

struct Searched {
  ThresholdSearch found;
  std::vector<unsigned> asked;        // sizes in the order of measuring
  std::map<unsigned, int> most_runs;  // by size
  Status status;
};

Searched search(const std::function<double(unsigned kib, int time)>& curve, double margin = 1.0,
                Effort effort = Effort::Balanced) {
  Searched searched;
  std::map<unsigned, int> times;
  ThresholdWatch silent;
  searched.status = search_threshold(
      {.ladder = threshold_ladder(effort), .margin = margin, .runs = 5},
      [&](unsigned kib, int runs) -> Result<Blake3Point> {
        searched.asked.push_back(kib);
        searched.most_runs[kib] = std::max(searched.most_runs[kib], runs);
        return point_of(kib, curve(kib, times[kib]++));
      },
      silent, searched.found);
  return searched;
}

double smooth(unsigned kib, int /*time*/) { return kib / 200.0; }

// Best at powers of two, worst just below the next one.
double sawtooth(unsigned kib, int /*time*/) {
  const unsigned power = std::bit_floor(kib);
  return (power / 256.0) * (1.6 - 0.9 * (kib - power) / power);
}

TEST(ThresholdLadder, HasTheSizesOfTheSpecification) {
  EXPECT_EQ(threshold_ladder(Effort::Quick).size(), 15U);
  EXPECT_EQ(threshold_ladder(Effort::Balanced).size(), 46U);
  EXPECT_EQ(threshold_ladder(Effort::Balanced).back(), 4096U);
  const auto thorough = threshold_ladder(Effort::Thorough);
  EXPECT_EQ(thorough.size(), 11U + 121U);
  EXPECT_EQ(thorough[11], 128U);
  EXPECT_EQ(thorough.back(), 2048U);
  for (const Effort effort : {Effort::Quick, Effort::Balanced, Effort::Thorough}) {
    const auto ladder = threshold_ladder(effort);
    EXPECT_TRUE(std::ranges::is_sorted(ladder));
    EXPECT_TRUE(std::ranges::any_of(ladder, [](unsigned kib) { return !std::has_single_bit(kib); }));
  }
}

TEST(ThresholdOf, TakesTheStartOfTheUnbrokenWinningEnd) {
  const std::vector<Blake3Point> points = {point_of(4, 2), point_of(8, 0.9), point_of(16, 1.0), point_of(32, 1.5)};
  EXPECT_EQ(threshold_of(points, 1.0), 16U);
  EXPECT_EQ(threshold_of(points, 1.2), 32U);
  EXPECT_EQ(threshold_of(points, 0.5), 4U);
  EXPECT_EQ(threshold_of(points, 1.6), std::nullopt);
  EXPECT_EQ(threshold_of({}, 1.0), std::nullopt);
}

TEST(SizesToProbe, StandBelowPowersOfTwoAndBetweenThem) {
  const std::vector<Blake3Point> points = {point_of(64, 2), point_of(96, 2), point_of(128, 2)};
  // 128-48=80, 128-16=112; 64*5/4=80, 6/4=96 (known), 7/4=112; 256-112=144 is too large.
  EXPECT_EQ(sizes_to_probe(points, 64, 128), (std::vector<unsigned>{80, 112}));
  EXPECT_EQ(sizes_to_probe({}, 1, 8), (std::vector<unsigned>{1, 2, 3, 5, 6, 7}));
  EXPECT_TRUE(sizes_to_probe(points, 129, 128).empty());
}

TEST(ThresholdSearch, SmoothCurveGivesItsFirstWinningSize) {
  const Searched searched = search(smooth);
  ASSERT_TRUE(searched.status);
  EXPECT_EQ(searched.found.threshold_kib, 208U);
  EXPECT_EQ(searched.most_runs.at(192), 15);  // the deciding point
  EXPECT_EQ(searched.most_runs.at(176), 5);
}

TEST(ThresholdSearch, MeasuresTheLadderFirstAndInOrder) {
  const Searched searched = search(smooth);
  const auto ladder = threshold_ladder(Effort::Balanced);
  ASSERT_GE(searched.asked.size(), ladder.size());
  EXPECT_TRUE(std::equal(ladder.begin(), ladder.end(), searched.asked.begin()));
}

TEST(ThresholdSearch, ResultIsAscendingAndHasEverySizeOnce) {
  const Searched searched = search(sawtooth);
  const auto& points = searched.found.points;
  EXPECT_EQ(std::ranges::adjacent_find(points, std::ranges::greater_equal{}, &Blake3Point::kib), points.end());
  for (const unsigned kib : searched.asked) {
    EXPECT_NE(std::ranges::find(points, kib, &Blake3Point::kib), points.end()) << kib;
  }
}

TEST(ThresholdSearch, ProbesDisproveWhatRoundNumbersPromise) {
  // The quick ladder has 384 and 496, and nothing between them: only a probe at 512 - 48 finds this hole.
  const auto curve = [](unsigned kib, int) { return kib >= 144 && kib != 464 ? 2.0 : 0.5; };
  const Searched searched = search(curve, 1.0, Effort::Quick);
  ASSERT_TRUE(searched.found.threshold_kib);
  EXPECT_GT(*searched.found.threshold_kib, 464U);
  EXPECT_EQ(searched.most_runs.at(464), 15);
}

TEST(ThresholdSearch, SawtoothIsNeverBelowMarginAtOrAboveTheResult) {
  for (const Effort effort : {Effort::Quick, Effort::Balanced, Effort::Thorough}) {
    const Searched searched = search(sawtooth, 1.0, effort);
    ASSERT_TRUE(searched.found.threshold_kib);
    for (const Blake3Point& point : searched.found.points) {
      if (point.kib < *searched.found.threshold_kib) continue;
      EXPECT_GE(point.ratio, 1.0) << point.kib;
    }
    // 256 itself is a peak (1.6x), and a ladder of round numbers would recommend it; 496 has 0.76x.
    EXPECT_GT(*searched.found.threshold_kib, 496U);
  }
}

TEST(ThresholdSearch, HopelessCurveHasNoThreshold) {
  const Searched searched = search([](unsigned, int) { return 0.7; });
  ASSERT_TRUE(searched.status);
  EXPECT_EQ(searched.found.threshold_kib, std::nullopt);
  EXPECT_EQ(searched.most_runs.at(4096), 15);  // the deciding point: the largest
}

TEST(ThresholdSearch, AlwaysWinningGivesTheSmallestSize) {
  const Searched searched = search([](unsigned, int) { return 3.0; });
  EXPECT_EQ(searched.found.threshold_kib, 4U);
}

TEST(ThresholdSearch, OneUnluckyMeasurementIsPutRight) {
  // 960 loses at its first measurement only.
  const auto curve = [](unsigned kib, int time) { return kib == 960 && time == 0 ? 0.8 : smooth(kib, time); };
  const Searched searched = search(curve);
  EXPECT_EQ(searched.found.threshold_kib, 208U);
}

TEST(ThresholdSearch, NoisyCurveEndsAndKeepsItsPromise) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    unsigned state = seed;
    const auto curve = [&state](unsigned kib, int) {
      state = state * 1664525U + 1013904223U;
      return kib / 300.0 * (0.7 + 0.6 * (state >> 16U) / 65536.0);
    };
    const Searched searched = search(curve);
    ASSERT_TRUE(searched.status);
    ASSERT_TRUE(searched.found.threshold_kib);
    EXPECT_EQ(searched.found.threshold_kib, threshold_of(searched.found.points, 1.0));
    EXPECT_LT(searched.asked.size(), 46U + 84U + 8U);
  }
}

TEST(ThresholdSearch, MarginIsRespected) {
  EXPECT_EQ(search(smooth, 2.0).found.threshold_kib, 416U);
  EXPECT_EQ(search(smooth, 100.0).found.threshold_kib, std::nullopt);
}

TEST(ThresholdSearch, InterruptionKeepsWhatIsKnown) {
  ThresholdSearch found;
  ThresholdWatch silent;
  int left = 10;
  const Status status = search_threshold(
      {.ladder = threshold_ladder(Effort::Balanced)},
      [&](unsigned kib, int) -> Result<Blake3Point> {
        if (left-- == 0) return fail(Code::Interrupted, "enough");
        return point_of(kib, 2);
      },
      silent, found);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), Code::Interrupted);
  EXPECT_EQ(found.points.size(), 10U);
  EXPECT_EQ(found.threshold_kib, 4U);
}

class Recorder final : public ThresholdWatch {
 public:
  std::string text;
  void measured(const Blake3Point&) override { text += 'm'; }
  void verifying(unsigned, std::size_t) override { text += 'v'; }
  void probed(const Blake3Point& point, unsigned candidate) override { text += point.kib >= candidate ? 'p' : '!'; }
  void measuring_again(const Blake3Point&, int runs) override { text += runs == 15 ? 'a' : '!'; }
  void measured_again(const Blake3Point& before, const Blake3Point& now) override {
    text += before.kib == now.kib ? 'A' : '!';
  }
};

TEST(ThresholdSearch, TellsItsStepsInOrder) {
  ThresholdSearch found;
  Recorder recorder;
  ASSERT_TRUE(search_threshold(
      {.ladder = {64, 96, 128}},
      [](unsigned kib, int) -> Result<Blake3Point> { return point_of(kib, kib == 80 ? 0.5 : 2); }, recorder, found));
  // 80 and 112 are probed; 80 loses, is measured again, and 96 is what remains.
  EXPECT_EQ(recorder.text, "mmmvppaA");
  EXPECT_EQ(found.threshold_kib, 96U);
}

TEST(Median, OfOddAndEvenCounts) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({7}), 7);
}

}  // namespace
}  // namespace cairn::measure

#include "archive/summary.h"

#include <gtest/gtest.h>

namespace cairn::archive {
namespace {

TEST(Summary, ComesFromTheMetadata) {
  Metadata metadata;
  metadata.name = "home";
  metadata.time = "2020-01-02T03:04:05.000000+01:00";
  metadata.end = "2026-11-30T14:11:35.924699+00:00";
  metadata.tags = {"@PROT", "x"};
  metadata.size = 7;
  const auto summary = summarize({}, metadata);
  ASSERT_TRUE(summary.has_value());
  EXPECT_EQ(summary->time, 1'577'930'645 * kSecond);
  EXPECT_EQ(summary->start, summary->time);  // not recorded
  EXPECT_EQ(summary->end, 1'796'047'895'924'699'000);
  EXPECT_EQ(summary->size, 7U);
  EXPECT_TRUE(summary->is_protected());
  EXPECT_EQ(summary->tags_text(), "@PROT,x");
}

TEST(Summary, ATimeWithoutOffsetIsUtc) {
  Metadata metadata;
  metadata.time = "2020-01-02T03:04:05";
  EXPECT_EQ(summarize({}, metadata)->time, 1'577'934'245 * kSecond);
  metadata.time = "yesterday";
  EXPECT_EQ(summarize({}, metadata).error().code(), Code::Integrity);
}

TEST(Summary, BrokenArchivesHaveSpecialNamesAndNoTime) {
  EXPECT_EQ(missing_archive({}).name, "archive-does-not-exist");
  EXPECT_EQ(missing_archive({}).time, 0);
  EXPECT_EQ(missing_archive({}).time_text, "1970-01-01T00:00:00.000000+00:00");
  EXPECT_EQ(damaged_archive({}).name, "archive-metadata-has-integrity-error");
  EXPECT_EQ(damaged_archive({}).problem, ArchiveSummary::Problem::Damaged);
}

}  // namespace
}  // namespace cairn::archive

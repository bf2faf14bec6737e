// Text and records as in docs/format (transcripts: create --progress, extract --progress, check --log-json --progress).
#include "cli/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/ioctl.h>

#include "cli/captured_output_test.h"

namespace cairn::cli {
namespace {

struct Progress : testing::Test {
  CapturedOutput captured;
  SetClock clock;
  ProgressOutput text{captured.output, {.enabled = true}, clock};
  ProgressOutput json{captured.output, {.enabled = true, .json = true}, clock};
};

TEST_F(Progress, ArchiveLinesAreLimitedPerSecond) {
  ArchiveProgress progress(text);
  ArchiveCounts counts{.original_size = 8388682, .nfiles = 7, .path = "src/sparse"};
  progress.show(counts);
  counts.path = "too soon";
  progress.show(counts);
  clock.time += kSecond / 5;
  counts.path = "next";
  progress.show(counts);
  progress.finish();
  EXPECT_EQ(captured.error_text(), "8.39 MB O 0 B U 7 N src/sparse\n8.39 MB O 0 B U 7 N next\n\n");
}

TEST_F(Progress, ArchiveRecords) {
  ArchiveProgress progress(json);
  progress.show({.original_size = 8388682,
                 .nfiles = 7,
                 .hashing_time = 0.5,
                 .files_stats = {{'A', 6}, {'d', 3}},
                 .path = "src/sparse"});
  progress.finish();
  EXPECT_EQ(
      captured.error_text(),
      "{\"original_size\": 8388682, \"deduplicated_size\": 0, \"nfiles\": 7, \"hashing_time\": 0.5, "
      "\"chunking_time\": 0.0, \"files_stats\": {\"A\": 6, \"d\": 3}, \"store_stats\": {}, \"path\": \"src/sparse\", "
      "\"time\": 1796050002.5, \"type\": \"archive_progress\", \"finished\": false}\n"
      "{\"time\": 1796050002.5, \"type\": \"archive_progress\", \"finished\": true}\n");
}

TEST_F(Progress, PercentLinesOfExtract) {
  PercentProgress progress(text, kExtractPercent);
  progress.announce("Calculating");
  progress.set_total(13);
  progress.advance(6, "dir2/hard");
  progress.advance(7, "dir2/x.o");
  progress.finish();
  EXPECT_EQ(captured.error_text(), "Calculating\n  0.0% Extracting: dir2/hard\n 46.2% Extracting: dir2/x.o\n\n");
}

TEST_F(Progress, PercentRecordsAndOperationNumbers) {
  PercentProgress extract(json, kExtractPercent, 13);
  extract.advance(6, "a");
  extract.finish();
  PercentProgress check(json, kCheckArchivesPercent, 8);
  check.advance();
  EXPECT_EQ(
      captured.error_text(),
      "{\"message\": \"  0.0% Extracting: a\", \"current\": 6, \"total\": 13, \"info\": [\"a\"], \"operation\": 1, "
      "\"msgid\": \"extract\", \"type\": \"progress_percent\", \"finished\": false, \"time\": 1796050002.5}\n"
      "{\"message\": \"\", \"operation\": 1, \"msgid\": \"extract\", \"type\": \"progress_percent\", \"finished\": "
      "true, \"time\": 1796050002.5}\n"
      "{\"message\": \"Checking archives 0.0%\", \"current\": 1, \"total\": 8, \"info\": null, \"operation\": 2, "
      "\"msgid\": \"check.rebuild_archives\", \"type\": \"progress_percent\", \"finished\": false, \"time\": "
      "1796050002.5}\n");
}

TEST_F(Progress, PercentagesFollowTheirStep) {
  PercentProgress progress(text, kPrunePercent, 100);
  for (int i = 0; i < 12; ++i) progress.advance();
  EXPECT_EQ(captured.error_text(), "Pruning archives   0%\nPruning archives   5%\nPruning archives  10%\n");
}

// What the last rewritten line says, at 100 columns.
TEST(ProgressOnATerminal, SaysHowFastAndHowLongStill) {
  const auto last_line = [](const PercentKind& kind, std::uint64_t total, std::uint64_t done, double seconds) {
    int master = -1, slave = -1;
    winsize size{.ws_row = 25, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
    EXPECT_EQ(::openpty(&master, &slave, nullptr, nullptr, &size), 0);
    const Fd reader(master), terminal(slave);
    Output output(slave, slave);
    SetClock clock;
    ProgressOutput progress_output(output, {.enabled = true}, clock);
    PercentProgress progress(progress_output, kind, total);
    progress.advance(done, "a/file");
    clock.time += static_cast<Nanoseconds>(seconds * 1e9);
    progress.advance(1, "a/file");
    const std::string text = drained(master);
    return text.substr(text.rfind('\r') + 1);
  };
  EXPECT_THAT(last_line(kExtractPercent, 4'000'000'000, 1'000'000'000, 10),
              testing::HasSubstr("25.0% Extracting: a/file  100.00 MB/s, 0:30 left"));
  EXPECT_THAT(last_line(kCheckPacksPercent, 12'000, 3'000, 60),
              testing::HasSubstr("Checking packs  25%  50 packs/s, 3:00 left"));
  EXPECT_THAT(last_line(kCheckArchivesPercent, 40, 10, 20),
              testing::HasSubstr("Checking archives 25.0%  0.5 archives/s, 1:00 left"));
  EXPECT_THAT(last_line(kCheckPacksPercent, 12'000, 3'000, 1.5), testing::Not(testing::HasSubstr("left")));
}

// An archive of which the half is through after ten seconds.
struct ArchiveOnATerminal : testing::Test {
  static std::string last_line(ArchiveTotal total, const ArchiveCounts& counts, double seconds = 10) {
    int master = -1, slave = -1;
    winsize size{.ws_row = 25, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
    EXPECT_EQ(::openpty(&master, &slave, nullptr, nullptr, &size), 0);
    const Fd reader(master), terminal(slave);
    Output output(slave, slave);
    SetClock clock;
    ProgressOutput progress_output(output, {.enabled = true}, clock);
    ArchiveProgress progress(progress_output, total);
    clock.time += static_cast<Nanoseconds>(seconds * 1e9);
    progress.show(counts);
    const std::string text = drained(master);
    return text.substr(text.rfind('\r') + 1);
  }
};

TEST_F(ArchiveOnATerminal, SaysHowFarFromTheTotal) {
  EXPECT_THAT(
      last_line({.size = 4'000'000'000, .nfiles = 4}, {.original_size = 1'000'000'000, .nfiles = 1, .path = "a/file"}),
      testing::HasSubstr("a/file  25%, 100.00 MB/s, 0:30 left"));
}

TEST_F(ArchiveOnATerminal, ManyEmptyFilesCountByNumber) {
  EXPECT_THAT(last_line({.size = 30'000'000, .nfiles = 100'000}, {.nfiles = 50'000, .path = "a/file"}),
              testing::HasSubstr("a/file  49%, 0 B/s, 0:10 left"));
}

TEST_F(ArchiveOnATerminal, WhatIsLeftOutIsDoneToo) {
  EXPECT_THAT(last_line({.size = 4'000'000'000, .nfiles = 4}, {.original_size = 1'000'000'000,
                                                               .nfiles = 1,
                                                               .excluded_size = 1'000'000'000,
                                                               .excluded_files = 1,
                                                               .path = "a/file"}),
              testing::HasSubstr("a/file  50%, 100.00 MB/s, 0:10 left"));
}

TEST_F(ArchiveOnATerminal, PromisesNothingWithoutATotalOrTooEarlyOrPastTheEnd) {
  const ArchiveCounts counts{.original_size = 1'000'000'000, .nfiles = 1, .path = "a/file"};
  EXPECT_THAT(last_line({}, counts), testing::EndsWith("a/file  100.00 MB/s"));
  EXPECT_THAT(last_line({.size = 900'000'000, .nfiles = 1}, counts), testing::EndsWith("a/file  100.00 MB/s"));
  EXPECT_THAT(last_line({.size = 4'000'000'000, .nfiles = 4}, counts, 1.5), testing::Not(testing::HasSubstr("left")));
  EXPECT_THAT(last_line({.size = 4'000'000'000, .nfiles = 4}, counts, 0.5), testing::EndsWith("a/file"));
}

TEST_F(Progress, Messages) {
  MessageProgress progress(json, "cache.close");
  progress.show("Saving files cache");
  progress.finish();
  EXPECT_EQ(captured.error_text(),
            "{\"message\": \"Saving files cache\", \"operation\": 1, \"msgid\": \"cache.close\", \"type\": "
            "\"progress_message\", \"finished\": false, \"time\": 1796050002.5}\n"
            "{\"message\": \"\", \"operation\": 1, \"msgid\": \"cache.close\", \"type\": \"progress_message\", "
            "\"finished\": true, \"time\": 1796050002.5}\n");
}

TEST_F(Progress, ItemsAreCountedFromEachBeginning) {
  ItemProgress progress(text, "find");
  progress.begin("Searching a (1/2)");
  for (int i = 0; i < 640; ++i) progress.count();  // too soon
  clock.time += kSecond / 5;
  for (int i = 0; i < 640; ++i) progress.count();
  progress.begin("Searching b (2/2)");
  progress.finish();
  EXPECT_EQ(captured.error_text(),
            "Searching a (1/2): 0 items\nSearching a (1/2): 704 items\nSearching b (2/2): 0 items\n\n");
}

TEST_F(Progress, ItemRecordsAreMessages) {
  ItemProgress progress(json, "diff");
  progress.begin("Comparing a and b");
  progress.finish();
  EXPECT_EQ(captured.error_text(),
            "{\"message\": \"Comparing a and b: 0 items\", \"operation\": 1, \"msgid\": \"diff\", \"type\": "
            "\"progress_message\", \"finished\": false, \"time\": 1796050002.5}\n"
            "{\"message\": \"\", \"operation\": 1, \"msgid\": \"diff\", \"type\": \"progress_message\", "
            "\"finished\": true, \"time\": 1796050002.5}\n");
}

TEST_F(Progress, NothingUnlessAskedFor) {
  ProgressOutput off(captured.output, {}, clock);
  ArchiveProgress(off).finish();
  PercentProgress(off, kPrunePercent, 3).advance();
  MessageProgress(off, "x").show("y");
  ItemProgress items(off, "x");
  items.begin("y");
  items.finish();
  EXPECT_EQ(captured.error_text(), "");
}

}  // namespace
}  // namespace cairn::cli

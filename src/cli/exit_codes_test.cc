#include "cli/exit_codes.h"

#include <gtest/gtest.h>

namespace cairn::cli {
namespace {

int combined(std::initializer_list<int> codes, bool legacy = false) {
  ExitStatus status;
  for (const int code : codes) status.note(code);
  return status.result(legacy);
}

TEST(ExitStatus, SeverityDecides) {
  EXPECT_EQ(combined({}), 0);
  EXPECT_EQ(combined({107}), 107);
  EXPECT_EQ(combined({107, 107}), 107);
  EXPECT_EQ(combined({107, 100}), 1);
  EXPECT_EQ(combined({107, 100, 107}), 1);
  EXPECT_EQ(combined({107, 2, 100}), 2);
  EXPECT_EQ(combined({2, 90}), 2);
  EXPECT_EQ(combined({107, 143, 2}), 143);
}

TEST(ExitStatus, LegacyHasOneErrorAndOneWarning) {
  EXPECT_EQ(combined({107}, true), 1);
  EXPECT_EQ(combined({73, 107}, true), 2);
  EXPECT_EQ(combined({143}, true), 143);
  EXPECT_EQ(combined({}, true), 0);
}

TEST(ExitStatus, TheErrorThatEndsTheRunIsFinal) {
  ExitStatus status;
  status.note(Code::BackupNotFound);
  status.finish_with(exit_code_of(Code::LockTimeout));
  EXPECT_EQ(status.result(false), 73);
}

TEST(ExitStatus, TheCodeOfAChildIsNotRenumbered) {
  ExitStatus status;
  status.note(Code::BackupNotFound);
  status.finish_with_child(7);
  EXPECT_EQ(status.result(false), 7);
  EXPECT_EQ(status.result(true), 7);
}

TEST(ExitCodes, LinesAreBorgs) {
  const auto line = [](Code code, const char* message) { return error_line(Error(code, message)); };
  EXPECT_EQ(line(Code::Error, "missing repository, please use --repo or BORG_REPO env var!"),
            "Error: missing repository, please use --repo or BORG_REPO env var!");
  EXPECT_EQ(line(Code::Command, "x"), "Command error: x");
  EXPECT_EQ(line(Code::Integrity, "x"), "Data integrity error: x");
  EXPECT_EQ(line(Code::Decompression, "x"), "Decompression error: x");
  EXPECT_EQ(line(Code::Cancelled, ""), "Cancelled by user.");
  EXPECT_EQ(line(Code::RepositoryDoesNotExist, "Repository /x does not exist."), "Repository /x does not exist.");
  EXPECT_EQ(line(Code::CorruptIndexFragment, "abc"),
            "Chunk index fragment abc is corrupt. Run \"borg check --repair\" to rebuild the chunk index.");
  EXPECT_EQ(error_line(Error(Code::Integrity, "x").at("reading pack 3f")), "Data integrity error: x (reading pack 3f)");
}

TEST(ExitCodes, EveryCodeHasOne) {
  for (int i = 0; i <= static_cast<int>(Code::BackupDamagedChunks); ++i)
    EXPECT_GT(exit_code_of(static_cast<Code>(i)), 1) << i;
  EXPECT_EQ(message_id_of(Code::RepositoryDoesNotExist), "Repository.DoesNotExist");
  EXPECT_EQ(exit_code_of(Code::BackupDamagedChunks), 113);
}

}  // namespace
}  // namespace cairn::cli

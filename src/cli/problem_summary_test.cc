#include "cli/problem_summary.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <nlohmann/json.hpp>

namespace cairn::cli {
namespace {

Error denied() { return {Code::BackupPermission, "a: open: [Errno 13] Permission denied: 'a'", EACCES}; }

TEST(ProblemSummary, TheLargestGroupComesFirstWithItsFirstPaths) {
  ProblemSummary summary;
  EXPECT_TRUE(summary.empty());
  summary.add("changed", Error(Code::FileChanged, "changed: file changed while we backed it up."));
  for (int i = 0; i < 7; ++i) summary.add("d" + std::to_string(i), denied());
  summary.add("odd", Error(Code::Backup, "Unknown file type: odd"));
  EXPECT_FALSE(summary.empty());
  const nlohmann::json expected = {
      {{"reason", "permission denied"}, {"count", 7}, {"first_paths", {"d0", "d1", "d2", "d3", "d4"}}},
      {{"reason", "changed while being read"}, {"count", 1}, {"first_paths", nlohmann::json::array({"changed"})}},
      {{"reason", "other reasons"}, {"count", 1}, {"first_paths", nlohmann::json::array({"odd"})}}};
  EXPECT_EQ(summary.json(), expected);
}

// Whoever counts the warnings by their words must not count the summary.
TEST(ProblemSummary, ItsWordsAreNotThoseOfTheWarnings) {
  ProblemSummary summary;
  const Error errors[] = {denied(), Error(Code::FileChanged, "p: file changed while we backed it up."),
                          Error(Code::BackupIo, "p: read: [Errno 5] Input/output error: 'p'", EIO),
                          Error(Code::BackupBrokenSymlink, "p: stat: broken symlink, skipping it")};
  for (const Error& error : errors) summary.add("p", error);
  const nlohmann::json groups = summary.json();
  EXPECT_EQ(groups.size(), 4U);
  for (const auto& group : groups) {
    const std::string reason = group["reason"];
    for (const Error& error : errors) EXPECT_EQ(error.message().find(reason), std::string::npos) << reason;
  }
}

}  // namespace
}  // namespace cairn::cli

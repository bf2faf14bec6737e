#include "cli/tips.h"

#include <gtest/gtest.h>

namespace cairn::cli {
namespace {

TEST(Tips, SayWhatToDo) {
  const auto tip = [](Code code, const char* message) {
    return std::string(tip_for(Error(code, message)).value_or(""));
  };
  EXPECT_NE(tip(Code::Command, "['a'] needed to match precisely one archive, but matched 0.").find("repo-list"),
            std::string::npos);
  EXPECT_NE(tip(Code::Command, "['a'] needed to match precisely one archive, but matched 10.").find("aid:"),
            std::string::npos);
  EXPECT_EQ(tip(Code::Command, "Aborting: ..."), "");
  EXPECT_NE(tip(Code::NoSpace, "").find("repo-space --free"), std::string::npos);
  EXPECT_NE(tip(Code::LockTimeout, "").find("break-lock"), std::string::npos);
  EXPECT_NE(tip(Code::Error, "You must use the same chunker secret or").find("--other-repo"), std::string::npos);
  EXPECT_EQ(tip(Code::Usage, "x"), "");
}

}  // namespace
}  // namespace cairn::cli

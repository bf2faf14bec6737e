#include "archive/names.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace cairn::archive {
namespace {

// Recorded from borg.helpers.parseformat: archivename_validator, tag_validator, comment_validator.
TEST(Names, AreAcceptedAndRefusedAsBorgDoes) {
  const auto cases = nlohmann::json::parse(std::ifstream(CAIRN_TEST_DATA "/vectors/archive_names.json"));
  ASSERT_GT(cases.size(), 100U);
  for (const auto& entry : cases) {
    const std::string kind = entry[0];
    const std::string text = entry[1];
    const Status status = kind == "name"  ? check_archive_name(text)
                          : kind == "tag" ? check_tag(text)
                                          : check_comment(text);
    const std::string expected = entry[2].is_null() ? "" : entry[2].get<std::string>();
    EXPECT_EQ(status ? "" : status.error().message(), expected) << kind << " " << text;
  }
}

TEST(Names, MustBeUnicode) {
  EXPECT_EQ(check_archive_name("a\xff").error().message(),
            "Invalid archive name: \"a\xff\" [contains non-unicode characters]");
  EXPECT_EQ(check_tag("a\xff").error().code(), Code::Usage);
}

TEST(Names, CommentsMayBeLong) {
  EXPECT_TRUE(check_comment(std::string(10'000, 'x')));
  EXPECT_FALSE(check_comment(std::string(10'001, 'x')));
}

}  // namespace
}  // namespace cairn::archive

#include "base/shell_words.h"

#include <gtest/gtest.h>

namespace cairn {
namespace {

using Words = std::vector<std::string>;

// Expected values: shlex.split and shlex.join of Python 3.11.
TEST(SplitWords, FollowsShlex) {
  const std::vector<std::pair<std::string, Words>> cases = {
      {"", {}},
      {" \t\r\n ", {}},
      {"pass show borg", {"pass", "show", "borg"}},
      {"  a\tb\r\nc  ", {"a", "b", "c"}},
      {"''", {""}},
      {"\"\" x", {"", "x"}},
      {"a''b", {"ab"}},
      {"'a b' \"c d\"", {"a b", "c d"}},
      {"'it'\"'\"'s'", {"it's"}},
      {R"(a\ b)", {"a b"}},
      {R"('a\b')", {R"(a\b)"}},
      {R"("a\b")", {R"(a\b)"}},
      {R"("a\"b\\c\$d")", {R"(a"b\c\$d)"}},
      {R"(\"a\')", {"\"a'"}},
      {"a\\\nb", {"a\nb"}},
      {"x # no comment; $HOME `y` *", {"x", "#", "no", "comment;", "$HOME", "`y`", "*"}},
      {"na\xc3\xafve \xff", {"na\xc3\xafve", "\xff"}},
  };
  for (const auto& [line, words] : cases) {
    const auto split = split_words(line);
    ASSERT_TRUE(split) << line;
    EXPECT_EQ(*split, words) << line;
  }
}

TEST(SplitWords, OpenQuotesAndEscapesAreErrors) {
  for (const char* line : {"'", "a 'b", "\"", "\"a\\\"", "'a\\'b'"}) {
    const auto split = split_words(line);
    ASSERT_FALSE(split) << line;
    EXPECT_EQ(split.error().message(), "No closing quotation") << line;
  }
  for (const char* line : {"\\", "a \\", "\"a\\"}) {
    const auto split = split_words(line);
    ASSERT_FALSE(split) << line;
    EXPECT_EQ(split.error().message(), "No escaped character") << line;
  }
}

TEST(QuoteWord, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(quote_word("aZ09_@%+=:,./-"), "aZ09_@%+=:,./-");
  EXPECT_EQ(quote_word(""), "''");
  EXPECT_EQ(quote_word("a b"), "'a b'");
  EXPECT_EQ(quote_word("it's"), "'it'\"'\"'s'");
  EXPECT_EQ(quote_word("~"), "'~'");
  EXPECT_EQ(quote_word("\xc3\xaf"), "'\xc3\xaf'");
  const Words words = {"borg", "create", "a b", ""};
  EXPECT_EQ(join_words(words), "borg create 'a b' ''");
  EXPECT_EQ(join_words({}), "");
}

TEST(QuoteWord, EveryTextComesBack) {
  // All texts of up to four characters over those with a meaning.
  const std::string alphabet = "a'\"\\ \n$#";
  std::vector<std::string> texts = {""};
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (texts[i].size() < 4)
      for (const char c : alphabet) texts.push_back(texts[i] + c);
  ASSERT_EQ(texts.size(), 1U + 8 + 64 + 512 + 4096);
  for (const std::string& text : texts) {
    const Words words = {text, "x", text};
    const auto split = split_words(join_words(words));
    ASSERT_TRUE(split) << text;
    ASSERT_EQ(*split, words);
  }
}

}  // namespace
}  // namespace cairn

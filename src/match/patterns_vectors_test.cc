// Borg's own answers to random patterns and paths (tests/make_pattern_vectors.py).

#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "match/patterns.h"

namespace cairn::match {
namespace {

using Json = nlohmann::json;

// The vectors hold bytes as Latin-1.
std::string bytes(const Json& json) {
  const std::string text = json.get<std::string>();
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x80) {
      out += text[i];
    } else {
      ++i;
      out += static_cast<char>((c & 0x03u) << 6 | (static_cast<unsigned char>(text[i]) & 0x3Fu));
    }
  }
  return out;
}

class Vectors : public testing::Test {
 protected:
  void SetUp() override {
    std::ifstream in(CAIRN_TEST_DATA "/vectors/patterns.json");
    ASSERT_TRUE(in);
    in >> json_;
    for (const Json& path : json_["paths"]) paths_.push_back(bytes(path));
  }
  const std::string& path(const Json& index) const { return paths_.at(index.get<std::size_t>()); }

  Json json_;
  std::vector<std::string> paths_;
};

TEST_F(Vectors, StylesAnswerAsBorgDoes) {
  for (const Json& row : json_["styles"]) {
    const std::string pattern = row[0].get<std::string>() + ":" + bytes(row[1]);
    Matcher matcher;
    const Status added = matcher.add_pattern("+ " + pattern);
    matcher.set_fallback(false);
    EXPECT_EQ(added.has_value(), !row[3].is_null()) << pattern;
    if (!added || row[3].is_null()) continue;
    const std::string answers = row[3].get<std::string>();
    for (std::size_t i = 0; i < answers.size(); ++i) {
      EXPECT_EQ(matcher.match(path(row[2][i])).include, answers[i] == '1') << pattern << " on " << path(row[2][i]);
    }
  }
}

TEST_F(Vectors, ShellGlobsAnswerAsBorgDoes) {
  for (const Json& row : json_["globs"]) {
    const std::string pattern = bytes(row[0]);
    const Result<ShellGlob> glob = ShellGlob::compile(pattern);
    EXPECT_EQ(glob.has_value(), !row[2].is_null()) << pattern;
    if (!glob || row[2].is_null()) continue;
    const std::string answers = row[2].get<std::string>();
    for (std::size_t i = 0; i < answers.size(); ++i) {
      EXPECT_EQ(glob->matches(path(row[1][i])), answers[i] == '1') << pattern << " on " << path(row[1][i]);
    }
  }
}

TEST_F(Vectors, ListsDecideAsBorgDoes) {
  for (const Json& row : json_["lists"]) {
    Matcher matcher;
    for (const Json& line : row[0]) ASSERT_TRUE(matcher.add_pattern(bytes(line))) << bytes(line);
    for (const Json& argument : row[1]) ASSERT_TRUE(matcher.add_path(bytes(argument))) << bytes(argument);
    const std::string answers = row[3].get<std::string>();
    for (std::size_t i = 0; i < row[2].size(); ++i) {
      const Decision decision = matcher.match(path(row[2][i]));
      EXPECT_EQ(decision.include, answers[2 * i] == '1') << row[0] << row[1] << path(row[2][i]);
      EXPECT_EQ(decision.recurse, answers[2 * i + 1] == '1') << row[0] << row[1] << path(row[2][i]);
    }
  }
}

}  // namespace
}  // namespace cairn::match

#include "crypt/paper_key.h"

#include <gtest/gtest.h>

#include <sstream>

#include "crypt/key_blob.h"
#include "crypt/vectors_test.h"

namespace cairn::crypt {
namespace {

const RepositoryId& repository() {
  static const RepositoryId id = testing::vector_material().repository_id;
  return id;
}

std::string blob_text() {
  const auto& all = testing::vectors();
  return all.at("key_blobs").at(all.at("paper_key").at("of_key_blob").get<std::size_t>()).at("text");
}

// The lines to type: without the three that introduce them and without the numbers.
std::vector<std::string> typed_lines(const std::string& paper) {
  std::vector<std::string> lines;
  std::istringstream input(paper);
  for (std::string line; std::getline(input, line);)
    if (const std::size_t colon = line.find(": "); colon != std::string::npos) lines.push_back(line.substr(colon + 2));
  return lines;
}

TEST(PaperKey, EqualsTheVector) {
  EXPECT_EQ(paper_key(blob_text(), repository()).value(),
            testing::vectors().at("paper_key").at("text").get<std::string>());
}

TEST(PaperKey, NotAKeyIsAnError) {
  EXPECT_EQ(paper_key("something", repository()).error().code(), Code::NotAKeyFile);
  EXPECT_EQ(paper_key(blob_text(), {}).error().code(), Code::RepoIdMismatch);
}

TEST(PaperKeyReader, ReadsBackWhatWasPrinted) {
  const auto lines = typed_lines(paper_key(blob_text(), repository()).value());
  PaperKeyReader reader(repository());
  EXPECT_EQ(reader.prompt(), "id: ");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    ASSERT_FALSE(reader.done());
    ASSERT_TRUE(reader.take_line(lines[i])) << lines[i];
    if (i + 1 < lines.size()) {
      EXPECT_EQ(reader.prompt(), (i < 9 ? " " : "") + std::to_string(i + 1) + ": ");
    }
  }
  ASSERT_TRUE(reader.done());
  EXPECT_EQ(reader.text(), blob_text());
}

TEST(PaperKeyReader, BlanksAndCapitalsDoNotMatter) {
  PaperKeyReader reader(repository());
  for (std::string line : typed_lines(paper_key(blob_text(), repository()).value())) {
    std::string loose;
    for (const char c : line)
      if (c != ' ') loose += std::string(" ") + static_cast<char>(std::toupper(c)) + " ";
    ASSERT_TRUE(reader.take_line(loose + "\r\n")) << loose;
  }
  EXPECT_EQ(reader.text(), blob_text());
}

TEST(PaperKeyReader, ATypingErrorAsksForTheSameLineAgain) {
  const auto lines = typed_lines(paper_key(blob_text(), repository()).value());
  PaperKeyReader reader(repository());
  const auto refused = [&](std::string_view line) {
    const Status status = reader.take_line(line);
    return status ? std::string() : status.error().message();
  };
  EXPECT_EQ(refused("no separator"), "each line must contain exactly one '-', try again");
  EXPECT_EQ(refused("1/2-3"), "the id line must contain exactly two '/', try again");
  EXPECT_EQ(refused("1/2/3/4-3"), "the id line must contain exactly two '/', try again");
  std::string id = lines[0];
  id[1] = '2';
  EXPECT_EQ(refused(id), "line checksum did not match, try same line again");
  EXPECT_EQ(reader.prompt(), "id: ");
  ASSERT_TRUE(reader.take_line(lines[0]));
  ASSERT_TRUE(reader.take_line(lines[1]));
  EXPECT_EQ(refused("ab - cd - ef"), "each line must contain exactly one '-', try again");
  EXPECT_EQ(refused("xy - 00"), "only characters 0-9 and a-f and '-' are valid, try again");
  EXPECT_EQ(refused("abc - 00"), "the line has the wrong length, try again");
  EXPECT_EQ(refused(std::string(38, 'a') + "-00"), "the line has the wrong length, try again");
  // A line in another line's place has the wrong checksum too.
  EXPECT_EQ(refused(lines[3]), "line checksum did not match, try line 2 again");
  EXPECT_EQ(reader.prompt(), " 2: ");
  for (std::size_t i = 2; i < lines.size(); ++i) ASSERT_TRUE(reader.take_line(lines[i]));
  EXPECT_EQ(reader.text(), blob_text());
}

TEST(PaperKeyReader, AnotherRepositorysKeyEndsTheImport) {
  const auto lines = typed_lines(paper_key(blob_text(), repository()).value());
  RepositoryId other = repository();
  other.raw[0] ^= std::byte{1};
  PaperKeyReader reader(other);
  EXPECT_EQ(reader.take_line(lines[0]).error().code(), Code::RepoIdMismatch);
}

TEST(PaperKeyReader, AWrongOverallChecksumStartsOver) {
  // The lines of one key under the id line of another one with as many lines.
  const Buffer body = std::move(*key_blob_body(blob_text(), repository()));
  Buffer changed;
  changed.append(body);
  changed.data()[100] ^= std::byte{1};
  const auto lines = typed_lines(paper_key(blob_text(), repository()).value());
  const auto wrong = typed_lines(paper_key(key_blob_text(changed, repository()), repository()).value());
  PaperKeyReader reader(repository());
  ASSERT_TRUE(reader.take_line(lines[0]));
  for (std::size_t i = 1; i + 1 < wrong.size(); ++i) ASSERT_TRUE(reader.take_line(wrong[i]));
  EXPECT_TRUE(reader.take_line(wrong.back()).error().message().starts_with("The overall checksum did not match"));
  EXPECT_FALSE(reader.done());
  EXPECT_EQ(reader.prompt(), "id: ");
  for (const std::string& line : lines) ASSERT_TRUE(reader.take_line(line));
  EXPECT_EQ(reader.text(), blob_text());
}

}  // namespace
}  // namespace cairn::crypt

// Whole runs of what needs no repository, and the texts made from the tables.
#include "cli/program.h"

#include <gtest/gtest.h>

#include "cli/captured_output_test.h"
#include "cli/context.h"
#include "cli/help.h"
#include "cli/help_topics.h"
#include "cli/man_page.h"

namespace cairn::cli {
namespace {

struct Outcome {
  int exit_code;
  std::string out, error;
};
Outcome run(const std::vector<std::string>& words) {
  CapturedOutput captured;
  const Surroundings none{
      .variable = [](const std::string&) -> std::optional<std::string> { return std::nullopt; },
      .read_file = [](const std::string&) -> Result<std::optional<std::string>> { return std::nullopt; }};
  const int exit_code = run_program(words, none, captured.output);
  return {exit_code, captured.out_text(), captured.error_text()};
}

TEST(Program, VersionFollowsTheName) {
  EXPECT_EQ(run({"/usr/bin/borg", "-V"}).out, "borg2 2.0.0b25\n");
  EXPECT_EQ(run({"borg2", "--version"}).out, "borg2 2.0.0b25\n");
  EXPECT_TRUE(run({"cairn", "-V"}).out.ends_with(" (borg2 2.0.0b25)\n"));
  EXPECT_EQ(run({"cairn", "version"}).out, "2.0.0b25 / 2.0.0b25\n");
  EXPECT_NE(
      run({"cairn", "version", "--json"}).out.find("    \"client\": \"2.0.0b25\",\n    \"server\": \"2.0.0b25\"\n"),
      std::string::npos);
}

TEST(Program, ShowsVersionAndExitCode) {
  const Outcome text = run({"cairn", "--show-version", "--show-rc", "version"});
  EXPECT_EQ(text.error, "borgbackup version 2.0.0b25\nterminating with success status, rc 0\n");
}

TEST(Program, UnbuiltCommandsSaySo) {
  const Outcome result = run({"cairn", "--show-rc", "webdav", "--port", "1"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.error, "Error: the webdav command is not there yet.\nterminating with error status, rc 2\n");
}

TEST(Program, UsageErrorsGoToStandardError) {
  const Outcome result = run({"/opt/cairn", "list"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.error,
            "usage: cairn list [options] NAME [PATH ...]\ntip: For details of accepted options run: cairn list --help\n"
            "error: the following arguments are required: NAME\n");
}

TEST(Program, HelpIsOnStandardOutput) {
  for (const auto& words :
       {std::vector<std::string>{"cairn"}, {"cairn", "key"}, {"cairn", "help"}, {"cairn", "--help"}}) {
    const Outcome result = run(words);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_TRUE(result.out.starts_with("usage: cairn [common options] COMMAND"));
    EXPECT_EQ(result.error, "");
  }
  EXPECT_EQ(run({"cairn", "help", "key", "export"}).out, run({"cairn", "key", "export", "-h"}).out);
  EXPECT_EQ(run({"cairn", "help", "env"}).out, run({"cairn", "help", "environment"}).out);
  const Outcome unknown = run({"cairn", "help", "nope"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.error.find("error: No help available on nope."), std::string::npos);
}

TEST(Program, PrintsItsConfiguration) {
  const Outcome result =
      run({"cairn", "--print_config=skip_default", "create", "--tag", "a", "--tag=b", "-C", "lz4", "n", "p"});
  EXPECT_EQ(result.out, "create:\n  compression: \"lz4\"\n  tag: [\"a\", \"b\"]\n");
}

TEST(CommandLineText, IsQuotedAsPythonQuotes) {
  const std::vector<std::string> words{"borg", "create", "--comment", "a comment", "it's", "", "a=b,c"};
  EXPECT_EQ(joined_command_line(words), "borg create --comment 'a comment' 'it'\"'\"'s' '' a=b,c");
}

TEST(Help, FitsItsColumns) {
  for (const Topic& topic : topics()) {
    const auto text = help_text("cairn", topic.name, 80);
    ASSERT_TRUE(text);
    std::string_view rest = *text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      EXPECT_LE(end, 80U) << rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
}

TEST(ManPages, OnePerCommandAndTopic) {
  const auto pages = man_pages();
  const auto has = [&](std::string_view name) {
    return std::any_of(pages.begin(), pages.end(), [&](const ManPage& page) { return page.file_name == name; });
  };
  for (const char* name : {"cairn.1", "cairn-create.1", "cairn-key-change-passphrase.1", "cairn-patterns.1"})
    EXPECT_TRUE(has(name)) << name;
  for (const ManPage& page : pages) {
    EXPECT_TRUE(page.text.starts_with(".TH CAIRN")) << page.file_name;
    // A line that starts with a dot or a quote by accident would be lost as an unknown request.
    EXPECT_EQ(page.text.find("\n'"), std::string::npos) << page.file_name;
  }
}

}  // namespace
}  // namespace cairn::cli

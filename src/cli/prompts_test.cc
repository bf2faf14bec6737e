#include "cli/prompts.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "cli/captured_output_test.h"

namespace cairn::cli {
namespace {

constexpr const char* kVariable = "CAIRN_TEST_ANSWER";

struct Asked {
  bool answer;
  std::string text;
};
Asked asked(const std::string& input, bool json, YesNo question) {
  CapturedOutput captured;
  Pipe in;
  EXPECT_EQ(::write(in.write_end.get(), input.data(), input.size()), static_cast<ssize_t>(input.size()));
  in.write_end.reset();
  question.variable = kVariable;
  question.text = "Continue? [yN] ";
  Prompts prompts(captured.output, json, in.read_end.get());
  const bool answer = prompts.ask(question);
  return {answer, captured.error_text()};
}

TEST(Prompts, AnswersFromStandardInput) {
  EXPECT_TRUE(asked("yes\n", false, {}).answer);
  EXPECT_EQ(asked("y\n", false, {}).text, "Continue? [yN] ");
  EXPECT_FALSE(asked("no\n", false, {}).answer);
  EXPECT_EQ(asked("", false, {}).text, "Continue? [yN] Aborting.\n");
  EXPECT_EQ(asked("foo\n", false, {}).text, "Continue? [yN] Invalid answer, aborting.\n");
  EXPECT_TRUE(asked("foo\ny\n", false, {.retry = true}).answer);
}

TEST(Prompts, OnlyCapitalYesAgreesToDanger) {
  EXPECT_FALSE(asked("yes\n", false, {.only_capital_yes = true}).answer);
  EXPECT_TRUE(asked("YES\n", false, {.only_capital_yes = true}).answer);
}

TEST(Prompts, AVariableAnswers) {
  ::setenv(kVariable, "yes", 1);
  const Asked text = asked("", false, {}), json = asked("", true, {});
  ::unsetenv(kVariable);
  EXPECT_TRUE(text.answer);
  EXPECT_EQ(text.text, "Continue? [yN] yes (from CAIRN_TEST_ANSWER)\n");
  EXPECT_EQ(json.text,
            "{\"type\": \"question_prompt\", \"msgid\": \"CAIRN_TEST_ANSWER\", \"message\": \"Continue? [yN] \"}\n"
            "{\"env_var\": \"CAIRN_TEST_ANSWER\", \"type\": \"question_env_answer\", \"msgid\": \"CAIRN_TEST_ANSWER\", "
            "\"message\": \"yes (from CAIRN_TEST_ANSWER)\"}\n");
}

TEST(Prompts, JsonDenial) {
  EXPECT_EQ(asked("", true, {}).text,
            "{\"type\": \"question_prompt\", \"msgid\": \"CAIRN_TEST_ANSWER\", \"message\": \"Continue? [yN] \"}\n"
            "{\"type\": \"question_accepted_false\", \"msgid\": \"CAIRN_TEST_ANSWER\", \"message\": \"Aborting.\"}\n");
}

// The prompt appears once the terminal is silent; then the keys are typed.
Result<crypt::Secret> typed(const std::string& keys, std::string& shown) {
  int master = -1, slave = -1;
  EXPECT_EQ(::openpty(&master, &slave, nullptr, nullptr, nullptr), 0);
  const Fd keyboard(master), terminal(slave);
  std::optional<Result<crypt::Secret>> result;
  std::thread reader([&] { result = read_without_echo(terminal.get(), "Enter: "); });
  std::array<char, 256> block{};
  while (shown.find("Enter: ") == std::string::npos) {
    const ssize_t count = ::read(keyboard.get(), block.data(), block.size());
    if (count <= 0) break;
    shown.append(block.data(), static_cast<std::size_t>(count));
  }
  EXPECT_EQ(::write(keyboard.get(), keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  reader.join();
  shown += drained(keyboard.get());
  return std::move(*result);
}

TEST(Prompts, PassphraseIsReadWithoutEcho) {
  std::string shown;
  const auto secret = typed(
      "sex\x7f"
      "cret\r",
      shown);
  ASSERT_TRUE(secret);
  EXPECT_EQ(secret->view(), "secret");
  EXPECT_EQ(shown, "Enter: \r\n");
}

TEST(Prompts, PassphraseCanBeCancelled) {
  std::string shown;
  const auto secret = typed("sec\x03", shown);
  ASSERT_FALSE(secret);
  EXPECT_EQ(secret.error().code(), Code::Cancelled);
}

TEST(Prompts, NoTerminalIsNoPassphrase) {
  Pipe pipe;
  const auto secret = read_without_echo(pipe.read_end.get(), "Enter: ");
  ASSERT_FALSE(secret);
  EXPECT_EQ(secret.error().code(), Code::NoPassphrase);
  EXPECT_TRUE(secret.error().message().ends_with("Interactive password query failed.."));
}

}  // namespace
}  // namespace cairn::cli

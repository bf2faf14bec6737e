#include "crypt/passphrase.h"

#include <fcntl.h>

#include <algorithm>

#include "crypt/environment_test.h"
#include "crypt/vectors_test.h"

namespace cairn::crypt {
namespace {

class PassphraseTest : public testing::EnvironmentTest {
 protected:
  static std::optional<std::string> value(PassphraseGroup group = PassphraseGroup::Repository) {
    auto passphrase = environment_passphrase(group);
    EXPECT_TRUE(passphrase) << passphrase.error().message();
    if (!passphrase || !*passphrase) return std::nullopt;
    return std::string((*passphrase)->view());
  }
  static std::string error() { return environment_passphrase(PassphraseGroup::Repository).error().message(); }
  static int pipe_with(const std::string& text) {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    EXPECT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ::close(ends[1]);
    return ends[0];
  }
};

TEST_F(PassphraseTest, NothingSetIsNothing) {
  EXPECT_EQ(value(), std::nullopt);
  EXPECT_EQ(value(PassphraseGroup::Other), std::nullopt);
  EXPECT_EQ(value(PassphraseGroup::New), std::nullopt);
}

TEST_F(PassphraseTest, GroupsAreIndependent) {
  set("BORG_PASSPHRASE", "one\n");
  set("BORG_OTHER_PASSCOMMAND", "echo two");
  set("BORG_NEW_PASSPHRASE", "");
  EXPECT_EQ(value(), "one\n");
  EXPECT_EQ(value(PassphraseGroup::Other), "two");
  EXPECT_EQ(value(PassphraseGroup::New), "");
  EXPECT_EQ((*environment_new_passphrase())->view(), "");
  unset("BORG_NEW_PASSPHRASE");
  EXPECT_EQ((*environment_new_passphrase())->view(), "one\n");
}

TEST_F(PassphraseTest, TwoVariablesOfAGroupAreAnError) {
  set("BORG_PASSPHRASE", "");
  set("BORG_PASSCOMMAND", "echo x");
  EXPECT_EQ(error(), "More than one passphrase environment variable is set: BORG_PASSPHRASE, BORG_PASSCOMMAND");
  set("BORG_PASSPHRASE_FD", "7");
  EXPECT_EQ(
      error(),
      "More than one passphrase environment variable is set: BORG_PASSPHRASE, BORG_PASSCOMMAND, BORG_PASSPHRASE_FD");
  EXPECT_EQ(environment_passphrase(PassphraseGroup::Repository).error().code(), Code::Error);
}

TEST_F(PassphraseTest, CommandIsSplitAndNotGivenToAShell) {
  set("BORG_PASSCOMMAND", "printf '%s|' 'a b' \"c;d\" $HOME");
  EXPECT_EQ(value(), "a b|c;d|$HOME|");
}

TEST_F(PassphraseTest, OnlyLineEndsAreStripped) {
  set("BORG_PASSCOMMAND", R"(printf ' a b \n\r\n\n')");
  EXPECT_EQ(value(), " a b ");
  set("BORG_PASSCOMMAND", "true");
  EXPECT_EQ(value(), "");
}

TEST_F(PassphraseTest, CommandDoesNotSeePassphrases) {
  set("BORG_OTHER_PASSPHRASE", "hidden");
  set("BORGSTORE_REST_PASSWORD", "hidden");
  set("BORG_REPO", "shown");
  set("BORG_PASSCOMMAND", "env");
  const std::string seen = *value();
  EXPECT_EQ(seen.find("hidden"), std::string::npos);
  EXPECT_EQ(seen.find("BORG_PASSCOMMAND"), std::string::npos);
  EXPECT_NE(seen.find("BORG_REPO=shown"), std::string::npos);
  EXPECT_NE(seen.find("BORG_VERSION=2.0.0b25"), std::string::npos);
}

TEST_F(PassphraseTest, CommandFailuresSayHow) {
  const std::string start = "Passcommand supplied in BORG_PASSCOMMAND failed: ";
  set("BORG_PASSCOMMAND", "false");
  EXPECT_EQ(error(), start + "Command '['false']' returned non-zero exit status 1.");
  EXPECT_EQ(environment_passphrase(PassphraseGroup::Repository).error().code(), Code::PasscommandFailure);
  set("BORG_PASSCOMMAND", "sh -c 'echo secret; exit 3'");
  EXPECT_EQ(error(), start + "Command '['sh', '-c', 'echo secret; exit 3']' returned non-zero exit status 3.");
  set("BORG_PASSCOMMAND", "sh -c 'kill -9 $$'");
  EXPECT_EQ(error(), start + "Command '['sh', '-c', 'kill -9 $$']' died with signal 9.");
  set("BORG_PASSCOMMAND", "/no/such/program");
  EXPECT_EQ(error(), start + "[Errno 2] No such file or directory: '/no/such/program'.");
  set("BORG_PASSCOMMAND", "echo 'open");
  EXPECT_EQ(error(), start + "No closing quotation.");
  set("BORG_PASSCOMMAND", "");
  EXPECT_EQ(error(), start + "it is empty.");
}

TEST_F(PassphraseTest, EndlessOutputIsCutOff) {
  set("BORG_PASSCOMMAND", "yes");
  EXPECT_EQ(error(), "The passphrase from BORG_PASSCOMMAND is too long.");
}

TEST_F(PassphraseTest, DescriptorIsReadToTheEndAndClosed) {
  const int fd = pipe_with("from a pipe\r\n\n");
  set("BORG_PASSPHRASE_FD", " " + std::to_string(fd) + " ");
  EXPECT_EQ(value(), "from a pipe");
  EXPECT_EQ(::fcntl(fd, F_GETFD), -1);
  EXPECT_FALSE(environment_passphrase(PassphraseGroup::Repository));
}

TEST_F(PassphraseTest, ADescriptorThatIsNoNumberIsIgnored) {
  for (const char* text : {"", "x", "3x", "0x3", "99999999999999"}) {
    set("BORG_PASSPHRASE_FD", text);
    EXPECT_EQ(value(), std::nullopt) << text;
  }
}

class UnlockTest : public PassphraseTest {
 protected:
  UnlockTest() { set("BORG_TESTONLY_WEAKEN_KDF", "1"); }
  void add(const std::string& passphrase) {
    blobs_.push_back(parse_key_blob(wrap(material_, passphrase, "x").value(), material_.repository_id).value());
  }
  // Unlocks with these answers to the prompts.
  Result<UnlockedKey> unlock(std::vector<std::string> answers) {
    prompts_.clear();
    wrong_.clear();
    return unlock_with_passphrase(
        blobs_, material_.repository_id, PassphraseGroup::Repository, "/repo",
        [&, next = std::size_t{0}](std::string_view prompt) mutable -> Result<Secret> {
          prompts_.emplace_back(prompt);
          if (next == answers.size()) return fail(Code::NoPassphrase, "no terminal");
          return Secret(answers[next++]);
        },
        [&](const Secret& passphrase) { wrong_.emplace_back(passphrase.view()); });
  }
  const KeyMaterial material_ = testing::vector_material();
  std::vector<KeyBlob> blobs_;
  std::vector<std::string> prompts_, wrong_;
};

TEST_F(UnlockTest, ThePassphraseOfTheEnvironmentIsTriedOnce) {
  add("other");
  add("secret");
  set("BORG_PASSPHRASE", "secret");
  const auto unlocked = unlock({});
  ASSERT_TRUE(unlocked);
  EXPECT_EQ(unlocked->index, 1U);
  EXPECT_FALSE(unlocked->empty_passphrase);
  EXPECT_EQ(unlocked->passphrase.view(), "secret");
  EXPECT_EQ(unlocked->material.crypt_key, material_.crypt_key);
  set("BORG_PASSPHRASE", "wrong");
  EXPECT_EQ(unlock({"secret"}).error().code(), Code::PassphraseWrong);
  EXPECT_EQ(wrong_, std::vector<std::string>{"wrong"});
  EXPECT_TRUE(prompts_.empty());
}

TEST_F(UnlockTest, TheEmptyPassphraseIsTriedBeforeAsking) {
  add("");
  const auto unlocked = unlock({});
  ASSERT_TRUE(unlocked);
  EXPECT_TRUE(unlocked->empty_passphrase);
  EXPECT_TRUE(prompts_.empty());
}

TEST_F(UnlockTest, ThreePromptsThenTheEnd) {
  add("secret");
  EXPECT_TRUE(unlock({"a", "b", "secret"}));
  EXPECT_EQ(prompts_, std::vector<std::string>(3, "Enter passphrase for key /repo: "));
  EXPECT_EQ(wrong_, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(unlock({"a", "b", "c", "secret"}).error().code(), Code::PasswordRetriesExceeded);
  EXPECT_EQ(prompts_.size(), 3U);
}

TEST_F(UnlockTest, WithoutATerminalThePromptsErrorIsReturned) {
  add("secret");
  EXPECT_EQ(unlock({}).error().code(), Code::NoPassphrase);
}

Prompt answering(std::vector<std::string> answers, std::vector<std::string>& prompts) {
  return [answers = std::move(answers), &prompts, next = std::size_t{0}](std::string_view prompt) mutable {
    prompts.emplace_back(prompt);
    return Result<Secret>(Secret(answers[next++ % answers.size()]));
  };
}

TEST_F(PassphraseTest, NewPassphrasesAreTypedTwice) {
  std::vector<std::string> prompts, said;
  const Say say = [&](std::string_view line) { said.emplace_back(line); };
  const auto chosen = choose_passphrase(answering({"a", "b", "c", "c"}, prompts), say);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->passphrase.view(), "c");
  EXPECT_TRUE(chosen->was_typed);
  EXPECT_EQ(said, std::vector<std::string>{"Passphrases do not match"});
  EXPECT_EQ(prompts[0], "Enter new passphrase: ");
  EXPECT_EQ(prompts[1], "Enter same passphrase again: ");
  EXPECT_EQ(choose_passphrase(answering({"a", "b"}, prompts), say).error().code(), Code::PasswordRetriesExceeded);
  EXPECT_EQ(said.size(), 11U);
  EXPECT_TRUE(choose_passphrase(answering({""}, prompts), say)->passphrase.empty());
  set("BORG_NEW_PASSPHRASE", "new");
  const auto given = choose_passphrase(answering({"a"}, prompts), say);
  EXPECT_EQ(given->passphrase.view(), "new");
  EXPECT_FALSE(given->was_typed);
}

TEST(Secret, GrowsMovesAndCompares) {
  Secret secret;
  std::string expected;
  for (int i = 0; i < 500; ++i) {
    const std::string piece(static_cast<std::size_t>(i % 7), static_cast<char>('a' + i % 26));
    secret.append(piece);
    expected += piece;
    ASSERT_EQ(secret.view(), expected);
  }
  Secret moved = std::move(secret);
  EXPECT_TRUE(secret.empty());  // NOLINT(bugprone-use-after-move): that is the point
  EXPECT_EQ(moved.view(), expected);
  EXPECT_TRUE(moved == Secret(expected));
  EXPECT_FALSE(moved == Secret(expected + "x"));
  EXPECT_TRUE(Secret() == Secret(""));
  std::string source = "taken";
  EXPECT_EQ(Secret::take(source).view(), "taken");
  EXPECT_TRUE(source.empty());
}

TEST(Secret, LineEndsAreReadAsText) {
  const auto stripped = [](std::string_view text) {
    Secret secret(text);
    secret.strip_line_ends();
    return std::string(secret.view());
  };
  EXPECT_EQ(stripped("a\nb\n\n"), "a\nb");
  EXPECT_EQ(stripped("a\r\nb\r\n"), "a\nb");
  EXPECT_EQ(stripped("a\rb\r"), "a\nb");
  EXPECT_EQ(stripped("\r\n\n\r"), "");
  EXPECT_EQ(stripped("  x \t"), "  x \t");
}

}  // namespace
}  // namespace cairn::crypt

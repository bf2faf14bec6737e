// Command lines as tables: what they fill, and how wrong ones are answered. Error lines come from Borg 2.0.0b25 itself.
#include "cli/command_line.h"

#include <gtest/gtest.h>

#include <map>

#include "cli/check_options.h"
#include "cli/commands.h"
#include "cli/compact_options.h"
#include "cli/create_options.h"
#include "cli/extract_options.h"
#include "cli/help.h"
#include "cli/info_options.h"
#include "cli/key_options.h"
#include "cli/list_options.h"
#include "cli/lock_options.h"
#include "cli/option_values.h"
#include "cli/repo_create_options.h"
#include "cli/repo_list_options.h"

namespace cairn::cli {
namespace {

using Words = std::vector<std::string>;
using Variables = std::map<std::string, std::string>;

Parsed parse(const Words& words, const Variables& variables = {},
             const std::map<std::string, std::string>& files = {}) {
  const Surroundings around{.variable = [&](const std::string& name) -> std::optional<std::string> {
                              const auto found = variables.find(name);
                              if (found == variables.end()) return std::nullopt;
                              return found->second;
                            },
                            .read_file = [&](const std::string& path) -> Result<std::optional<std::string>> {
                              const auto found = files.find(path);
                              if (found == files.end()) return std::nullopt;
                              return found->second;
                            }};
  return parse_command_line(words, around);
}

Invocation accepted(Parsed parsed) {
  if (const auto* usage = std::get_if<UsageError>(&parsed)) ADD_FAILURE() << usage->message;
  if (const auto* error = std::get_if<Error>(&parsed)) ADD_FAILURE() << error->message();
  if (auto* invocation = std::get_if<Invocation>(&parsed)) return std::move(*invocation);
  return {};
}

struct Refusal {
  Words words;
  const char* command;  // whose tip is shown
  const char* message;
};

class Refused : public testing::TestWithParam<Refusal> {};
TEST_P(Refused, WithTheReferencesMessage) {
  const Refusal& expected = GetParam();
  const Parsed parsed = parse(expected.words);
  const auto* usage = std::get_if<UsageError>(&parsed);
  ASSERT_NE(usage, nullptr);
  EXPECT_EQ(usage->message, expected.message);
  EXPECT_EQ(usage->command, expected.command);
}

INSTANTIATE_TEST_SUITE_P(
    CommandLine, Refused,
    testing::Values(
        Refusal{{"create", "a/b", "src"},
                "create",
                R"(argument NAME: Invalid archive name: "a/b" [invalid chars detected matching "/\"<|>?*"])"},
        Refusal{{"create", "", "b"}, "create", R"(argument NAME: Invalid archive name: "" [length < 1])"},
        Refusal{{"create", " x", "b"},
                "create",
                R"(argument NAME: Invalid archive name: " x" [leading or trailing blanks detected])"},
        Refusal{{"create", "a", ""}, "create", "argument PATH: Empty strings are not accepted as paths."},
        Refusal{{"break-lock", "--nope"}, "break-lock", "unrecognized arguments: --nope"},
        Refusal{{"break-lock", "--x", "--y", "z"}, "break-lock", "unrecognized arguments: --x --y z"},
        Refusal{{"--nope", "create", "a", "b"}, "", "unrecognized arguments: --nope"},
        Refusal{{"--nope"}, "", "unrecognized arguments: --nope"},
        Refusal{{"list"}, "list", "the following arguments are required: NAME"},
        Refusal{{"repo-create"}, "repo-create", "the following arguments are required: -e/--encryption"},
        Refusal{{"repo-list", "--first", "1", "--last", "1"},
                "repo-list",
                "argument --last: not allowed with argument --first"},
        Refusal{{"repo-list", "--older", "1d", "--newer", "2d"},
                "repo-list",
                "argument --newer: not allowed with argument --older"},
        Refusal{{"repo-list", "--first", "1", "--first", "2"}, "repo-list", "argument --first: There can be only one."},
        Refusal{{"repo-list", "--first", "0"}, "repo-list", "argument --first: invalid PositiveInt value: '0'"},
        Refusal{{"repo-list", "--first", "x"}, "repo-list", "argument --first: invalid PositiveInt value: 'x'"},
        Refusal{{"repo-list", "--sort-by", "foo"}, "repo-list", "argument --sort-by: Invalid sort key: foo"},
        Refusal{{"repo-list", "--sort-by", ""}, "repo-list", "argument --sort-by: Invalid sort key: "},
        Refusal{{"repo-list", "--group-by", "foo"},
                "repo-list",
                "argument --group-by: Invalid group-by key: foo (valid keys: name, host, user, tags)"},
        Refusal{{"create", "a", "b", "--group-by", "foo"},
                "create",
                "argument --group-by: Invalid group-by key: foo (valid keys: name, host, user)"},
        Refusal{{"list", "--sort-by", "foo", "a"},
                "list",
                "argument --sort-by: unsupported sort field: foo, supported: path, type, mode, user, uid, group, gid, "
                "size, "
                "mtime, ctime, atime"},
        Refusal{{"check", "--older", "1"},
                "check",
                "argument --older: Invalid relative time marker used: 1, choose from y, m, w, d, H, M, S"},
        Refusal{{"create", "--stats=1", "a", "b"}, "create", "argument -s/--stats: ignored explicit argument '1'"},
        Refusal{{"create", "-nfoo", "a", "b"}, "create", "unrecognized arguments: -foo"},
        Refusal{{"create", "--no", "a", "b"},
                "create",
                "ambiguous option: --no could match --noctime, --nobirthtime, --noflags, --noacls, --noxattrs"},
        Refusal{{"repo-list", "--lo", "3"}, "repo-list", "ambiguous option: --lo could match --log-json, --lock-wait"},
        Refusal{{"--lo", "3", "repo-list"}, "", "ambiguous option: --lo could match --log-json, --lock-wait"},
        Refusal{{"key", "list", "-r"}, "key list", "argument -r/--repo: expected one argument"},
        Refusal{{"-r"}, "", "argument -r/--repo: expected one argument"},
        Refusal{{"create", "--filter"}, "create", "argument --filter: expected one argument"},
        Refusal{
            {"create", "-C", "foo", "a", "src"}, "create", "argument -C/--compression: unsupported compression type"},
        Refusal{{"create", "--chunker-params", "foo", "a", "src"},
                "create",
                "argument --chunker-params: invalid chunker params"},
        Refusal{{"create", "--timestamp", "foo", "a", "src"},
                "create",
                "argument --timestamp: invalid timestamp value: 'foo'"},
        Refusal{{"create", "-e", "zz:x", "a", "src"},
                "create",
                "argument -e/--exclude: invalid parse_exclude_pattern value: 'zz:x'"},
        Refusal{{"create", "a", "b", "--lock-wait=x"}, "create", "argument --lock-wait: invalid int value: 'x'"},
        Refusal{{"create", "a", "b", "--umask", "9"}, "create", "argument --umask: invalid octal_int value: '9'"},
        Refusal{{"create", "--stdin-mode=0999", "a", "b"},
                "create",
                "argument --stdin-mode: invalid octal_int value: '0999'"},
        Refusal{{"create", "a", "b", "--tag", "a,b"},
                "create",
                R"(argument --tag: Invalid tag: "a,b" [invalid chars detected matching " ,$"])"},
        Refusal{{"create", "a", "b", "--tag", "1234567890123456"},
                "create",
                R"(argument --tag: Invalid tag: "1234567890123456" [length > 10])"},
        Refusal{{"create", "a", "b", "--files-changed", "foo"},
                "create",
                "argument --files-changed: invalid choice: 'foo' (choose from 'ctime', 'mtime', 'disabled')"},
        Refusal{{"create", "a", "b", "--files-cache", "size"},
                "create",
                "argument --files-cache: cache mode must be a comma-separated list of: "
                "ctime,disabled,inode,mtime,rechunk,size"},
        Refusal{{"create", "a", "b", "--digests", "foo"},
                "create",
                "argument --digests: digests must be \"none\" or a comma-separated list of: "
                "blake2b,blake2s,blake3,md5,sha1,sha224,sha256,sha384,sha3_224,sha3_256,sha3_384,sha3_512,sha512"},
        Refusal{{"create", "--read-special-timeout", "x", "a", "b"},
                "create",
                "argument --read-special-timeout: invalid seconds value: 'x'"},
        Refusal{{"create", "--read-special-timeout", "-1", "a", "b"},
                "create",
                "argument --read-special-timeout: seconds value must be >= 0"},
        Refusal{{"repo-create", "-e", "foo"},
                "repo-create",
                "argument -e/--encryption: invalid choice: 'foo' (choose from 'aes256-ocb', 'chacha20-poly1305', "
                "'authenticated-sha256', 'authenticated-blake3')"},
        Refusal{
            {"key", "nope"},
            "key",
            "argument <command>: invalid choice: 'nope' (choose from 'export', 'import', 'change-passphrase', 'add', "
            "'remove', 'list', 'change-location')"},
        Refusal{{"nope"},
                "",
                "argument <command>: invalid choice: 'nope' (choose from 'analyze', 'benchmark', 'check', 'compact', "
                "'completion', 'copy', 'create', 'debug', 'delete', 'diff', 'extract', 'find', 'help', 'info', 'key', "
                "'list', 'break-lock', 'with-lock', 'mount', 'umount', 'prune', 'repo-compress', 'repo-create', "
                "'repo-delete', 'repo-info', 'repo-list', 'recreate', 'rename', 'repo-space', 'serve', 'tag', "
                "'export-tar', 'import-tar', 'transfer', 'undelete', 'version', 'webdav')"},
        Refusal{{"key", "remove"}, "key remove", "one of the arguments --label --key --passphrase is required"},
        Refusal{{"key", "remove", "--label", "a", "--key", "b"},
                "key remove",
                "argument --key: not allowed with argument --label"},
        Refusal{{"key", "change-location", "foo"},
                "key change-location",
                "argument KEY_LOCATION: invalid choice: 'foo' (choose from 'repokey', 'keyfile')"},
        Refusal{
            {"key", "change-location"}, "key change-location", "the following arguments are required: KEY_LOCATION"},
        Refusal{{"with-lock"}, "with-lock", "the following arguments are required: COMMAND"},
        Refusal{{"with-lock", "--nope", "sh"}, "with-lock", "unrecognized arguments: --nope"},
        Refusal{{"-r", "ssh://x", "repo-list"},
                "",
                "argument -r/--repo: Invalid location format: \"ssh://x\". Expected: "
                "ssh://[user@]host[:port]/path/to/repo (path relative to the remote directory ssh logs into) or "
                "ssh://[user@]host[:port]//path/to/repo (absolute path)"},
        Refusal{{"--config", "/nope", "repo-list"}, "", "Parser key \"config\": File does not exist: '/nope'"},
        // Checks of the whole command show the program's tip.
        Refusal{{"create", "--list", "--progress", "a", "src"},
                "",
                "Options --progress and --list do not play nicely together."},
        Refusal{{"create", "a"}, "", "Need at least one PATH argument."},
        Refusal{{"create", "--content-from-command", "a"}, "", "No command given."},
        Refusal{{"create", "--paths-from-stdin", "a", "b"}, "", "Must not pass PATH with --paths-from-stdin."}));

TEST(CommandLine, OptionsAndPathsMayBeMixed) {
  const Invocation run = accepted(parse({"create", "-nsC", "zstd,5", "--comment=x=y", "home", "-xe", "*.o", "src",
                                         "--tag", "t1", "--tag=t2", "other", "--", "-a", "--list"}));
  const auto& o = run.as<CreateOptions>();
  EXPECT_TRUE(o.dry_run && o.stats && o.one_file_system);
  EXPECT_FALSE(o.list);
  EXPECT_EQ(o.compression, "zstd,5");
  EXPECT_EQ(o.comment, "x=y");
  EXPECT_EQ(o.name, "home");
  EXPECT_EQ(o.paths, (Words{"src", "other", "-a", "--list"}));
  EXPECT_EQ(o.tags, (Words{"t1", "t2"}));
}

TEST(CommandLine, ShortOptionsTakeJoinedValues) {
  for (const Words& words : {Words{"create", "-Clz4", "a", "b"}, Words{"create", "-C=lz4", "a", "b"},
                             Words{"create", "-nC", "lz4", "a", "b"}, Words{"create", "-nClz4", "a", "b"},
                             Words{"create", "-nC=lz4", "a", "b"}, Words{"create", "--compr", "lz4", "a", "b"}})
    EXPECT_EQ(accepted(parse(words)).as<CreateOptions>().compression, "lz4") << words[1];
}

TEST(CommandLine, BeginningsOfLongOptionsAreEnough) {
  EXPECT_TRUE(accepted(parse({"repo-list", "--shor"})).as<RepoListOptions>().short_form);
  EXPECT_EQ(accepted(parse({"repo-list", "--re", "x"})).common.repo, "x");
  EXPECT_EQ(accepted(parse({"compact", "--thr", "5"})).as<CompactOptions>().threshold, 5);
}

TEST(CommandLine, NegativeNumbersAreValues) {
  EXPECT_EQ(accepted(parse({"compact", "--threshold", "-1"})).as<CompactOptions>().threshold, -1);
  EXPECT_EQ(accepted(parse({"create", "--lock-wait", "-5", "a", "b"})).common.lock_wait, -5);
}

TEST(CommandLine, PatternsKeepTheirOrder) {
  const Invocation run = accepted(parse(
      {"create", "-e", "a", "--pattern", "+ b", "--exclude-from", "c", "-e", "d", "--patterns-from=e", "n", "p"}));
  std::string order;
  for (const auto& argument : run.as<CreateOptions>().patterns.list)
    order += std::to_string(static_cast<int>(argument.source)) + argument.text + " ";
  EXPECT_EQ(order, "0a 2+ b 1c 0d 3e ");
}

TEST(CommandLine, InnermostCommonOptionWins) {
  const Invocation run =
      accepted(parse({"-r", "x", "--lock-wait", "1", "--debug-topic", "a", "--info", "key", "--repo=y", "--debug-topic",
                      "b", "list", "-r", "z", "--critical", "--debug"}));
  EXPECT_EQ(run.common.repo, "z");
  EXPECT_EQ(run.common.lock_wait, 1);
  EXPECT_EQ(run.common.level, Level::Debug);
  EXPECT_EQ(run.common.debug_topics, (Words{"a", "b"}));
  EXPECT_STREQ(run.command->name, "key list");
}

TEST(CommandLine, DefaultsAreBorgs) {
  const Invocation run = accepted(parse({"create", "a", "b"}));
  EXPECT_EQ(run.common.level, Level::Warning);
  EXPECT_EQ(run.common.lock_wait, 10);
  EXPECT_EQ(run.common.umask, 0077);
  const auto& o = run.as<CreateOptions>();
  EXPECT_EQ(o.stdin_mode, 0660);
  EXPECT_EQ(o.files_cache, "ctime,size,inode");
  EXPECT_EQ(o.group_by, (Words{"name", "host"}));
  EXPECT_EQ(o.read_special_timeout, std::nullopt);
}

TEST(CommandLine, WithLockTakesAllWordsAfterTheCommand) {
  for (const Words& words : {Words{"with-lock", "-v", "sh", "-c", "exit 7", "--list"},
                             Words{"with-lock", "-v", "--", "sh", "-c", "exit 7", "--list"}}) {
    const Invocation run = accepted(parse(words));
    EXPECT_EQ(run.as<WithLockOptions>().command, "sh");
    EXPECT_EQ(run.as<WithLockOptions>().arguments, (Words{"-c", "exit 7", "--list"}));
  }
}

TEST(CommandLine, NothingOrABareGroupShowsTheHelp) {
  for (const Words& words : {Words{}, Words{"key"}, Words{"-h"}, Words{"-r", "x"}}) {
    const Invocation run = accepted(parse(words));
    EXPECT_EQ(run.action, Invocation::Action::Help);
    EXPECT_EQ(run.topic, "");
  }
  EXPECT_EQ(accepted(parse({"key", "--help"})).topic, "key");
  EXPECT_EQ(accepted(parse({"create", "--help", "--nope"})).topic, "create");
  EXPECT_EQ(accepted(parse({"-V"})).action, Invocation::Action::Version);
}

TEST(CommandLine, CommandsThatAreNotBuiltAreKnown) {
  const Invocation run = accepted(parse({"-v", "mount", "--other", "x", "--whatever"}));
  EXPECT_STREQ(run.command->name, "mount");
  EXPECT_FALSE(run.command->built);
}

TEST(CommandLine, CommandLineBeatsEnvironmentBeatsConfiguration) {
  const std::map<std::string, std::string> files{
      {"/c/default.yaml",
       "info: true\nlock_wait: 1\ncreate: {comment: from default, compression: zlib, tag: [a, b]}\n"},
      {"/mine", "{\"lock-wait\": 2, \"create\": {\"comment\": \"from mine\"}}"}};
  const Variables config{{"BORG_CONFIG_DIR", "/c"}};
  Invocation run = accepted(parse({"create", "n", "p"}, config, files));
  EXPECT_EQ(run.as<CreateOptions>().comment, "from default");
  EXPECT_EQ(run.as<CreateOptions>().tags, (Words{"a", "b"}));
  EXPECT_EQ(run.common.lock_wait, 1);
  EXPECT_EQ(run.common.level, Level::Info);

  run = accepted(parse({"--config", "/mine", "create", "n", "p"}, config, files));
  EXPECT_EQ(run.as<CreateOptions>().comment, "from mine");
  EXPECT_EQ(run.as<CreateOptions>().compression, "zlib");
  EXPECT_EQ(run.common.lock_wait, 2);

  Variables environment = config;
  environment["BORG_CREATE__COMMENT"] = "from environment";
  environment["BORG_LOCK_WAIT"] = "3";
  run = accepted(parse({"--config", "/mine", "create", "n", "p"}, environment, files));
  EXPECT_EQ(run.as<CreateOptions>().comment, "from environment");
  EXPECT_EQ(run.common.lock_wait, 3);

  run = accepted(parse({"--lock-wait=4", "--error", "create", "--comment", "mine", "n", "p"}, environment, files));
  EXPECT_EQ(run.as<CreateOptions>().comment, "mine");
  EXPECT_EQ(run.common.lock_wait, 4);
  EXPECT_EQ(run.common.level, Level::Error);
}

TEST(CommandLine, EnvironmentNeverContradictsAnExclusiveOption) {
  const Invocation run = accepted(parse({"repo-list", "--first", "2"}, {{"BORG_REPO_LIST__LAST", "3"}}));
  EXPECT_EQ(run.as<RepoListOptions>().filters.first, 2);
  EXPECT_EQ(run.as<RepoListOptions>().filters.last, 0);
}

TEST(CommandLine, EmptyRepositoryMeansTheEnvironments) {
  EXPECT_EQ(accepted(parse({"-r", "", "repo-list"}, {{"BORG_REPO", "/r"}})).common.repo, "/r");
  EXPECT_EQ(accepted(parse({"repo-list", "-r", "/x"}, {{"BORG_REPO", "/r"}})).common.repo, "/x");
  EXPECT_EQ(accepted(parse({"repo-create", "-e", "aes256-ocb"}, {{"BORG_OTHER_REPO", "/o"}}))
                .as<RepoCreateOptions>()
                .other_repo,
            "/o");
}

TEST(CommandLine, ThreadsComeFromTheOptionOrTheVariable) {
  EXPECT_EQ(accepted(parse({"repo-list"}, {{"CAIRN_THREADS", "3"}})).common.threads, 3);
  EXPECT_EQ(accepted(parse({"repo-list", "--threads", "2"}, {{"CAIRN_THREADS", "3"}})).common.threads, 2);
}

TEST(CommandLine, BadConfigurationIsAUsageError) {
  for (const char* text : {"creat: {comment: x}", "create: {commment: x}", "nonsense: 1", "create: [", "- 1",
                           "create: {comment: [a, b]}", "create: {key: {list: {deep: 1}}}"}) {
    const Parsed parsed = parse({"--config", "/f", "create", "a", "b"}, {}, {{"/f", text}});
    EXPECT_TRUE(std::holds_alternative<UsageError>(parsed)) << text;
  }
  accepted(
      parse({"--config", "/f", "create", "a", "b"}, {}, {{"/f", "prune: {keep: 3}\nmount: {foreground: true}\n"}}));
}

TEST(CommandLine, ListWithProgressIsFineAsJson) {
  EXPECT_TRUE(accepted(parse({"--log-json", "create", "--list", "-p", "a", "b"})).as<CreateOptions>().list);
}

TEST(CommandLine, CheckContradictionsAreCommandErrors) {
  for (const Words& words :
       {Words{"check", "--max-duration", "5"}, Words{"check", "--archives-only", "--max-age", "1d"},
        Words{"check", "--repository-only", "--verify-data"}}) {
    const Parsed parsed = parse(words);
    const auto* error = std::get_if<Error>(&parsed);
    ASSERT_NE(error, nullptr) << words[1];
    EXPECT_EQ(error->code(), Code::Command);
  }
}

TEST(CommandLine, UsageErrorNamesTheProgramAsInvoked) {
  const std::string text = usage_error_text("borg", UsageError{"key list", "unrecognized arguments: x"});
  EXPECT_NE(
      text.find("\ntip: For details of accepted options run: borg key list --help\nerror: unrecognized arguments: x\n"),
      std::string::npos);
  EXPECT_TRUE(text.starts_with("usage: borg key list"));
}

TEST(CommandLine, EveryBuiltCommandHasHelpThatNamesItsOptions) {
  for (const Command* command : commands()) {
    if (!command->built) continue;
    const auto help = help_text("cairn", command->name, 80);
    ASSERT_TRUE(help) << command->name;
    for (const OptionSet& set : command->sets)
      for (const Option& option : set.options)
        EXPECT_EQ(help->find(option.names) != std::string::npos, !option.is_hidden) << command->name << option.names;
  }
}

// Two options of one command with one name could never both be reached.
TEST(CommandLine, NamesAreUniqueWithinACommand) {
  for (const Command* command : commands()) {
    std::map<std::string, int> times;
    for (const OptionSet& set : command->sets)
      for (const Option& option : set.options)
        for (const auto name : names_of(option)) ++times[std::string(name)];
    for (const Option& option : common_options())
      for (const auto name : names_of(option)) ++times[std::string(name)];
    for (const auto& [name, count] : times) EXPECT_EQ(count, 1) << command->name << " " << name;
  }
}

}  // namespace
}  // namespace cairn::cli

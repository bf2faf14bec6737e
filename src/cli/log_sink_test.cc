// Records by value; the examples stand in docs/format (cli, section 5; transcripts).
#include "cli/log_sink.h"

#include <gtest/gtest.h>

#include "cli/captured_output_test.h"

namespace cairn::cli {
namespace {

struct LogSink : testing::Test {
  CapturedOutput captured;
  ExitStatus exit;
  SetClock clock;
  std::string written(LogSettings settings, const LogRecord& record) {
    LogWriter writer(captured.output, exit, std::move(settings), clock);
    writer.write(record);
    return captured.error_text();
  }
};

TEST_F(LogSink, TextIsTheBareMessage) {
  EXPECT_EQ(written({}, {.level = Level::Warning, .logger = "borg.archiver", .message = "a\nb"}), "a\nb\n");
  EXPECT_EQ(written({}, {.level = Level::Info, .logger = "borg.archiver", .message = "a"}), "");
}

TEST_F(LogSink, JsonCarriesTheMessageIdOfTheCode) {
  const Code code = Code::BackupNotFound;
  EXPECT_EQ(
      written({.json = true}, {.level = Level::Warning,
                               .logger = "borg.archiver",
                               .message = "nonexist: stat: [Errno 2] No such file or directory: 'nonexist'",
                               .code = &code}),
      "{\"type\": \"log_message\", \"time\": 1796050002.5, \"message\": \"nonexist: stat: [Errno 2] No such file or "
      "directory: 'nonexist'\", \"levelname\": \"WARNING\", \"name\": \"borg.archiver\", \"msgid\": "
      "\"BackupFileNotFoundError\"}\n");
  EXPECT_EQ(exit.result(false), 107);
}

TEST_F(LogSink, OutputLoggersDoNotDependOnTheLevel) {
  const LogRecord list{.level = Level::Info, .logger = "borg.output.list", .message = "+ file1"};
  EXPECT_EQ(written({}, list), "");
  EXPECT_EQ(written({.level = Level::Critical, .list = true}, list), "+ file1\n");
  EXPECT_EQ(written({.stats = true}, list), "");
  EXPECT_EQ(written({.level = Level::Info}, list), "+ file1\n");
}

TEST_F(LogSink, DebugTopicsOpenTheirLoggers) {
  const LogRecord record{.level = Level::Debug, .logger = "borg.debug.files_cache", .message = "m"};
  EXPECT_EQ(written({.debug_topics = {"files_cache"}}, record), "m\n");
  EXPECT_EQ(written({.debug_topics = {"borg.debug"}}, record), "m\n");
  EXPECT_EQ(written({.debug_topics = {"files"}}, record), "");
}

TEST_F(LogSink, FileStatusKeepsTheBytesOfBadNames) {
  LogWriter json(captured.output, exit, {.json = true}, clock);
  json.file_status('U', "funny\xff");
  EXPECT_EQ(captured.error_text(),
            "{\"type\": \"file_status\", \"status\": \"U\", \"path\": \"funny?\", \"path_b64\": \"ZnVubnn/\"}\n");
  LogWriter text(captured.output, exit, {}, clock);
  text.file_status('A', "funny\xff");
  EXPECT_EQ(captured.error_text(), "A funny?\n");
}

TEST_F(LogSink, ErrorsEndWithTheirMessageId) {
  LogWriter writer(captured.output, exit, {.json = true}, clock);
  writer.error(Error(Code::CacheInitAborted, ""));
  EXPECT_EQ(captured.error_text(),
            "{\"type\": \"log_message\", \"time\": 1796050002.5, \"message\": \"Cache initialization aborted\", "
            "\"levelname\": \"ERROR\", \"name\": \"borg.archiver\", \"msgid\": \"CacheInitAbortedError\"}\n");
}

}  // namespace
}  // namespace cairn::cli

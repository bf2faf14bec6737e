#include "cli/output.h"

#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "base/units.h"
#include "cli/captured_output_test.h"
#include "cli/display_text.h"
#include "cli/json_output.h"
#include "cli/json_text.h"

namespace cairn::cli {
namespace {

TEST(Output, AReaderThatGoesAwayIsNoError) {
  std::signal(SIGPIPE, SIG_IGN);
  CapturedOutput captured;
  captured.out.read_end.reset();
  captured.output.write("x\n");
  EXPECT_TRUE(captured.output.flush());
  EXPECT_TRUE(captured.output.reader_gone());
}

TEST(Output, AFullDiskIsAnError) {
  const Fd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  if (!full) GTEST_SKIP() << "no /dev/full";
  Output output(full.get(), full.get());
  output.write("x");
  const Status status = output.flush();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), Code::NoSpace);
}

TEST(Output, TransientLinesGiveWayOnATerminal) {
  int master = -1, slave = -1;
  ASSERT_EQ(::openpty(&master, &slave, nullptr, nullptr, nullptr), 0);
  const Fd reader(master), terminal(slave);
  Output output(terminal.get(), terminal.get());
  EXPECT_TRUE(output.error_is_terminal());
  output.show_transient("10%");
  output.error_line("warning");
  output.show_transient("20%");
  output.show_transient("");
  EXPECT_EQ(drained(reader.get()), "10%\r\033[Kwarning\r\n20%\r\033[K");
  EXPECT_EQ(output.out_text("a\033[2Jb\xff"), "a\\x1b[2Jb?");
}

TEST(DisplayText, BadBytesAndControls) {
  EXPECT_EQ(replaced("a\xff\xc3\xa4\xed\xa0\x80\xc3"), "a?\xc3\xa4????");
  EXPECT_EQ(terminal_safe("a\tb\nc\r\x7f\xc2\x9b"), "a\tb\nc\\x0d\\x7f\\x9b");
  EXPECT_EQ(middle_shortened("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(middle_shortened("abcdefghij", 9), "abc...hij");
  EXPECT_EQ(middle_shortened("äöüßäöüßäö", 7), "äö...äö");
  EXPECT_EQ(middle_shortened("abcdefghij", 2), "..");
}

TEST(JsonText, StringsAndNumbersAsPythonWritesThem) {
  std::string out;
  append_json_string(out, "a\"\\\n\x01\xc3\xa4\xf0\x9f\x98\x80\xff/\x7f");
  EXPECT_EQ(out, R"("a\"\\\n\u0001\u00e4\ud83d\ude00\udcff/\u007f")");
  EXPECT_EQ(json_number(0), "0.0");
  EXPECT_EQ(json_number(0.1), "0.1");
  EXPECT_EQ(json_number(1796050002.2453492), "1796050002.2453492");
  EXPECT_EQ(json_number(1e16), "1e+16");
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("a"), "YQ==");
  EXPECT_EQ(base64("ab"), "YWI=");
  EXPECT_EQ(base64("abc"), "YWJj");
}

TEST(JsonOutput, DocumentsAreSortedAndIndented) {
  nlohmann::json document = {{"b", {1, 2.0}}, {"a", nlohmann::json::object()}, {"c", nullptr}};
  set_text(document, "path", "f\xff");
  EXPECT_EQ(json_text(document, "  "),
            "{\n  \"a\": {},\n  \"b\": [\n    1,\n    2.0\n  ],\n  \"c\": null,\n  \"path\": \"f?\",\n  \"path_b64\": "
            "\"Zv8=\"\n}");
  EXPECT_EQ(json_text({{"b", {1, 2}}, {"a", true}}, std::nullopt), "{\"a\": true, \"b\": [1, 2]}");
}

TEST(SizeText, LooksLikeBorgs) {
  EXPECT_EQ(format_size(401), "401 B");
  EXPECT_EQ(format_size(0), "0 B");
  EXPECT_EQ(format_size(12583418), "12.58 MB");
  EXPECT_EQ(format_size(3145774, {.units = Units::Iec}), "3.00 MiB");
  EXPECT_EQ(format_size(3145774, {.units = Units::Raw}), "3145774 B");
  EXPECT_EQ(format_size(999996), "1.00 MB");
  EXPECT_EQ(format_size(11, {.precision = 1, .sign = true}), "+11 B");
  EXPECT_EQ(format_size(-12, {.precision = 1, .sign = true}), "-12 B");
  EXPECT_EQ(format_size(18893), "18.89 kB");
  EXPECT_EQ(format_size(8388682, {.fine = true}), "8.39 MB");
  EXPECT_EQ(format_size(1234567890123, {.fine = true}), "1.234568 TB");
}

}  // namespace
}  // namespace cairn::cli

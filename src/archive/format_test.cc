#include "archive/format.h"

#include <cstdlib>
#include <ctime>

#include <gtest/gtest.h>

namespace cairn::archive {
namespace {

constexpr std::string_view kKeys[] = {"name", "size", "time", "id"};

// As `borg2 repo-list --format ...` answers for an archive "fixed" of size 49 of 2020-01-02T03:04:05+01:00.
std::string rendered(std::string_view format) {
  ::setenv("TZ", "Europe/Berlin", 1);
  ::tzset();
  const auto compiled = FormatTemplate::compile(format, kKeys);
  if (!compiled) return compiled.error().message();
  std::string out;
  const Status status = compiled->render(
      [&](std::size_t index) -> FormatValue {
        const std::string& key = compiled->keys()[index];
        if (key == "name") return std::string_view("fixed");
        if (key == "size") return std::int64_t{49};
        if (key == "time") return TimeValue{1'577'930'645 * kSecond};
        return std::string(64, 'a');
      },
      out);
  return status ? out : status.error().message();
}

TEST(FormatTemplate, RendersAsBorgDoes) {
  EXPECT_EQ(rendered("{name!r}"), "'fixed'");
  EXPECT_EQ(rendered("{name!s}"), "fixed");
  EXPECT_EQ(rendered("{size:.2f}"), "49.00");
  EXPECT_EQ(rendered("{size:e}"), "4.900000e+01");
  EXPECT_EQ(rendered("{size:+}"), "+49");
  EXPECT_EQ(rendered("{size!r:>5}"), "   49");
  EXPECT_EQ(rendered("{time:>40}|"), ">40|");
  EXPECT_EQ(rendered("{time:%Y}|"), "2020|");
  EXPECT_EQ(rendered("{time}"), "Thu, 2020-01-02 03:04:05 +0100");
  EXPECT_EQ(rendered("{time!s:>40}"), "        2020-01-02T03:04:05.000000+01:00");
  EXPECT_EQ(rendered("{name:05}|"), "fixed|");
  EXPECT_EQ(rendered("{id:.8}  {name:<8}|{size:8}"), "aaaaaaaa  fixed   |      49");
  EXPECT_EQ(rendered("{{name}}{NL}{TAB}{SPACE}{CR}{LF}{NEWLINE}"), "{name}\n\t \r\n\n");
  EXPECT_EQ(rendered("{NUL}"), std::string(1, '\0'));
  EXPECT_EQ(rendered("{NL:>3}"), "  \n");
  EXPECT_EQ(rendered(""), "");
}

TEST(FormatTemplate, ErrorsHaveBorgsWords) {
  EXPECT_EQ(rendered("{foo}{bar}{name}{baz}{foo}"), "Invalid format keys: bar, baz, foo");
  EXPECT_EQ(rendered("{name.foo}"), "Invalid format keys: name.foo");
  EXPECT_EQ(rendered("{name[0]}"), "Invalid format keys: name[0]");
  EXPECT_EQ(rendered("{0}"), "Invalid format keys: 0");
  EXPECT_EQ(rendered("{"), "Invalid format string: Single '{' encountered in format string");
  EXPECT_EQ(rendered("}"), "Invalid format string: Single '}' encountered in format string");
  EXPECT_EQ(rendered("{name"), "Invalid format string: expected '}' before end of string");
  EXPECT_EQ(rendered("{name:}}"), "Invalid format string: Single '}' encountered in format string");
  EXPECT_EQ(FormatTemplate::compile("{foo}", kKeys).error().code(), Code::Command);
}

TEST(FormatTemplate, WhatBorgAnswersWithATracebackIsAnErrorToo) {
  for (const char* text :
       {"{}", "{name!x}", "{name!}", "{name:>{size}}", "{name:{NL}}", "{size:foo}", "{name:d}", "{name:=10}",
        "{size:3.1}", "{size:s}", "{name:,}", "{name:+}", "{name:#}", "{name!r!s}", "{a{b}}"}) {
    EXPECT_EQ(rendered(text).substr(0, 23), "Invalid format string: ") << text;
  }
}

TEST(FormatTemplate, ListsTheKeysInUse) {
  const auto compiled = FormatTemplate::compile("{size}{NL}{name}{size}", kKeys);
  ASSERT_TRUE(compiled.has_value());
  EXPECT_EQ(compiled->keys(), (std::vector<std::string>{"size", "name"}));
  EXPECT_TRUE(compiled->uses("name"));
  EXPECT_FALSE(compiled->uses("NL"));
}

}  // namespace
}  // namespace cairn::archive

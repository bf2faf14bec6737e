#include "archive/placeholders.h"

#include <unistd.h>

#include <cstdlib>
#include <ctime>

#include <gtest/gtest.h>

#include "base/host.h"

namespace cairn::archive {
namespace {

class Placeholders : public testing::Test {
 protected:
  Placeholders() {
    ::setenv("TZ", "Europe/Berlin", 1);
    ::setenv("BORG_HOSTNAME", "lab", 1);
    ::setenv("BORG_USERNAME", "tester", 1);
    ::tzset();
  }
  ~Placeholders() override {
    ::unsetenv("BORG_HOSTNAME");
    ::unsetenv("BORG_USERNAME");
  }
  static std::string replaced(std::string_view text) {
    const auto result = replace_placeholders(text, {.now = 1'577'930'645 * kSecond});
    return result ? *result : result.error().message();
  }
  static Code code(std::string_view text) {
    const auto result = replace_placeholders(text, {});
    return result ? Code::Internal : result.error().code();
  }
};

TEST_F(Placeholders, AreReplaced) {
  EXPECT_EQ(replaced("plain"), "plain");
  EXPECT_EQ(replaced("{{}}"), "{}");
  EXPECT_EQ(replaced("{hostname}-{user}"), "lab-tester");
  EXPECT_EQ(replaced("{now}"), "2020-01-02T03:04:05");
  EXPECT_EQ(replaced("{now:}"), "2020-01-02T03:04:05");
  EXPECT_EQ(replaced("{utcnow:%H:%M}"), "02:04");
  EXPECT_EQ(replaced("{now:>30}"), ">30");
  EXPECT_EQ(replaced("{unixtime}"), "1577930645");
  EXPECT_EQ(replaced("{unixtime:012}"), "001577930645");
  EXPECT_EQ(replaced("{hostname:>6}|{hostname:.1}"), "   lab|l");
  EXPECT_EQ(replaced("{pid}"), std::to_string(::getpid()));
  EXPECT_EQ(replaced("{now:%Y-{user}}"), "2020-tester");
  EXPECT_EQ(replaced("{borgversion} {borgmajor} {borgminor} {borgpatch}"), "2.0.0b25 2 2.0 2.0.0");
  EXPECT_EQ(replaced("{fqdn}"), fqdn());
  EXPECT_EQ(replaced("sh:{{a,b}}"), "sh:{a,b}");
}

TEST_F(Placeholders, AUuidIsRandomAndOfVersionFour) {
  const std::string one = replaced("{uuid4}");
  EXPECT_EQ(one.size(), 36U);
  EXPECT_EQ(one[14], '4');
  EXPECT_NE(std::string("89ab").find(one[19]), std::string::npos);
  EXPECT_NE(one, replaced("{uuid4}"));
}

TEST_F(Placeholders, UnknownOnesAreInvalid) {
  EXPECT_EQ(replaced("x{foo}"), "Invalid placeholder \"foo\" in string: x{foo}");
  EXPECT_EQ(replaced("{now!r}"), "Invalid placeholder \"now\" in string: {now!r}");
  EXPECT_EQ(replaced("{now.foo}"), "Invalid placeholder \"now.foo\" in string: {now.foo}");
  EXPECT_EQ(replaced("{ now }"), "Invalid placeholder \" now \" in string: { now }");
  EXPECT_EQ(replaced("sh:{x,y}"), "Invalid placeholder \"x,y\" in string: sh:{x,y}");
  EXPECT_EQ(code("{foo}"), Code::InvalidPlaceholder);
}

TEST_F(Placeholders, WhatCannotBeEvaluatedIsAnotherError) {
  for (const char* text :
       {"{", "}", "{now", "a}", "{}", "{hostname:d}", "{hostname:%Y}", "{hostname:=5}", "{pid:{pid:{pid:{pid}}}}"}) {
    EXPECT_EQ(code(text), Code::Placeholder) << text;
  }
  EXPECT_EQ(
      replaced("{hostname:d}"),
      "Formatting Error: \"{hostname:d}\".format(...): ValueError(Unknown format code 'd' for object of type 'str')");
}

}  // namespace
}  // namespace cairn::archive

#include "repo/flat_json.h"

#include <gtest/gtest.h>

namespace cairn::repo {
namespace {

TEST(FlatJson, ReadsEveryKindOfValue) {
  const auto json = FlatJson::parse(
      "\t{\"text\": \"a\\\"\\\\\\n\\u00e9\", \"n\": -12,\"yes\":true , \"no\":false,\"nothing\":null, "
      "\"list\":[\"x\", \"y\"], \"empty\":[] }\r\n");
  ASSERT_TRUE(json);
  EXPECT_EQ(json->text("text"), "a\"\\\n\u00e9");
  EXPECT_EQ(json->integer("n"), -12);
  EXPECT_EQ(json->boolean("yes"), true);
  EXPECT_EQ(json->boolean("no"), false);
  EXPECT_EQ(json->text("nothing"), std::nullopt);
  ASSERT_NE(json->list("list"), nullptr);
  EXPECT_EQ(*json->list("list"), (std::vector<std::string>{"x", "y"}));
  EXPECT_TRUE(json->list("empty")->empty());
  EXPECT_EQ(json->integer("text"), std::nullopt);  // another type
  EXPECT_EQ(json->list("missing"), nullptr);
}

TEST(FlatJson, RefusesMalformedText) {
  for (const char* text : {"",
                           "{",
                           "}",
                           "[]",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":1",
                           "{\"a\":1,}",
                           "{,\"a\":1}",
                           "{\"a\":1}x",
                           "{\"a\":1 \"b\":2}",
                           "{\"a\":{}}",
                           "{\"a\":[1]}",
                           "{\"a\":[\"x\"",
                           "{\"a\":\"x}",
                           "{\"a\":\"\\x\"}",
                           "{\"a\":\"\\u12\"}",
                           "{\"a\":\"\\u12g4\"}",
                           "{a:1}",
                           "{\"a\":tru}",
                           "{\"a\":99999999999999999999}",
                           "{\"a\":\"\n\"}",
                           "{\"a\":[\"x\" \"y\"]}",
                           "{\"a\":1.5}"}) {
    EXPECT_FALSE(FlatJson::parse(text)) << text;
  }
}

TEST(FlatJson, TextsSurviveWritingAndReading) {
  std::string all;
  for (int c = 1; c < 128; ++c) all += static_cast<char>(c);
  const auto json = FlatJson::parse("{\"t\": " + json_text(all) + "}");
  ASSERT_TRUE(json);
  EXPECT_EQ(json->text("t"), all);
}

TEST(FlatJson, HasAnUpperLimitOfValues) {
  std::string text = "{";
  for (int i = 0; i < 100; ++i) text += (i > 0 ? ",\"k" : "\"k") + std::to_string(i) + "\":1";
  EXPECT_FALSE(FlatJson::parse(text + "}"));
}

}  // namespace
}  // namespace cairn::repo

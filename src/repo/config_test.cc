#include "repo/config.h"

#include <gtest/gtest.h>

namespace cairn::repo {
namespace {

constexpr std::string_view kExample =
    "# This is a Borg Backup repository.\n"
    "# See https://borgbackup.readthedocs.io/\n"
    "\n"
    "[repository]\n"
    "version = 5\n"
    "id = 298d5b9ec81b2544b6ac5a2f49533b1b470b5228665988a1bbeb001d75caf23a\n"
    "encryption = authenticated-sha256\n"
    "id_hash = sha256\n"
    "\n";

TEST(Config, WritesWhatBorgWrites) {
  const auto id = RepositoryId::from_hex("298d5b9ec81b2544b6ac5a2f49533b1b470b5228665988a1bbeb001d75caf23a");
  EXPECT_EQ(kExample.size(), 225U);
  EXPECT_EQ(encode_config(*id, *crypt::find_suite("authenticated-sha256", "sha256")), kExample);
  const auto read = parse_config(kExample, "here");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->id, *id);
  EXPECT_EQ(read->suite->type_byte, 0x50);
}

std::string config_with(std::string_view lines) {
  return "[repository]\nid = 298d5b9ec81b2544b6ac5a2f49533b1b470b5228665988a1bbeb001d75caf23a\n" + std::string(lines);
}

TEST(Config, ReadsIniLiberties) {
  for (const char* lines : {"version: 5\nENCRYPTION=aes256-ocb\nId_Hash : blake3",
                            "; a comment\n\nversion =5\r\n"
                            "unknown = 1\nencryption = aes256-ocb\nid_hash = blake3\n[other]\nversion = 9\n"}) {
    const auto config = parse_config(config_with(lines), "here");
    ASSERT_TRUE(config) << lines;
    EXPECT_EQ(config->suite->type_byte, 0x30) << lines;
  }
  const auto no_key = parse_config(config_with("version = 5\n"), "here");
  ASSERT_TRUE(no_key);
  EXPECT_FALSE(no_key->suite);
}

TEST(Config, RefusesWhatItCannotUse) {
  struct Case {
    const char* lines;
    Code code;
  };
  for (const Case& c :
       {Case{"version = 4\n", Code::InvalidRepositoryConfig}, Case{"version = 6", Code::InvalidRepositoryConfig},
        Case{"version = five", Code::InvalidRepository}, Case{"", Code::InvalidRepository},
        Case{"version = 5\nversion = 5", Code::InvalidRepository},
        Case{"version = 5\nencryption = aes256-ocb", Code::InvalidRepositoryConfig},
        Case{"version = 5\nencryption = rot13\nid_hash = sha256", Code::InvalidRepositoryConfig},
        Case{"version = 5\n[repository]\n", Code::InvalidRepository},
        Case{"version = 5\nno separator", Code::InvalidRepository}}) {
    const auto config = parse_config(config_with(c.lines), "here");
    ASSERT_FALSE(config) << c.lines;
    EXPECT_EQ(config.error().code(), c.code) << c.lines;
  }
  // Torture T15: every truncation, and NUL bytes of the same length.
  for (std::size_t size = 0; size < kExample.size(); ++size) {
    const auto config = parse_config(kExample.substr(0, size), "here");
    EXPECT_FALSE(config && config->suite && size < kExample.find("id_hash")) << size;
  }
  EXPECT_FALSE(parse_config(std::string(225, '\0'), "here"));
}

TEST(Defaults, GoldenBytesOfTheExample) {
  const Buffer bytes = encode_defaults({.compression = "zstd,3", .chunker_params = "fastcdc,10,16,13,2"});
  EXPECT_EQ(text_of(bytes),
            "\x82\xab"
            "compression"
            "\xa6"
            "zstd,3"
            "\xae"
            "chunker_params"
            "\xb2"
            "fastcdc,10,16,13,2");
  const auto read = decode_defaults(bytes, "here");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->compression, "zstd,3");
  EXPECT_EQ(read->chunker_params, "fastcdc,10,16,13,2");
  EXPECT_EQ(text_of(encode_defaults({})), "\x80");
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto cut = decode_defaults(bytes.view(0, size), "here");
    ASSERT_FALSE(cut) << size;
    EXPECT_EQ(cut.error().code(), Code::InvalidRepositoryConfig);
  }
}

}  // namespace
}  // namespace cairn::repo

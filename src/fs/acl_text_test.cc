#include "fs/acl_text.h"

#include <acl/libacl.h>
#include <gtest/gtest.h>
#include <sys/acl.h>

#include <random>

#include "fs/node.h"
#include "fs/scratch_for_tests.h"

namespace cairn::fs {
namespace {

std::string unhex(std::string_view hex) {
  std::string out(hex.size() / 2, '\0');
  EXPECT_TRUE(from_hex(hex, std::as_writable_bytes(std::span(out.data(), out.size()))));
  return out;
}

// Pairs made with Borg's own acl_text_to_xattr (borg.platform.linux, 2.0.0b25).
struct Pair {
  const char* text;
  const char* hex;
};
constexpr Pair kPairs[] = {
    {"user::rwx\nuser:nosuch_a:rw-:4711\ngroup::r-x\nmask::rwx\nother::r-x",
     "0200000001000700ffffffff020006006712000004000500ffffffff10000700ffffffff20000500ffffffff"},
    {"user::rw-\nuser:nosuch_5:rw-:5\ngroup::r-x\nmask::rwx\nother::r-x\n\n",
     "0200000001000600ffffffff020006000500000004000500ffffffff10000700ffffffff20000500ffffffff"},
    {"user::rwx\nuser:nosuch_9:r--:9\nuser:nosuch_3:r--:3\ngroup::r-x\nmask::rwx\nother::r-x",
     "0200000001000700ffffffff0200040003000000020004000900000004000500ffffffff10000700ffffffff20000500ffffffff"},
    {"", "02000000"},
};

TEST(AclText, BinaryEqualsBorgs) {
  for (const Pair& pair : kPairs) {
    for (const bool numeric : {false, true}) {
      const auto binary = acl_from_text(pair.text, numeric);
      ASSERT_TRUE(binary) << pair.text;
      EXPECT_EQ(to_hex(bytes_of(*binary)), pair.hex);
    }
  }
}

TEST(AclText, LocalNamesWinOverStoredIdsUnlessNumeric) {
  const std::string text = "user::rwx\nuser:root:rw-:77\ngroup::r-x\nmask::rwx\nother::r-x";
  EXPECT_EQ(acl_to_text(bytes_of(*acl_from_text(text, false)), true),
            "user::rwx\nuser:0:rw-:0\ngroup::r-x\nmask::rwx\nother::r-x");
  EXPECT_EQ(acl_to_text(bytes_of(*acl_from_text(text, true)), true),
            "user::rwx\nuser:77:rw-:77\ngroup::r-x\nmask::rwx\nother::r-x");
}

TEST(AclText, NamesAndNumbersAsBorgWritesThem) {
  const std::string binary =
      unhex("0200000001000700ffffffff020006000000000004000500ffffffff080004006400009010000700ffffffff20000500ffffffff");
  EXPECT_EQ(acl_to_text(bytes_of(binary), false),
            "user::rwx\nuser:root:rw-:0\ngroup::r-x\ngroup:2415919204:r--:2415919204\nmask::rwx\nother::r-x");
  EXPECT_EQ(acl_to_text(bytes_of(binary), true),
            "user::rwx\nuser:0:rw-:0\ngroup::r-x\ngroup:2415919204:r--:2415919204\nmask::rwx\nother::r-x");
}

TEST(AclText, LinesWithoutStoredIdUseNameOrNumber) {
  const auto binary = acl_from_text("user::rwx\nuser:root:r--\nuser:12:r--\ngroup::r-x\nmask::rwx\nother::---", false);
  ASSERT_TRUE(binary);
  EXPECT_EQ(acl_to_text(bytes_of(*binary), true),
            "user::rwx\nuser:0:r--:0\nuser:12:r--:12\ngroup::r-x\nmask::rwx\nother::---");
}

TEST(AclText, MalformedTextIsRefused) {
  for (const char* text : {"garbage",
                           "user::rw",
                           "user::rwxx",
                           "user::wr-",
                           "u::rwx",
                           " user::rwx",
                           "user::rwx ",
                           "mask:5:rwx",
                           "other:x:rwx:5",
                           "user:nosuch_x:rwx",
                           "user:nosuch_x:rwx:",
                           "user:nosuch_x:rwx:-1",
                           "user:nosuch_x:rwx:4294967295",
                           "user:nosuch_x:rwx:4294967296",
                           "user:nosuch_x:rwx: 5",
                           "user:nosuch_x:rwx:5:6",
                           "user::rwx:5",
                           ":::",
                           "::",
                           "\\x00",
                           "user::rwx\r\n"}) {
    EXPECT_FALSE(acl_from_text(text, false)) << text;
    EXPECT_FALSE(acl_from_text(text, true)) << text;
  }
}

TEST(AclText, MalformedBinaryIsRefused) {
  for (const char* hex : {"02", "020000", "03000000", "0200000001000700ffffff", "0200000003000700ffffffff",
                          "0200000000000700ffffffff", "020000000100"}) {
    EXPECT_FALSE(acl_to_text(bytes_of(unhex(hex)), false)) << hex;
  }
  EXPECT_EQ(acl_to_text({}, false), "");
  EXPECT_EQ(acl_to_text(bytes_of(unhex("02000000")), false), "");
}

TEST(AclText, ModeTextEqualsLibacl) {
  for (const std::uint32_t mode : {0U, 0777U, 0640U, 07755U, 0421U}) {
    acl_t acl = ::acl_from_mode(mode & 0777U);
    char* text = ::acl_to_any_text(acl, nullptr, '\n', TEXT_NUMERIC_IDS);
    EXPECT_EQ(acl_text_of_mode(mode), text);
    ::acl_free(text);
    ::acl_free(acl);
  }
}

// Turns libacl's text into Borg's, independently of the code under test.
std::string with_ids(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    const std::string line(text.substr(0, newline));
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    const std::string id = line.substr(first + 1, second - first - 1);
    out += (out.empty() ? "" : "\n") + line + (id.empty() ? "" : ":" + id);
  }
  return out;
}

// What the kernel has, read and printed by libacl.
std::string libacl_text(const std::string& path, acl_type_t type) {
  acl_t acl = ::acl_get_file(path.c_str(), type);
  if (acl == nullptr) return "(none)";
  char* text = ::acl_to_any_text(acl, nullptr, '\n', TEXT_NUMERIC_IDS);
  std::string out = with_ids(text);
  ::acl_free(text);
  ::acl_free(acl);
  return out;
}

TEST(AclText, RandomAclsAgreeWithLibaclThroughTheKernel) {
  std::mt19937 random(20261130);  // NOLINT: the same every time on purpose
  int tried = 0;
  for (const std::string& base : scratch_bases()) {
    const Scratch scratch(base);
    ASSERT_EQ(::mkdir((scratch / "dir").c_str(), 0755), 0);
    const std::string path = scratch / "dir";
    for (int round = 0; round < 200; ++round) {
      const auto permissions = [&] {
        std::string text = "---";
        for (std::size_t i = 0; i < 3; ++i) text[i] = (random() & 1U) != 0 ? "rwx"[i] : '-';
        return text;
      };
      std::vector<std::string> lines{"user::" + permissions(), "group::" + permissions(), "other::" + permissions()};
      const std::size_t named = random() % 6;
      for (std::size_t i = 0; i < named; ++i) {
        const std::string id = std::to_string(random() % 100000 + i * 100000);
        lines.push_back(((random() & 1U) != 0 ? "user:" : "group:") + id + ":" + permissions() + ":" + id);
      }
      if (named > 0 || (random() & 1U) != 0) lines.push_back("mask::" + permissions());
      std::shuffle(lines.begin(), lines.end(), random);
      std::string text;
      for (const std::string& line : lines) text += line + "\n";
      const auto binary = acl_from_text(text, true);
      ASSERT_TRUE(binary) << text;
      const bool is_default = (random() & 1U) != 0;
      const char* name = is_default ? kAclDefaultName : kAclAccessName;
      if (::setxattr(path.c_str(), name, binary->data(), binary->size(), 0) != 0) {
        ASSERT_TRUE(errno == EOPNOTSUPP) << text << " " << errno;
        break;
      }
      ++tried;
      const auto st = stat_at(scratch.fd(), "dir", false, "dir");
      const auto got = read_attributes(-1, scratch.fd(), "dir", *st, {.numeric_ids = true}, "dir");
      ASSERT_TRUE(got);
      ASSERT_EQ(got->has_acl, ::acl_extended_file_nofollow(path.c_str()) > 0) << text;
      if (!got->has_acl) continue;
      ASSERT_EQ(got->acl_access, libacl_text(path, ACL_TYPE_ACCESS));
      ASSERT_EQ(got->acl_default, libacl_text(path, ACL_TYPE_DEFAULT));
      // And back: libacl writes what we write.
      ASSERT_EQ(acl_from_text(got->acl_access, true).value().size(),
                4 + 8 * static_cast<std::size_t>(1 + std::count(got->acl_access.begin(), got->acl_access.end(), '\n')));
    }
  }
  if (tried == 0) GTEST_SKIP() << "no file system with ACLs here";
}

TEST(AclText, EntriesOutOfOrderPrintAsLibaclPrintsThem) {
  const Scratch scratch;
  scratch.write("file");
  // Named users 9 before 3: the kernel accepts and keeps that order.
  const std::string binary =
      unhex("0200000001000700ffffffff0200040009000000020004000300000004000500ffffffff10000700ffffffff20000500ffffffff");
  if (::setxattr((scratch / "file").c_str(), kAclAccessName, binary.data(), binary.size(), 0) != 0) {
    GTEST_SKIP() << "no ACLs here";
  }
  const auto st = stat_at(scratch.fd(), "file", false, "file");
  EXPECT_EQ(read_attributes(-1, scratch.fd(), "file", *st, {.numeric_ids = true}, "file")->acl_access,
            libacl_text(scratch / "file", ACL_TYPE_ACCESS));
}

}  // namespace
}  // namespace cairn::fs

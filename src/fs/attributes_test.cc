#include <gtest/gtest.h>
#include <sys/socket.h>

#include "fs/acl_text.h"
#include "fs/flags.h"
#include "fs/node.h"
#include "fs/scratch_for_tests.h"

namespace cairn::fs {
namespace {

Result<Attributes> read(const Scratch& scratch, const std::string& name, const AttributeOptions& options = {}) {
  const auto st = stat_at(scratch.fd(), name, false, name);
  return read_attributes(-1, scratch.fd(), name, *st, options, name);
}

TEST(Attributes, XattrsOfAnySizeByDescriptorAndByName) {
  for (const std::string& base : scratch_bases()) {
    const Scratch scratch(base);
    scratch.write("file");
    const std::string path = scratch / "file";
    std::vector<std::pair<std::string, std::string>> want;
    for (const auto& [name, size] : {std::pair<const char*, std::size_t>{"user.empty", 0},
                                     {"user.one", 1},
                                     {"user.511", 511},
                                     {"user.512", 512},
                                     {"user.513", 513},
                                     {"user.65536", 65536},
                                     {"user.\xff\n\x1b", 3}}) {
      const std::string value(size, '\0');
      if (::setxattr(path.c_str(), name, value.data(), value.size(), 0) == 0) want.emplace_back(name, value);
    }
    if (want.empty()) GTEST_SKIP() << "no user attributes on " << base;
    std::sort(want.begin(), want.end());
    for (const auto& missing : kernels_to_try()) {
      const KernelWithout without(missing);
      const auto by_name = read(scratch, "file");
      ASSERT_TRUE(by_name);
      EXPECT_EQ(by_name->xattrs, want);
      const auto file = open_file(scratch.fd(), "file", "file");
      const auto st = stat_of(file->get(), "file");
      EXPECT_EQ(read_attributes(file->get(), -1, {}, *st, {}, "file")->xattrs, want);
      EXPECT_TRUE(read(scratch, "file", {.xattrs = false})->xattrs.empty());
    }
  }
}

TEST(Attributes, ManyNamesNeedMoreThanTheFirstBuffer) {
  const Scratch scratch("/dev/shm");
  scratch.write("file");
  std::size_t set = 0;
  for (; set < 300; ++set) {
    const std::string name = "user.name_of_some_length_" + std::to_string(set);
    if (::setxattr((scratch / "file").c_str(), name.c_str(), "v", 1, 0) != 0) break;
  }
  if (set < 50) GTEST_SKIP() << "no room for user attributes";
  EXPECT_EQ(read(scratch, "file")->xattrs.size(), set);
}

TEST(Attributes, LinksAndSpecialFilesAreReadWithoutOpeningOrFollowing) {
  if (!is_root()) GTEST_SKIP() << "trusted attributes need root";
  const Scratch scratch;
  scratch.write("file");
  ASSERT_EQ(::symlink("file", (scratch / "link").c_str()), 0);
  ASSERT_EQ(::mkfifo((scratch / "fifo").c_str(), 0644), 0);
  ASSERT_EQ(::setxattr((scratch / "file").c_str(), "trusted.of", "file", 4, 0), 0);
  ASSERT_EQ(::lsetxattr((scratch / "link").c_str(), "trusted.of", "link", 4, 0), 0);
  ASSERT_EQ(::lsetxattr((scratch / "fifo").c_str(), "trusted.of", "fifo", 4, 0), 0);
  for (const auto& missing : kernels_to_try()) {
    const KernelWithout without(missing);
    const bool by_name = kernel().proc || kernel().xattrat;
    for (const std::string name : {"file", "link", "fifo"}) {
      const auto got = read(scratch, name);
      ASSERT_TRUE(got) << got.error().text();
      if (name != "file" && !by_name) {
        EXPECT_TRUE(got->xattrs.empty());
        continue;
      }
      ASSERT_EQ(got->xattrs.size(), 1U) << name;
      EXPECT_EQ(got->xattrs[0].second, name);
      EXPECT_EQ(got->bsdflags, 0U);
    }
  }
}

TEST(Attributes, DanglingLinkDeviceAndSocketAreFine) {
  const Scratch scratch;
  ASSERT_EQ(::symlink("nowhere", (scratch / "link").c_str()), 0);
  ASSERT_EQ(::mknod((scratch / "socket").c_str(), S_IFSOCK | 0644, 0), 0);
  for (const auto& missing : kernels_to_try()) {
    const KernelWithout without(missing);
    EXPECT_TRUE(read(scratch, "link"));
    EXPECT_TRUE(read(scratch, "socket"));
    const auto st = stat_at(AT_FDCWD, "/dev/null", false, "null");
    EXPECT_TRUE(read_attributes(-1, AT_FDCWD, "/dev/null", *st, {}, "null"));
  }
}

TEST(Attributes, FlagsFromStatxAndFromIoctlAreTheSame) {
  for (const std::string& base : scratch_bases()) {
    const Scratch scratch(base);
    scratch.write("file");
    ASSERT_EQ(::mkdir((scratch / "dir").c_str(), 0755), 0);
    for (const std::string name : {"file", "dir"}) {
      const Fd fd(::open((scratch / name).c_str(), O_RDONLY));
      for (std::uint32_t flags = 0; flags < 8; ++flags) {
        if (set_bsdflags(fd.get(), flags) != 0 || get_bsdflags(fd.get()) != flags) continue;  // not here, or not root
        EXPECT_EQ(read(scratch, name)->bsdflags, flags);
        EXPECT_EQ(read(scratch, name, {.flags = false})->bsdflags, 0U);
        {
          const KernelWithout without({&Kernel::statx});
          EXPECT_EQ(read(scratch, name)->bsdflags, flags);
          const auto st = stat_of(fd.get(), name);
          EXPECT_EQ(read_attributes(fd.get(), -1, {}, *st, {}, name)->bsdflags, flags);
        }
        EXPECT_EQ(set_bsdflags(fd.get(), 0), 0);
      }
    }
  }
}

TEST(Attributes, UnreadableFileStillHasAttributes) {
  const Scratch scratch;
  scratch.write("file");
  if (::setxattr((scratch / "file").c_str(), "user.a", "b", 1, 0) != 0) GTEST_SKIP() << "no user attributes";
  ASSERT_EQ(::mkdir((scratch / "dir").c_str(), 0700), 0);
  ASSERT_EQ(::chmod((scratch / "file").c_str(), 0600), 0);
  if (!is_root()) GTEST_SKIP() << "needs root";
  for (const auto& missing : kernels_to_try()) {
    const KernelWithout without(missing);
    EXPECT_EQ(as_nobody([&]() -> std::string {
                // The list may be had by anyone who reaches the file; the value may not (EACCES): a warning, and go on.
                const LogCapture log;
                const bool opens = !kernel().proc && !kernel().xattrat;
                const auto got = read(scratch, "file");
                if (opens) return got || got.error().os_error() != EACCES ? "read without opening" : "";
                if (!got) return got.error().text();
                if (!got->xattrs.empty()) return "value of an unreadable file";
                return log.has("When getting extended attribute user.a: [Errno 13] Permission denied: 'file'\n")
                           ? ""
                           : log.text();
              }),
              "");
  }
}

TEST(Attributes, VanishedObjectIsAnErrorWithItsOperation) {
  const Scratch scratch;
  scratch.write("file");
  const auto st = stat_at(scratch.fd(), "file", false, "file");
  ::unlink((scratch / "file").c_str());
  for (const auto& missing : kernels_to_try()) {
    const KernelWithout without(missing);
    const auto got = read_attributes(-1, scratch.fd(), "file", *st, {}, "shown");
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code(), Code::NotFound);
    EXPECT_EQ(got.error().message(), "[Errno 2] No such file or directory: 'shown'");
    ASSERT_EQ(got.error().places().size(), 1U);
    EXPECT_EQ(got.error().places()[0], "extended stat (xattrs)");
    EXPECT_TRUE(read_attributes(-1, scratch.fd(), "file", *st, {.acls = false, .xattrs = false}, "shown"));
  }
}

TEST(Attributes, AclsAsBorgStoresThem) {
  for (const std::string& base : scratch_bases()) {
    const Scratch scratch(base);
    scratch.write("file");
    for (const char* name : {"access", "default", "both", "plain"})
      ASSERT_EQ(::mkdir((scratch / name).c_str(), 0755), 0);
    const std::string access = *acl_from_text("user::rwx\nuser:0:rw-:0\ngroup::r-x\nmask::rwx\nother::r-x", true);
    const std::string standard =
        *acl_from_text("user::rwx\ngroup::r-x\ngroup:4294967294:r-x:4294967294\nmask::r-x\nother::---", true);
    const auto set = [&](const char* file, const char* name, const std::string& value) {
      return ::setxattr((scratch / file).c_str(), name, value.data(), value.size(), 0) == 0;
    };
    if (!set("file", kAclAccessName, access)) GTEST_SKIP() << "no ACLs on " << base;
    ASSERT_TRUE(set("access", kAclAccessName, access));
    ASSERT_TRUE(set("default", kAclDefaultName, standard));
    ASSERT_TRUE(set("both", kAclAccessName, access));
    ASSERT_TRUE(set("both", kAclDefaultName, standard));
    const std::string access_text = "user::rwx\nuser:root:rw-:0\ngroup::r-x\nmask::rwx\nother::r-x";
    const std::string default_text = "user::rwx\ngroup::r-x\ngroup:4294967294:r-x:4294967294\nmask::r-x\nother::---";
    for (const auto& missing : kernels_to_try()) {
      const KernelWithout without(missing);
      EXPECT_EQ(read(scratch, "file")->acl_access, access_text);
      EXPECT_EQ(read(scratch, "file", {.xattrs = false})->acl_access, access_text);
      EXPECT_TRUE(read(scratch, "file")->xattrs.empty());
      EXPECT_EQ(read(scratch, "file", {.numeric_ids = true})->acl_access,
                "user::rwx\nuser:0:rw-:0\ngroup::r-x\nmask::rwx\nother::r-x");
      EXPECT_FALSE(read(scratch, "file", {.acls = false})->has_acl);
      EXPECT_EQ(read(scratch, "access")->acl_access, access_text);
      EXPECT_EQ(read(scratch, "access")->acl_default, "");
      EXPECT_TRUE(read(scratch, "access")->has_acl);
      // Borg 2 on the same directory: the access text comes from the mode.
      EXPECT_EQ(read(scratch, "default")->acl_access, "user::rwx\ngroup::r-x\nother::r-x");
      EXPECT_EQ(read(scratch, "default")->acl_default, default_text);
      EXPECT_EQ(read(scratch, "both")->acl_access, access_text);
      EXPECT_EQ(read(scratch, "both")->acl_default, default_text);
      EXPECT_FALSE(read(scratch, "plain")->has_acl);
      EXPECT_EQ(read(scratch, "plain")->acl_access, "");
    }
  }
}

}  // namespace
}  // namespace cairn::fs

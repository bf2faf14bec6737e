#include <gtest/gtest.h>
#include <sys/sysmacros.h>

#include <limits>

#include "fs/acl_text.h"
#include "fs/flags.h"
#include "fs/scratch_for_tests.h"
#include "fs/target.h"

namespace cairn::fs {
namespace {

class RestoreOn : public testing::TestWithParam<std::tuple<std::string, std::size_t>> {
 protected:
  bool handles_work() const { return kernel().proc || (kernel().xattrat && kernel().fchmodat2); }

  Scratch scratch_{std::get<0>(GetParam())};
  KernelWithout without_{kernels_to_try()[std::get<1>(GetParam())]};
  std::unique_ptr<Target> target_{std::move(*Target::open(scratch_.path()))};
};

INSTANTIATE_TEST_SUITE_P(Kernels, RestoreOn,
                         testing::Combine(testing::ValuesIn(scratch_bases()), testing::Range<std::size_t>(0, 6)));

TEST_P(RestoreOn, ModeOwnerAndTimesOfEveryKind) {
  const bool root = is_root();
  ASSERT_TRUE(target_->create_file("file"));
  ASSERT_TRUE(target_->make_directory("dir"));
  ASSERT_TRUE(target_->make_symlink("link", "nowhere"));
  ASSERT_TRUE(target_->make_fifo("fifo", 0666));
  struct Kind {
    const char* name;
    std::uint32_t mode;
  };
  std::vector<Kind> kinds{
      {"file", S_IFREG | 0641}, {"dir", S_IFDIR | 01751}, {"link", S_IFLNK | 0777}, {"fifo", S_IFIFO | 0626}};
  if (root && target_->make_device("block", S_IFBLK | 0600, makedev(7, 200)))
    kinds.push_back({"block", S_IFBLK | 0624});
  for (const Kind& kind : kinds) {
    const RestoreAttributes wanted{.mode = kind.mode,
                                   .uid = root ? 1234 : -1,
                                   .gid = root ? 2345 : -1,
                                   .mtime = 1'500'000'000 * kSecond + 123'456'789,
                                   .atime = 1'400'000'000 * kSecond + 987'654'321};
    const auto done = target_->set_attributes(kind.name, -1, wanted);
    const bool can_chmod =
        S_ISREG(kind.mode) || S_ISDIR(kind.mode) || S_ISLNK(kind.mode) || kernel().proc || kernel().fchmodat2;
    if (can_chmod) {
      ASSERT_TRUE(done) << kind.name << done.error().text();
      EXPECT_TRUE(*done);
    } else {
      EXPECT_EQ(done.error().os_error(), EOPNOTSUPP);
    }
    const struct stat st = scratch_.lstat(kind.name);
    if (can_chmod) {
      EXPECT_EQ(st.st_mode, kind.mode) << kind.name;
    }
    if (root) {
      EXPECT_EQ(st.st_uid, 1234U);
      EXPECT_EQ(st.st_gid, 2345U);
    }
    EXPECT_EQ(st.st_mtim.tv_sec, 1'500'000'000);
    EXPECT_EQ(st.st_mtim.tv_nsec, 123'456'789);
    EXPECT_EQ(st.st_atim.tv_sec, 1'400'000'000);
    EXPECT_EQ(st.st_atim.tv_nsec, 987'654'321);
  }
  // The root itself.
  EXPECT_TRUE(target_->set_attributes(".", -1, {.mode = S_IFDIR | 0750, .mtime = 7 * kSecond}));
  EXPECT_EQ(scratch_.lstat(".").st_mtim.tv_sec, 7);
  EXPECT_EQ(scratch_.lstat(".").st_mode, S_IFDIR | 0750U);
}

TEST_P(RestoreOn, TimesFromOneEndOfTheRangeToTheOther) {
  auto file = target_->create_file("file");
  ASSERT_TRUE(file);
  for (const Nanoseconds time :
       {Nanoseconds{0}, Nanoseconds{1}, Nanoseconds{-1}, -kSecond, -86400 * kSecond - 1,
        Nanoseconds{4'300'000'000} * kSecond + 999'999'999, Nanoseconds{9'000'000'000} * kSecond}) {
    ASSERT_TRUE(target_->set_attributes("file", file->get(), {.mode = S_IFREG | 0600, .mtime = time}));
    const auto st = stat_at(scratch_.fd(), "file", false, "file");
    EXPECT_EQ(st->mtime, time);
    EXPECT_EQ(st->atime, time);  // the default
  }
  for (const Nanoseconds time : {std::numeric_limits<Nanoseconds>::max(), std::numeric_limits<Nanoseconds>::min()}) {
    EXPECT_TRUE(target_->set_attributes("file", file->get(), {.mode = S_IFREG | 0600, .mtime = time}));
  }
}

TEST_P(RestoreOn, XattrsAclsAndFlagsComeBackAsRead) {
  Attributes extra;
  extra.xattrs = {{"user.a", "1"}, {"user.b", std::string("\0\xff", 2)}, {"user.empty", ""}};
  extra.has_acl = true;
  extra.acl_access = "user::rwx\nuser:no_such_user:rw-:4711\ngroup::r-x\ngroup:root:r--:0\nmask::rwx\nother::---";
  auto file = target_->create_file("file");
  ASSERT_TRUE(file);
  if (::fsetxattr(file->get(), "user.a", "", 0, 0) != 0) GTEST_SKIP() << "no user attributes here";
  ASSERT_TRUE(target_->make_directory("dir"));
  const auto by_fd =
      target_->set_attributes("file", file->get(), {.mode = S_IFREG | 0770, .mtime = 5, .extra = &extra});
  ASSERT_TRUE(by_fd) << by_fd.error().text();
  EXPECT_TRUE(*by_fd);
  extra.acl_default = "user::rwx\ngroup::r-x\ngroup:root:r-x:0\nmask::r-x\nother::---";
  const auto by_name = target_->set_attributes("dir", -1, {.mode = S_IFDIR | 0770, .mtime = 5, .extra = &extra});
  ASSERT_TRUE(by_name) << by_name.error().text();
  EXPECT_TRUE(*by_name);
  for (const std::string name : {"file", "dir"}) {
    const auto st = stat_at(scratch_.fd(), name, false, name);
    const auto got = read_attributes(-1, scratch_.fd(), name, *st, {}, name);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->xattrs, extra.xattrs);
    const std::string want = "user::rwx\nuser:4711:rw-:4711\ngroup::r-x\ngroup:root:r--:0\nmask::rwx\nother::---";
    EXPECT_EQ(got->acl_access, want);
    EXPECT_EQ(got->acl_default, name == "dir" ? extra.acl_default : "");
    EXPECT_EQ(st->mode & 07777U, 0770U);
    EXPECT_EQ(st->mtime, 5);
  }
}

TEST_P(RestoreOn, OptionsLeaveThingsOut) {
  Attributes extra;
  extra.bsdflags = kFlagNodump;
  extra.xattrs = {{"user.a", "1"}};
  extra.has_acl = true;
  extra.acl_access = "user::rwx\nuser:root:rw-:0\ngroup::r-x\nmask::rwx\nother::---";
  auto file = target_->create_file("file");
  ASSERT_TRUE(*target_->set_attributes(
      "file", file->get(),
      {.mode = S_IFREG | 0600, .extra = &extra, .set_flags = false, .set_acls = false, .set_xattrs = false}));
  const auto st = stat_at(scratch_.fd(), "file", false, "file");
  const auto got = read_attributes(-1, scratch_.fd(), "file", *st, {}, "file");
  EXPECT_TRUE(got->xattrs.empty());
  EXPECT_FALSE(got->has_acl);
  EXPECT_EQ(got->bsdflags, 0U);
}

TEST_P(RestoreOn, FlagsAreSetLast) {
  auto probe = target_->create_file("probe");
  if (set_bsdflags(probe->get(), kFlagImmutable) != 0 || get_bsdflags(probe->get()) != kFlagImmutable) {
    GTEST_SKIP() << "no immutable files here, or not root";
  }
  for (const std::uint32_t flags :
       {kFlagNodump, kFlagImmutable, kFlagAppend, kFlagNodump | kFlagImmutable | kFlagAppend}) {
    Attributes extra;
    extra.bsdflags = flags;
    extra.xattrs = {{"user.a", "1"}};
    const std::string file_name = "file" + std::to_string(flags), directory_name = "dir" + std::to_string(flags);
    auto file = target_->create_file(file_name);
    ASSERT_TRUE(
        *target_->set_attributes(file_name, file->get(), {.mode = S_IFREG | 0400, .mtime = 3, .extra = &extra}));
    ASSERT_TRUE(target_->make_directory(directory_name));
    ASSERT_TRUE(*target_->set_attributes(directory_name, -1, {.mode = S_IFDIR | 0500, .mtime = 3, .extra = &extra}));
    for (const std::string& name : {file_name, directory_name}) {
      const auto st = stat_at(scratch_.fd(), name, false, name);
      const auto got = read_attributes(-1, scratch_.fd(), name, *st, {}, name);
      EXPECT_EQ(got->bsdflags, flags);
      EXPECT_EQ(got->xattrs.size(), 1U);
      EXPECT_EQ(st->mtime, 3);
    }
  }
  // An immutable object stays where it is when cleared, and the rest says so.
  target_->clear("probe", false);
  EXPECT_EQ(target_->create_file("probe").error().os_error(), EEXIST);
}

TEST_P(RestoreOn, TooLargeXattrIsAWarningAndTheRestIsSet) {
  Attributes extra;
  extra.xattrs = {{"user.huge", std::string(60000, 'x')}, {"user.over", std::string(70000, 'x')}, {"user.small", "s"}};
  auto file = target_->create_file("file");
  if (::fsetxattr(file->get(), "user.small", "", 0, 0) != 0) GTEST_SKIP() << "no user attributes here";
  const LogCapture log;
  const auto done = target_->set_attributes("file", file->get(), {.mode = S_IFREG | 0640, .mtime = 9, .extra = &extra});
  ASSERT_TRUE(done);
  EXPECT_FALSE(*done);
  EXPECT_TRUE(
      log.has("When setting extended attribute user.over: too big for this filesystem ([Errno 7] Argument list too "
              "long: 'file')\n"))
      << log.text();
  if (scratch_.xattr("file", "user.huge") == "(none)") {
    EXPECT_TRUE(
        log.has("When setting extended attribute user.huge: fs full or xattr too big? [xattr len = 60000] ([Errno 28] "
                "No space left on device: 'file')\n"))
        << log.text();
  }
  EXPECT_EQ(scratch_.xattr("file", "user.small"), "s");
  EXPECT_EQ(scratch_.lstat("file").st_mtim.tv_nsec, 9);
  EXPECT_EQ(scratch_.lstat("file").st_mode & 07777U, 0640U);
}

TEST_P(RestoreOn, HostileAttributesAreWarningsOrErrorsOfThisObject) {
  Attributes extra;
  extra.xattrs = {
      {std::string("user.a\0b", 8), "x"}, {"no_namespace", "x"}, {"", "x"}, {"system.posix_acl_access", "x"}};
  extra.has_acl = true;
  extra.acl_access = "user::rwx\nuser::rwx\nnonsense";
  auto file = target_->create_file("file");
  const LogCapture log;
  const auto done = target_->set_attributes("file", file->get(), {.mode = S_IFREG | 0640, .mtime = 9, .extra = &extra});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message(), "[Errno 22] Invalid argument: 'file'");
  EXPECT_FALSE(log.has("posix_acl"));
  EXPECT_TRUE(log.has("no_namespace"));
  EXPECT_EQ(scratch_.xattr("file", "user.a"), "(none)");
  EXPECT_EQ(scratch_.lstat("file").st_mtim.tv_nsec, 9);  // the later steps were done all the same
}

TEST_P(RestoreOn, LinksAndSpecialFilesHaveXattrsToo) {
  if (!is_root()) GTEST_SKIP() << "trusted attributes need root";
  if (!handles_work()) GTEST_SKIP() << "needs /proc or setxattrat";
  Attributes extra;
  extra.xattrs = {{"trusted.t", "v"}};
  extra.bsdflags = kFlagImmutable;  // not theirs: ignored
  extra.has_acl = true;
  extra.acl_access = "user::rw-\nuser:root:r--:0\ngroup::r--\nmask::r--\nother::---";
  ASSERT_TRUE(target_->create_file("aim"));
  ASSERT_TRUE(target_->make_symlink("link", "aim"));
  ASSERT_TRUE(target_->make_fifo("fifo", 0644));
  for (const auto& [name, mode] :
       {std::pair<const char*, std::uint32_t>{"link", S_IFLNK | 0777}, {"fifo", S_IFIFO | 0640}}) {
    const auto done = target_->set_attributes(name, -1, {.mode = mode, .extra = &extra});
    ASSERT_TRUE(done) << name << done.error().text();
    EXPECT_TRUE(*done);
    EXPECT_EQ(scratch_.xattr(name, "trusted.t"), "v");
  }
  EXPECT_EQ(scratch_.xattr("aim", "trusted.t"), "(none)");
  EXPECT_NE(scratch_.xattr("fifo", kAclAccessName), "(none)");
  EXPECT_EQ(scratch_.xattr("aim", kAclAccessName), "(none)");
}

TEST_P(RestoreOn, CapabilitiesSurviveTheChangeOfOwner) {
  if (!is_root()) GTEST_SKIP() << "capabilities need root";
  Attributes extra;
  // cap_net_raw+ep in revision 2 of the kernel's form.
  extra.xattrs = {
      {"security.capability",
       std::string("\x01\x00\x00\x02\x00\x20\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", 20)}};
  auto file = target_->create_file("file");
  const auto done =
      target_->set_attributes("file", file->get(), {.mode = S_IFREG | 0755, .uid = 1234, .gid = 1234, .extra = &extra});
  if (!*done) GTEST_SKIP() << "no capabilities on this file system";
  EXPECT_EQ(scratch_.xattr("file", "security.capability"), extra.xattrs[0].second);
}

TEST_P(RestoreOn, SetIdBitsComeWithTheirOwnerOnly) {
  // Root restores all of it.
  if (!is_root()) GTEST_SKIP() << "needs root";
  auto file = target_->create_file("rooted");
  ASSERT_TRUE(*target_->set_attributes("rooted", file->get(), {.mode = S_IFREG | 06755, .uid = 1234, .gid = 2345}));
  EXPECT_EQ(scratch_.lstat("rooted").st_mode & 07777U, 06755U);
  ASSERT_EQ(::chmod(scratch_.path().c_str(), 0777), 0);
  EXPECT_EQ(as_nobody([&]() -> std::string {
              const LogCapture log;
              auto theirs = target_->create_file("theirs");
              const auto done =
                  target_->set_attributes("theirs", theirs->get(), {.mode = S_IFREG | 06755, .uid = 0, .gid = 0});
              if (!done) return "owner errors are to be silent";
              if (*done) return "left off bits are to be told";
              if ((scratch_.lstat("theirs").st_mode & 07777U) != 0755) return "set-ID bits of another owner";
              if (!log.has("theirs: owner not restored")) return "not said: " + log.text();
              auto mine = target_->create_file("mine");
              const auto ok =
                  target_->set_attributes("mine", mine->get(), {.mode = S_IFREG | 06755, .uid = 65534, .gid = 65534});
              if (!ok || !*ok || (scratch_.lstat("mine").st_mode & 07777U) != 06755) return "own set-ID bits lost";
              auto half = target_->create_file("half");
              const auto so_so =
                  target_->set_attributes("half", half->get(), {.mode = S_IFREG | 06755, .uid = 65534, .gid = 0});
              if (!so_so || *so_so || (scratch_.lstat("half").st_mode & 07777U) != 04755)
                return "only the group is wrong";
              auto none = target_->create_file("none");
              const auto unknown = target_->set_attributes("none", none->get(), {.mode = S_IFREG | 06755});
              if (!unknown || *unknown || (scratch_.lstat("none").st_mode & 07777U) != 0755) return "owner unknown";
              auto plain = target_->create_file("plain");
              const LogCapture quiet;
              const auto simple =
                  target_->set_attributes("plain", plain->get(), {.mode = S_IFREG | 0644, .uid = 0, .gid = 0});
              if (!simple || !*simple || !quiet.text().empty()) return "silent without set-ID bits";
              return "";
            }),
            "");
}

TEST_P(RestoreOn, OrdinaryUsersRestoreUserXattrsOfReadOnlyFiles) {
  ASSERT_EQ(::chmod(scratch_.path().c_str(), 0777), 0);
  EXPECT_EQ(as_nobody([&]() -> std::string {
              Attributes extra;
              extra.xattrs = {{"user.a", "1"}, {"user.b", "2"}};
              auto file = target_->create_file("file");
              if (::fsetxattr(file->get(), "user.a", "", 0, 0) != 0) return "";  // not on this file system
              if (!target_->make_directory("dir")) return "no directory";
              const LogCapture log;
              const auto one = target_->set_attributes("file", file->get(), {.mode = S_IFREG | 0444, .extra = &extra});
              const auto two = target_->set_attributes("dir", -1, {.mode = S_IFDIR | 0555, .extra = &extra});
              if (!one || !*one || !two || !*two) return log.text();
              if (scratch_.xattr("file", "user.b") != "2" || scratch_.xattr("dir", "user.b") != "2") return "not set";
              if ((scratch_.lstat("file").st_mode & 07777U) != 0444) return "mode of the file";
              if ((scratch_.lstat("dir").st_mode & 07777U) != 0555) return "mode of the directory";
              return "";
            }),
            "");
}

TEST_P(RestoreOn, UnreadableDirectoryIsStillSetByItsHandle) {
  ASSERT_EQ(::chmod(scratch_.path().c_str(), 0777), 0);
  EXPECT_EQ(as_nobody([&]() -> std::string {
              if (!target_->make_directory("dir")) return "no directory";
              if (::chmod((scratch_ / "dir").c_str(), 0) != 0) return "chmod";
              const auto done = target_->set_attributes("dir", -1, {.mode = S_IFDIR | 0711, .mtime = 4});
              if (!kernel().proc && !kernel().fchmodat2) return done ? "how?" : "";
              if (!done) return done.error().text();
              if (scratch_.lstat("dir").st_mtim.tv_nsec != 4) return "time";
              return (scratch_.lstat("dir").st_mode & 07777U) == 0711 ? "" : "mode";
            }),
            "");
}

}  // namespace
}  // namespace cairn::fs

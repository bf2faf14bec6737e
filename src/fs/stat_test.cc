#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#include <limits>

#include "fs/node.h"
#include "fs/scratch_for_tests.h"

namespace cairn::fs {
namespace {

// 45 nested directories of 100 characters: 4545 bytes of path.
std::string make_deep(const Scratch& scratch) {
  std::string path;
  Fd at(::dup(scratch.fd()));
  for (int i = 0; i < 45; ++i) {
    const std::string name(100, static_cast<char>('a' + i % 26));
    EXPECT_EQ(::mkdirat(at.get(), name.c_str(), 0755), 0);
    at = Fd(::openat(at.get(), name.c_str(), O_RDONLY | O_DIRECTORY));
    path += (i == 0 ? "" : "/") + name;
  }
  const Fd file(::openat(at.get(), "file", O_WRONLY | O_CREAT, 0644));
  EXPECT_TRUE(static_cast<bool>(file));
  EXPECT_EQ(::symlinkat("nowhere", at.get(), "link"), 0);
  return path;
}

TEST(Stat, AgreesWithFstatatWithAndWithoutStatx) {
  for (const std::string& base : scratch_bases()) {
    const Scratch scratch(base);
    scratch.write("file", "hello");
    ASSERT_EQ(::symlink("file", (scratch / "link").c_str()), 0);
    ASSERT_EQ(::link((scratch / "file").c_str(), (scratch / "second").c_str()), 0);
    ASSERT_EQ(::mkfifo((scratch / "fifo").c_str(), 0640), 0);
    for (const auto& missing : kernels_to_try()) {
      const KernelWithout without(missing);
      for (const std::string name : {"file", "link", "fifo", ".", "second"}) {
        const auto got = stat_at(scratch.fd(), name, false, name);
        ASSERT_TRUE(got) << got.error().text();
        const struct stat want = scratch.lstat(name);
        EXPECT_EQ(got->mode, want.st_mode);
        EXPECT_EQ(got->uid, want.st_uid);
        EXPECT_EQ(got->gid, want.st_gid);
        EXPECT_EQ(got->size, static_cast<std::uint64_t>(want.st_size));
        EXPECT_EQ(got->inode, want.st_ino);
        EXPECT_EQ(got->device, want.st_dev);
        EXPECT_EQ(got->links, want.st_nlink);
        EXPECT_EQ(got->blocks, static_cast<std::uint64_t>(want.st_blocks));
        EXPECT_EQ(got->mtime, want.st_mtim.tv_sec * kSecond + want.st_mtim.tv_nsec);
        EXPECT_EQ(got->ctime, want.st_ctim.tv_sec * kSecond + want.st_ctim.tv_nsec);
      }
      EXPECT_TRUE(stat_at(scratch.fd(), "link", true, "link")->is_regular());
      EXPECT_EQ(stat_of(scratch.fd(), "dir")->inode, scratch.lstat(".").st_ino);
    }
  }
}

TEST(Stat, DeviceNumbersKeepTheirEncoding) {
  const auto null = stat_at(AT_FDCWD, "/dev/null", false, "null");
  ASSERT_TRUE(null);
  EXPECT_EQ(null->rdev, makedev(1, 3));
}

TEST(Stat, MissingFileNamesThePathAsShown) {
  const auto got = stat_at(AT_FDCWD, "/nowhere/at/all", false, "as shown");
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code(), Code::NotFound);
  EXPECT_EQ(got.error().message(), "[Errno 2] No such file or directory: 'as shown'");
}

TEST(Stat, TimesOutsideTheUsualRange) {
  // tmpfs keeps 64 bits of seconds, ext4 34 of them.
  const Scratch scratch("/dev/shm");
  struct Case {
    timespec time;
    Nanoseconds want;
  };
  const Case cases[] = {{{-1, 999'999'999}, -1},
                        {{-86400, 1}, -86400 * kSecond + 1},
                        {{5'000'000'000, 123'456'789}, 5'000'000'000 * kSecond + 123'456'789},
                        {{std::int64_t{1} << 40, 0}, std::numeric_limits<Nanoseconds>::max()},
                        {{-(std::int64_t{1} << 40), 0}, std::numeric_limits<Nanoseconds>::min()}};
  scratch.write("file");
  for (const Case& c : cases) {
    const timespec both[2] = {c.time, c.time};
    ASSERT_EQ(::utimensat(AT_FDCWD, (scratch / "file").c_str(), both, 0), 0);
    const struct stat kept = scratch.lstat("file");
    if (kept.st_mtim.tv_sec != c.time.tv_sec) continue;  // the file system has clamped it itself
    EXPECT_EQ(stat_at(scratch.fd(), "file", false, "file")->mtime, c.want);
  }
}

TEST(Stat, FlagsComeWithStatxForFilesAndDirectoriesOnly) {
  const Scratch scratch;
  scratch.write("file");
  const Fd file(::open((scratch / "file").c_str(), O_RDONLY));
  int flags = FS_NODUMP_FL;
  if (::ioctl(file.get(), FS_IOC_SETFLAGS, &flags) != 0) GTEST_SKIP() << "no flags on this file system";
  const auto got = stat_of(file.get(), "file");
  ASSERT_TRUE(got);
  if (!got->bsdflags_known) GTEST_SKIP() << "statx does not report flags here";
  EXPECT_EQ(got->bsdflags, 1U);
  const KernelWithout without({&Kernel::statx});
  EXPECT_FALSE(stat_of(file.get(), "file")->bsdflags_known);
}

TEST(LongPath, EveryCallTakesPathsBeyondPathMax) {
  for (const std::string& base : scratch_bases()) {
    const Scratch scratch(base);
    const std::string deep = make_deep(scratch);
    ASSERT_GT(deep.size(), 4096U);
    EXPECT_TRUE(stat_at(scratch.fd(), deep + "/file", false, "x")->is_regular());
    EXPECT_TRUE(stat_at(AT_FDCWD, scratch / (deep + "/link"), false, "x")->is_symlink());
    EXPECT_TRUE(open_file(scratch.fd(), deep + "/file", "x"));
    EXPECT_TRUE(open_directory(scratch.fd(), deep, "x"));
    EXPECT_EQ(*read_link(scratch.fd(), deep + "/link", "x"), "nowhere");
    const auto directory = open_path_directory(scratch / (deep + "///"), false, "x");
    ASSERT_TRUE(directory) << directory.error().text();
    EXPECT_EQ(read_directory(directory->get(), "x")->size(), 2U);
    const auto st = stat_at(scratch.fd(), deep + "/file", false, "x");
    EXPECT_TRUE(read_attributes(-1, scratch.fd(), deep + "/file", *st, {}, "x"));
    EXPECT_EQ(stat_at(scratch.fd(), deep + "/none", false, "x").error().os_error(), ENOENT);
    EXPECT_EQ(stat_at(scratch.fd(), std::string(5000, 'x'), false, "x").error().os_error(), ENAMETOOLONG);
  }
}

TEST(Open, NeverFollowsAFinalLink) {
  const Scratch scratch;
  scratch.write("file", "x");
  ASSERT_EQ(::mkdir((scratch / "dir").c_str(), 0755), 0);
  ASSERT_EQ(::symlink("file", (scratch / "to_file").c_str()), 0);
  ASSERT_EQ(::symlink("dir", (scratch / "to_dir").c_str()), 0);
  EXPECT_EQ(open_file(scratch.fd(), "to_file", "x").error().os_error(), ELOOP);
  EXPECT_FALSE(open_directory(scratch.fd(), "to_dir", "x"));
  EXPECT_FALSE(open_path_directory(scratch / "to_dir", false, "x"));
  EXPECT_FALSE(open_path_directory(scratch / "to_dir/", false, "x"));
  EXPECT_TRUE(open_path_directory(scratch / "to_dir", true, "x"));
  EXPECT_TRUE(open_path_directory("/", false, "x"));
}

TEST(Open, FifoDoesNotBlock) {
  const Scratch scratch;
  ASSERT_EQ(::mkfifo((scratch / "fifo").c_str(), 0644), 0);
  EXPECT_TRUE(open_file(scratch.fd(), "fifo", "fifo"));
}

TEST(Open, AccessTimeIsKeptForOwnersAndOthersFallBack) {
  const Scratch scratch;
  scratch.write("file", "x");
  const auto file = open_file(scratch.fd(), "file", "file");
  ASSERT_TRUE(file);
  EXPECT_NE(::fcntl(file->get(), F_GETFL) & O_NOATIME, 0);
  if (!is_root()) GTEST_SKIP() << "needs root for the second half";
  EXPECT_EQ(as_nobody([&] {
              const auto mine = open_file(scratch.fd(), "file", "file");
              if (!mine) return mine.error().text();
              return std::string((::fcntl(mine->get(), F_GETFL) & O_NOATIME) == 0 ? "" : "O_NOATIME");
            }),
            "");
}

TEST(ReadLink, AnyLengthAndBytes) {
  const Scratch scratch;
  for (const std::string& target : {std::string("a"), std::string(511, 'b'), std::string(512, 'c'),
                                    std::string(4095, 'd'), std::string("\x1b[31m\n\xff\xfe")}) {
    ASSERT_EQ(::symlink(target.c_str(), (scratch / "link").c_str()), 0);
    EXPECT_EQ(*read_link(scratch.fd(), "link", "link"), target);
    ::unlink((scratch / "link").c_str());
  }
  scratch.write("file");
  EXPECT_EQ(read_link(scratch.fd(), "file", "file").error().os_error(), EINVAL);
}

TEST(ReadDirectory, SortedByInodeWithEveryNameOnce) {
  for (const std::string& base : scratch_bases()) {
    const Scratch scratch(base);
    std::vector<std::string> names;
    // More than one buffer's worth.
    for (int i = 0; i < 1500; ++i) names.push_back(std::to_string(i * 7919 % 1500) + std::string(200, 'n'));
    names.insert(names.end(), {"\xff\xfe", "new\nline", "\x1b[1m", "...", "..x", ".h", std::string(255, 'z')});
    for (const std::string& name : names) scratch.write(name);
    ASSERT_EQ(::mkdir((scratch / "dir").c_str(), 0755), 0);
    names.emplace_back("dir");
    for (int round = 0; round < 2; ++round) {  // the second time from the start again
      const auto entries = read_directory(scratch.fd(), "x");
      ASSERT_TRUE(entries);
      std::vector<std::string> found;
      for (std::size_t i = 0; i < entries->size(); ++i) {
        const DirEntry& entry = (*entries)[i];
        if (i > 0) {
          EXPECT_LT((*entries)[i - 1].inode, entry.inode);
        }
        if (entry.type != DT_UNKNOWN) {
          EXPECT_EQ(entry.type, entry.name == "dir" ? DT_DIR : DT_REG);
        }
        found.push_back(entry.name);
      }
      std::sort(found.begin(), found.end());
      std::sort(names.begin(), names.end());
      EXPECT_EQ(found, names);
    }
  }
}

TEST(ReadDirectory, HardLinksOfOneInodeKeepDirectoryOrder) {
  const Scratch scratch;
  scratch.write("a");
  for (const char* name : {"z", "m", "b"}) ASSERT_EQ(::link((scratch / "a").c_str(), (scratch / name).c_str()), 0);
  std::vector<std::string> want;
  DIR* stream = ::opendir(scratch.path().c_str());
  while (const dirent* entry = ::readdir(stream)) {
    if (entry->d_name[0] != '.') want.emplace_back(entry->d_name);
  }
  ::closedir(stream);
  std::vector<std::string> got;
  const auto entries = read_directory(scratch.fd(), "x");
  ASSERT_TRUE(entries);
  for (const DirEntry& entry : *entries) got.push_back(entry.name);
  EXPECT_EQ(got, want);
}

TEST(ReadDirectory, AFileIsNoDirectory) {
  const Scratch scratch;
  scratch.write("file");
  const auto file = open_file(scratch.fd(), "file", "file");
  EXPECT_EQ(read_directory(file->get(), "file").error().os_error(), ENOTDIR);
}

TEST(Holes, RangesCoverTheDataAndEndAtTheSize) {
  for (const std::string& base : scratch_bases()) {
    const Scratch scratch(base);
    scratch.write("file");
    const Fd file(::open((scratch / "file").c_str(), O_RDWR));
    constexpr std::uint64_t kSize = 16U << 20U;
    ASSERT_EQ(::ftruncate(file.get(), kSize), 0);
    const std::string block(4096, 'x');
    for (const off_t at : {off_t{4} << 20, off_t{8} << 20}) {
      ASSERT_EQ(::pwrite(file.get(), block.data(), block.size(), at), 4096);
    }
    std::vector<DataRange> ranges;
    for (std::uint64_t at = 0; at < kSize;) {
      // A Result that lives through the assertions makes GCC 12 at -O2 warn of a deletion that never happens.
      const DataRange range = next_data(file.get(), at, kSize, "file").value();
      ASSERT_GE(range.start, at);
      ASSERT_LE(range.end, kSize);
      if (range.start == kSize) break;
      ranges.push_back(range);
      at = range.end;
    }
    ASSERT_FALSE(ranges.empty());
    for (const std::uint64_t at : {std::uint64_t{4} << 20U, std::uint64_t{8} << 20U}) {
      EXPECT_TRUE(std::any_of(ranges.begin(), ranges.end(),
                              [&](const DataRange& r) { return r.start <= at && r.end >= at + 4096; }));
    }
    EXPECT_EQ(next_data(file.get(), kSize, kSize, "file")->start, kSize);
    EXPECT_EQ(next_data(file.get(), kSize + 5, kSize, "file")->end, kSize);
    // A size below the file's own bounds what is reported.
    EXPECT_LE(next_data(file.get(), 8U << 20U, (8U << 20U) + 100, "file")->end, (8U << 20U) + 100);
  }
}

TEST(Holes, WithoutSupportTheRestIsData) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const Fd in(ends[0]), out(ends[1]);
  const auto range = next_data(in.get(), 5, 10, "pipe");
  ASSERT_TRUE(range);
  EXPECT_EQ(range->start, 5U);
  EXPECT_EQ(range->end, 10U);
}

}  // namespace
}  // namespace cairn::fs

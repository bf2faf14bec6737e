// What do the facts of one file cost, without opening it: stat_at and read_attributes over a directory, best of several
// rounds, in microseconds per file. For comparison the bare system calls that a backup without our care would make.
//
// attribute_cost [DIRECTORY]    a directory of its own with 10,000 files under /tmp unless one is named
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "fs/kernel.h"
#include "fs/node.h"
#include "fs/target.h"

namespace {

using namespace cairn;
using namespace cairn::fs;

constexpr int kFiles = 10'000;
constexpr int kRounds = 7;

// The thread's own time, kernel included: other programs may want the CPU meanwhile.
double cpu_microseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

double best_microseconds(std::size_t count, const std::function<void()>& round) {
  double best = 0;
  for (int i = 0; i < kRounds; ++i) {
    const double start = cpu_microseconds();
    round();
    const double took = cpu_microseconds() - start;
    best = i == 0 ? took : std::min(best, took);
  }
  return best / static_cast<double>(count);
}

void line(const char* what, double microseconds) { fmt::print("{:<58} {:6.2f} us/file\n", what, microseconds); }

int fail_with(const Error& error) {
  fmt::print(stderr, "{}\n", error.text());
  return 1;
}

void measure(int directory, const std::vector<DirEntry>& entries) {
  const std::size_t count = entries.size();
  std::uint64_t sink = 0;  // keeps the work from being left out
  const auto with_attributes = [&] {
    for (const DirEntry& entry : entries) {
      const auto st = stat_at(directory, entry.name, false, entry.name);
      if (!st) continue;
      const auto attributes = read_attributes(-1, directory, entry.name, *st, {}, entry.name);
      if (attributes) sink += attributes->xattrs.size();
    }
  };
  line("stat_at", best_microseconds(count, [&] {
         for (const DirEntry& entry : entries) {
           const auto st = stat_at(directory, entry.name, false, entry.name);
           if (st) sink += st->size;
         }
       }));
  line("stat_at, read_attributes by name", best_microseconds(count, with_attributes));
  kernel().xattrat = false;
  line("  through /proc/self/fd (Linux before 6.13)", best_microseconds(count, with_attributes));
  kernel().statx = false;
  line("  and without statx (flags need an open file)", best_microseconds(count, with_attributes));
  kernel().xattrat = true;
  kernel().statx = true;
  line("open_file, stat_of, read_attributes by descriptor", best_microseconds(count, [&] {
         for (const DirEntry& entry : entries) {
           const auto file = open_file(directory, entry.name, entry.name);
           if (!file) continue;
           const auto st = stat_of(file->get(), entry.name);
           const auto attributes = read_attributes(file->get(), directory, entry.name, *st, {}, entry.name);
           if (attributes) sink += attributes->xattrs.size();
         }
       }));
  line("bare openat, fstat, flistxattr, FS_IOC_GETFLAGS, close", best_microseconds(count, [&] {
         for (const DirEntry& entry : entries) {
           const int fd =
               ::openat(directory, entry.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NOATIME | O_NONBLOCK | O_CLOEXEC);
           struct stat st{};
           int flags = 0;
           char names[512];
           sink += static_cast<std::uint64_t>(::fstat(fd, &st) + ::ioctl(fd, FS_IOC_GETFLAGS, &flags));
           sink += static_cast<std::uint64_t>(::flistxattr(fd, names, sizeof names));
           ::close(fd);
         }
       }));
  line("user_name, group_name", best_microseconds(count, [&] {
         for (std::size_t i = 0; i < count; ++i) sink += user_name(0).size() + group_name(0).size();
       }));
  line("read_directory", best_microseconds(count, [&] {
         const auto again = read_directory(directory, "directory");
         if (again) sink += again->size();
       }));
  if (sink == 1) fmt::print("\n");
}

// Restoring empty files with their attributes, 100 to a directory.
void measure_restore(const std::string& path) {
  const auto target = Target::open(path);
  if (!target) return;
  const Attributes none;
  int round_number = 0;
  line("create_file, set_attributes, close", best_microseconds(kFiles, [&] {
         const std::string top = "r" + std::to_string(round_number++) + "/";
         for (int i = 0; i < kFiles; ++i) {
           const std::string name = top + "a/" + std::to_string(i / 100) + "/" + std::to_string(i);
           const auto file = (*target)->create_file(name);
           if (!file) continue;
           static_cast<void>((*target)->set_attributes(
               name, file->get(), {.mode = S_IFREG | 0644, .uid = ::geteuid(), .gid = ::getegid(), .extra = &none}));
         }
       }));
}

}  // namespace

int main(int count, char** arguments) {
  std::string path = count > 1 ? arguments[1] : "/tmp/attribute_cost_XXXXXX";
  const bool own = count <= 1;
  if (own) {
    if (::mkdtemp(path.data()) == nullptr) return 1;
    for (int i = 0; i < kFiles; ++i) {
      const Fd file(::open((path + "/file_" + std::to_string(i)).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    }
  }
  const auto directory = open_path_directory(path, true, path);
  if (!directory) return fail_with(directory.error());
  const auto entries = read_directory(directory->get(), path);
  if (!entries) return fail_with(entries.error());
  measure(directory->get(), *entries);
  if (own) {
    measure_restore(path);
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  return 0;
}

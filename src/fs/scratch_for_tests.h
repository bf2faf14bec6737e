// A directory to make a mess in, and the means to look at it as someone else. For tests only.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/log.h"
#include "fs/kernel.h"

namespace cairn::fs {

inline bool is_root() { return ::geteuid() == 0; }

// /tmp is a disk's file system mostly, /dev/shm is tmpfs; flags and limits of attributes differ.
inline std::vector<std::string> scratch_bases() { return {"/tmp", "/dev/shm"}; }

// Removes what is left over, immutable files and trees deeper than PATH_MAX included.
inline void remove_tree(int directory, const std::string& name) {
  Fd fd(::openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  int none = 0;
  if (fd) static_cast<void>(::ioctl(fd.get(), FS_IOC_SETFLAGS, &none));
  fd.reset();
  if (::unlinkat(directory, name.c_str(), 0) == 0) return;
  ::fchmodat(directory, name.c_str(), 0700, 0);
  std::vector<std::string> children;
  if (const int inner = ::openat(directory, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      inner >= 0) {
    DIR* stream = ::fdopendir(inner);
    while (const dirent* entry = ::readdir(stream)) {
      if (std::string_view(entry->d_name) != "." && std::string_view(entry->d_name) != "..")
        children.emplace_back(entry->d_name);
    }
    for (const std::string& child : children) remove_tree(inner, child);
    ::closedir(stream);
  }
  ::unlinkat(directory, name.c_str(), AT_REMOVEDIR);
}

class Scratch {
 public:
  explicit Scratch(const std::string& base = "/tmp") : path_(base + "/cairn_fs_XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) std::abort();
    ::chmod(path_.c_str(), 0755);
    fd_ = Fd(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  ~Scratch() { remove_tree(AT_FDCWD, path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  int fd() const { return fd_.get(); }

  void write(const std::string& name, const std::string& content = {}) const {
    const Fd file(::open((*this / name).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!file || ::write(file.get(), content.data(), content.size()) != static_cast<ssize_t>(content.size()))
      std::abort();
  }
  struct stat lstat(const std::string& name) const {
    struct stat st{};
    if (::lstat((*this / name).c_str(), &st) != 0) st.st_mode = 0;
    return st;
  }
  bool exists(const std::string& name) const { return lstat(name).st_mode != 0; }
  std::string xattr(const std::string& name, const char* attribute) const {
    char value[65536];
    const ssize_t size = ::lgetxattr((*this / name).c_str(), attribute, value, sizeof value);
    return size < 0 ? "(none)" : std::string(value, static_cast<std::size_t>(size));
  }

 private:
  std::string path_;
  Fd fd_;
};

// Switches calls of the kernel off until the end of the scope.
class KernelWithout {
 public:
  explicit KernelWithout(std::vector<std::atomic<bool> Kernel::*> calls) : calls_(std::move(calls)) {
    for (auto call : calls_) before_.push_back((kernel().*call).exchange(false));
  }
  ~KernelWithout() {
    for (std::size_t i = 0; i < calls_.size(); ++i) (kernel().*calls_[i]).store(before_[i]);
  }
  KernelWithout(const KernelWithout&) = delete;
  KernelWithout& operator=(const KernelWithout&) = delete;

 private:
  std::vector<std::atomic<bool> Kernel::*> calls_;
  std::vector<bool> before_;
};

// Every set of missing calls that a real system has.
inline std::vector<std::vector<std::atomic<bool> Kernel::*>> kernels_to_try() {
  return {{},
          {&Kernel::openat2},
          {&Kernel::xattrat, &Kernel::fchmodat2},
          {&Kernel::statx, &Kernel::openat2, &Kernel::xattrat, &Kernel::fchmodat2},
          {&Kernel::proc},
          {&Kernel::statx, &Kernel::openat2, &Kernel::xattrat, &Kernel::fchmodat2, &Kernel::proc}};
}

// What was logged during the scope.
class LogCapture {
 public:
  LogCapture() {
    set_log_sink([this](const LogRecord& record) { text_ += std::string(record.message) + "\n"; });
  }
  ~LogCapture() { set_log_sink(nullptr); }
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;
  const std::string& text() const { return text_; }
  bool has(const std::string& part) const { return text_.find(part) != std::string::npos; }

 private:
  std::string text_;
};

// Runs `work` as user and group 65534 in a child process if we are root; returns its result (an empty text is success).
inline std::string as_nobody(const std::function<std::string()>& work) {
  if (!is_root()) return work();
  int ends[2];
  if (::pipe(ends) != 0) return "pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    std::string result = "no change of user";
    if (::setgroups(0, nullptr) == 0 && ::setgid(65534) == 0 && ::setuid(65534) == 0) {
      ::prctl(PR_SET_DUMPABLE, 1);  // else /proc/self/fd belongs to root
      result = work();
    }
    const ssize_t written = ::write(ends[1], result.data(), result.size());
    ::_exit(written < 0 ? 1 : 0);
  }
  ::close(ends[1]);
  std::string result;
  char buffer[4096];
  for (ssize_t size; (size = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    result.append(buffer, static_cast<std::size_t>(size));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) result += " (the child failed)";
  return result;
}

}  // namespace cairn::fs

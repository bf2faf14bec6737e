// A directory that lives as long as its test. Included by tests only.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "base/check.h"

namespace cairn::store {

class TemporaryDirectoryForTest {
 public:
  TemporaryDirectoryForTest() {
    // In memory if possible: a real disk's barriers would take most of the tests' time.
    const bool in_memory = ::access("/dev/shm", W_OK) == 0;
    const std::filesystem::path parent = in_memory ? "/dev/shm" : std::filesystem::temp_directory_path();
    std::string name = parent / "cairn-store-XXXXXX";
    CAIRN_CHECK(::mkdtemp(name.data()) != nullptr, "cannot make a temporary directory");
    path_ = name;
  }
  ~TemporaryDirectoryForTest() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectoryForTest(const TemporaryDirectoryForTest&) = delete;
  TemporaryDirectoryForTest& operator=(const TemporaryDirectoryForTest&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace cairn::store

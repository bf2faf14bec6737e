// Files to back up for `benchmark crud`: many of one size in a directory of their own, which goes when the object goes.
//
// Each file is on disk and out of the page cache afterwards, so that reading it is part of what is measured. Random
// content is new each time: nothing of it can be in a repository already.
// Errors    the operating system's; Interrupted by `stop`. Nothing is left behind then.
// Source    docs/format (benchmark, section 2).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace cairn::measure {

struct Sample {
  std::string_view name;  // "Z-BIG"
  int count;
  std::uint64_t size;  // of each file
  bool is_random;
};

class SampleFiles {
 public:
  static Result<SampleFiles> make(const std::string& parent, const Sample& sample, const std::function<bool()>& stop);
  SampleFiles(SampleFiles&& other) noexcept : directory_(std::exchange(other.directory_, {})) {}
  SampleFiles& operator=(SampleFiles&& other) noexcept {
    std::swap(directory_, other.directory_);
    return *this;
  }
  ~SampleFiles();

  const std::string& directory() const { return directory_; }

 private:
  explicit SampleFiles(std::string directory) : directory_(std::move(directory)) {}
  std::string directory_;
};

}  // namespace cairn::measure

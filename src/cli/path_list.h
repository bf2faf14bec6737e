// Paths from a stream, one after each other with a delimiter between them (--paths-from-*).
// Source: docs/format (archive, section 4.9).
#pragma once

#include <optional>
#include <string>

#include "base/error.h"

namespace cairn::cli {

class PathList {
 public:
  PathList(int fd, std::string delimiter) : fd_(fd), delimiter_(std::move(delimiter)) {}
  // Nothing at the end. Empty parts are passed over.
  Result<std::optional<std::string>> next();

 private:
  const int fd_;
  const std::string delimiter_;
  std::string pending_;
  bool ended_ = false;
};

}  // namespace cairn::cli

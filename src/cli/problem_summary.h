// What went wrong with single files, grouped by reason, for the end of a run: each was said when it happened, but among
// the lines of a long run that is easily missed.
//
// Text      from two problems on, at WARNING level; the words are not those of the warnings, which scripts look for.
// Records   with --log-json one "problem_summary"; with --json of create the key "problems".
// Threads   add() from any.
#pragma once

#include <cstdint>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cli/context.h"

namespace cairn::cli {

class ProblemSummary {
 public:
  void add(const std::string& path, const Error& error);
  // The reason in words, for what has no code.
  void add(const std::string& path, std::string_view reason);
  bool empty() const { return groups_.empty(); }
  void show(Context& context) const;
  nlohmann::json json() const;  // a list of groups, the largest first

 private:
  struct Group {
    std::string reason;
    std::uint64_t count = 0;
    std::vector<std::string> first_paths;
  };
  std::vector<Group> sorted() const;

  mutable std::mutex mutex_;
  std::vector<Group> groups_;  // in the order of their first problem
};

}  // namespace cairn::cli

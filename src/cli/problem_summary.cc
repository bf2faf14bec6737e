#include "cli/problem_summary.h"

#include <algorithm>
#include <system_error>

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "base/log.h"
#include "cli/display_text.h"
#include "cli/json_output.h"

namespace cairn::cli {
namespace {

constexpr std::size_t kMostPaths = 5;  // of a group
constexpr std::string_view kLogger = "borg.archiver.problems";

std::string reason_of(const Error& error) {
  switch (error.code()) {
    case Code::FileChanged:
      return "changed while being read";
    case Code::BackupRace:
      return "became something else while being read";
    case Code::BackupTimeout:
      return "no data came in time";
    case Code::BackupBrokenSymlink:
      return "leads nowhere";
    case Code::BackupSymlinkParent:
      return "a symbolic link is in the way";
    case Code::BackupPathTraversal:
      return "the path leads out of the target";
    case Code::BackupDamagedChunks:
      return "content is missing or damaged in the repository";
    default:
      break;
  }
  if (error.os_error() == 0) return "other reasons";
  std::string reason = std::system_category().message(error.os_error());
  if (!reason.empty() && reason[0] >= 'A' && reason[0] <= 'Z') reason[0] = static_cast<char>(reason[0] - 'A' + 'a');
  return reason;
}

}  // namespace

void ProblemSummary::add(const std::string& path, const Error& error) { add(path, reason_of(error)); }

void ProblemSummary::add(const std::string& path, std::string_view reason) {
  const std::lock_guard lock(mutex_);
  auto group = std::ranges::find(groups_, reason, &Group::reason);
  if (group == groups_.end()) {
    groups_.push_back({.reason = std::string(reason), .count = 0, .first_paths = {}});
    group = groups_.end() - 1;
  }
  ++group->count;
  if (group->first_paths.size() < kMostPaths) group->first_paths.push_back(path);
}

std::vector<ProblemSummary::Group> ProblemSummary::sorted() const {
  const std::lock_guard lock(mutex_);
  std::vector<Group> groups = groups_;
  std::ranges::sort(groups, [](const Group& a, const Group& b) {
    return a.count != b.count ? a.count > b.count : a.reason < b.reason;
  });
  return groups;
}

void ProblemSummary::show(Context& context) const {
  const std::vector<Group> groups = sorted();
  if (groups.empty() ||
      !context.log.wants({.level = Level::Warning, .logger = kLogger, .message = {}, .code = nullptr})) {
    return;
  }
  if (context.common.log_json) {
    nlohmann::json record{{"type", "problem_summary"}, {"problems", json()}};
    context.output.error_line(json_text(record, std::nullopt));
    return;
  }
  std::uint64_t all = 0;
  for (const Group& group : groups) all += group.count;
  if (all < 2) return;
  std::string text = fmt::format("In all {} problems with single files:", all);
  for (const Group& group : groups) {
    text += fmt::format("\n{:>8} {}: ", group.count, group.reason);
    for (std::size_t i = 0; i < group.first_paths.size(); ++i) {
      text += (i > 0 ? ", " : "") + one_line(group.first_paths[i]);
    }
    if (group.count > group.first_paths.size()) text += ", ...";
  }
  log(Level::Warning, kLogger, text);
}

nlohmann::json ProblemSummary::json() const {
  nlohmann::json list = nlohmann::json::array();
  for (const Group& group : sorted()) {
    list.push_back({{"reason", group.reason}, {"count", group.count}, {"first_paths", group.first_paths}});
  }
  return list;
}

}  // namespace cairn::cli

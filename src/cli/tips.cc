#include "cli/tips.h"

#include <fmt/format.h>

namespace cairn::cli {

std::optional<std::string_view> tip_for(const Error& error) {
  const auto says = [&](std::string_view part) { return error.message().find(part) != std::string::npos; };
  switch (error.code()) {
    case Code::Command:
      if (says("but matched 0.")) return "\"cairn repo-list\" shows which archives there are.";
      if (says("needed to match precisely one archive")) {
        return "Archives may share a name. \"cairn repo-list -a NAME\" shows their ids; aid:ID is one of them.";
      }
      return std::nullopt;
    case Code::NoSpace:
      return "If the repository's disk is full: \"cairn repo-space --free\" gives back what was held in reserve; then "
             "delete or prune archives and run \"cairn compact\". Reading needs no space.";
    case Code::LockTimeout:
      return "If whoever holds the lock is gone for good, \"cairn break-lock\" removes it. --lock-wait SECONDS waits "
             "longer.";
    case Code::RepositoryAccessAborted:
      return "Scripts answer with BORG_RELOCATED_REPO_ACCESS_IS_OK=yes, see \"cairn help environment\".";
    case Code::RepositoryDoesNotExist:
      return "\"cairn repo-create\" makes a repository. Is the disk mounted?";
    case Code::IncompleteRepository:
      return "A repository is made in an empty or a new directory. This one holds something else.";
    case Code::RepoKeyNotFound:
      return "\"cairn key import\" brings back a key that was exported, with --paper one that was printed.";
    case Code::NotAKeyFile:
      return "A key that was printed is imported with --paper.";
    case Code::ExtractionDirNotEmpty:
      return "--target DIR extracts into a new directory.";
    case Code::DefaultsMissing:
    case Code::CorruptPack:
    case Code::CorruptIndexFragment:
    case Code::Integrity:
      return "\"cairn check\" says what is damaged, \"cairn check --repair\" saves what can be saved.";
    default:
      if (says("same chunker secret")) {
        return "Make the new repository with \"cairn repo-create --other-repo OLD\", so that both cut alike.";
      }
      return std::nullopt;
  }
}

void say_tip(Context& context, std::string_view text) {
  if (context.common.log_json || !context.output.error_is_terminal()) return;
  context.output.error_line(context.output.error_display(fmt::format("tip: {}", text)));
}

}  // namespace cairn::cli

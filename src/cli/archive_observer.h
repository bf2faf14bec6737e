// Status lines, warnings and progress of commands that make archives: create, import-tar, recreate.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/context.h"
#include "cli/problem_summary.h"
#include "ops/create.h"

namespace cairn::cli {

class ArchiveObserver final : public ops::CreateObserver {
 public:
  // `filter`: of the status letters only these are shown.
  // `total`: what there is to do, if that is known.
  ArchiveObserver(Context& context, const std::optional<std::string>& filter, ArchiveTotal total = {});
  void status(char letter, const std::string& path) override;
  void warning(const std::string& path, const Error& error) override;
  void complaint(const std::string& path, const std::string& message, std::string_view reason) override;
  void progress(const ops::CreateProgress& now) override;
  void finish();  // ends the progress line and says what went wrong
  const ProblemSummary& problems() const { return problems_; }

 private:
  Context& context_;
  const std::optional<std::string>& filter_;
  std::optional<ArchiveProgress> progress_;
  ProblemSummary problems_;
};

}  // namespace cairn::cli

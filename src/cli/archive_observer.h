// Status lines, warnings and progress of commands that make archives: create, import-tar, recreate.
#pragma once

#include <optional>
#include <string>

#include "cli/context.h"
#include "ops/create.h"

namespace cairn::cli {

class ArchiveObserver final : public ops::CreateObserver {
 public:
  // `filter`: of the status letters only these are shown.
  ArchiveObserver(Context& context, const std::optional<std::string>& filter);
  void status(char letter, const std::string& path) override;
  void warning(const Error& error) override;
  void progress(const ops::CreateProgress& now) override;
  void finish();  // ends the progress line

 private:
  Context& context_;
  const std::optional<std::string>& filter_;
  std::optional<ArchiveProgress> progress_;
};

}  // namespace cairn::cli

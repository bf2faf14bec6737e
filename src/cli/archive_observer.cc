#include "cli/archive_observer.h"

#include "base/log.h"
#include "cli/session.h"

namespace cairn::cli {

ArchiveObserver::ArchiveObserver(Context& context, const std::optional<std::string>& filter, ArchiveTotal total)
    : context_(context), filter_(filter) {
  if (context.progress.enabled()) progress_.emplace(context.progress, total);
}

void ArchiveObserver::status(char letter, const std::string& path) {
  if (filter_ && filter_->find(letter) == std::string::npos) return;
  context_.log.file_status(letter, path);
}

void ArchiveObserver::warning(const std::string& path, const Error& error) {
  log_warning(error);
  problems_.add(path, error);
}

void ArchiveObserver::complaint(const std::string& path, const std::string& message, std::string_view reason) {
  log(Level::Warning, "borg.archiver", message);
  context_.exit.note(1);
  problems_.add(path, reason);
}

void ArchiveObserver::progress(const ops::CreateProgress& now) {
  if (!progress_ || !progress_->due()) return;
  progress_->show({.original_size = now.original_size,
                   .deduplicated_size = now.deduplicated_size,
                   .nfiles = now.files,
                   .excluded_size = now.excluded_size,
                   .excluded_files = now.excluded_files,
                   .hashing_time = now.hashing_seconds,
                   .chunking_time = now.chunking_seconds,
                   .files_stats = now.files_stats,
                   .path = now.path});
}

void ArchiveObserver::finish() {
  if (progress_) progress_->finish();
  problems_.show(context_);
}

}  // namespace cairn::cli

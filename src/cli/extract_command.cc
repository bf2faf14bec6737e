// extract: an archive into the current directory, to standard output, or nowhere.
#include "cli/extract_command.h"

#include <dirent.h>
#include <unistd.h>

#include <optional>

#include <fmt/format.h>

#include "cli/session.h"
#include "cli/signals.h"
#include "ops/archives.h"
#include "ops/extract.h"
#include "ops/id_checks.h"

namespace cairn::cli {
namespace {

class Observer final : public ops::ExtractObserver {
 public:
  Observer(Context& context) : context_(context) {
    if (context.progress.enabled()) {
      percent_.emplace(context.progress, kExtractPercent);
      percent_->announce(
          "Calculating total archive size for the progress indicator (might take a long time for large archives)");
    }
  }
  void listed(bool included, const std::string& path) override {
    log(Level::Info, "borg.output.list", fmt::format("{} {}", included ? '+' : '-', path));
  }
  void warning(const Error& error) override { log_warning(error); }
  void incomplete() override { context_.exit.note(1); }
  Status write(Bytes bytes) override {
    context_.output.write_bytes(bytes);
    return {};
  }
  void total(std::uint64_t bytes) override {
    if (percent_) percent_->set_total(bytes);
  }
  void progress(std::uint64_t bytes, const std::string& path) override {
    if (percent_) percent_->advance(bytes, path);
  }
  void directories(std::uint64_t count) override {
    if (!percent_) return;
    percent_->finish();
    percent_.emplace(context_.progress, kPermissionsPercent, count);
  }
  void directory_done() override {
    if (percent_) percent_->advance();
  }
  // Without directories to finish, as in a dry run, Borg ends the same indicator twice.
  void finish(bool without_directories) {
    if (!percent_) return;
    percent_->finish();
    if (without_directories) percent_->finish();
  }

 private:
  Context& context_;
  std::optional<PercentProgress> percent_;
};

Status require_empty_directory() {
  DIR* directory = ::opendir(".");
  if (directory == nullptr) return {};
  bool empty = true;
  while (const dirent* entry = ::readdir(directory)) {  // NOLINT(concurrency-mt-unsafe): a stream of our own
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") {
      empty = false;
      break;
    }
  }
  ::closedir(directory);
  if (empty) return {};
  std::string cwd(4096, '\0');
  const char* where = ::getcwd(cwd.data(), cwd.size());
  return fail(
      Code::ExtractionDirNotEmpty,
      fmt::format("Extraction directory {} is not empty. Use --continue to extract into a non-empty directory: "
                  "existing files that differ from the archived files will be replaced and the result will be a "
                  "mix of existing and extracted files.",
                  where == nullptr ? "." : where));
}

}  // namespace

Status run_extract(const ExtractOptions& options, Context& context) {
  CAIRN_CHECKED(check_progress_and_list(context.common, options.list));
  context.log.enable(options.list, options.stats);
  CAIRN_TRY(const ops::IdChecks checks, ops::id_checks_from_environment());
  CAIRN_TRY(const match::Matcher matcher, build_matcher(options.patterns, options.paths));
  if (!options.dry_run && !options.to_stdout && !options.continue_extraction) CAIRN_CHECKED(require_empty_directory());
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Shared));
  CAIRN_TRY(const archive::ArchiveSummary archive, find_archive(session, options.name));
  CAIRN_TRY(const archive::Metadata metadata, ops::load_metadata(*session.repository, archive.id));

  Observer observer(context);
  ops::ExtractRequest request{.matcher = &matcher};
  request.strip_components = static_cast<std::size_t>(options.strip_components);
  request.dry_run = options.dry_run;
  request.to_stream = options.to_stdout;
  request.sparse = options.sparse;
  request.keep_equal = options.continue_extraction;
  request.numeric_ids = options.numeric_ids;
  request.set_flags = !options.noflags;
  request.set_acls = !options.noacls;
  request.set_xattrs = !options.noxattrs;
  request.verify = checks.read ? repo::Verify::Id : repo::Verify::Envelope;
  request.want_list = options.list;
  request.want_progress = context.progress.enabled();
  request.interrupted = &interrupted();
  auto status = ops::extract(*session.repository, *session.pool, metadata, request, observer);
  observer.finish(options.dry_run || options.to_stdout);
  if (!status) return status;
  warn_unmatched_paths(matcher);
  if (options.stats) log_store_statistics(*session.statistics, context.units);
  return session.repository->close();
}

}  // namespace cairn::cli

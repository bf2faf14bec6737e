// export-tar: an archive as a tar file.
#include "cli/export_tar_command.h"

#include <optional>

#include "cli/problem_summary.h"
#include "cli/session.h"
#include "cli/signals.h"
#include "ops/archives.h"
#include "ops/export_tar.h"
#include "ops/id_checks.h"
#include "ops/tar_file.h"

namespace cairn::cli {
namespace {

class Observer final : public ops::ExportTarObserver {
 public:
  Observer(ops::TarOutput& output, Context& context) : output_(output), context_(context) {
    if (!context.progress.enabled()) return;
    percent_.emplace(context.progress, kExportPercent);
    percent_->announce("Calculating size");
  }
  void listed(const std::string& path) override { log(Level::Info, "borg.output.list", path); }
  void warning(const std::string& path, const Error& error) override {
    log_warning(error);
    problems_.add(path, error);
  }
  void left_out(const std::string& message) override {
    log(Level::Warning, "borg.archiver", message);
    context_.exit.note(1);
  }
  Status write(Bytes bytes) override { return output_.write(bytes); }
  bool stopped() const override { return output_.reader_gone(); }
  void total(std::uint64_t bytes) override {
    if (percent_) percent_->set_total(bytes);
  }
  void progress(std::uint64_t bytes, const std::string& path) override {
    if (percent_) percent_->advance(bytes, path);
  }
  void finish() {
    if (percent_) percent_->finish();
    problems_.show(context_);
  }

 private:
  ops::TarOutput& output_;
  Context& context_;
  std::optional<PercentProgress> percent_;
  ProblemSummary problems_;
};

ops::TarFormat format_of(const std::string& name) {
  if (name == "BORG") return ops::TarFormat::Borg;
  return name == "GNU" ? ops::TarFormat::Gnu : ops::TarFormat::Pax;
}

}  // namespace

Status run_export_tar(const ExportTarOptions& options, Context& context) {
  context.log.enable(options.list, false);
  const ops::TarFormat format = format_of(options.tar_format);
  if (options.sparse && format == ops::TarFormat::Gnu) {
    return fail(Code::Error,
                "--sparse requires --tar-format BORG or PAX (GNU sparse format 1.0 members are PAX-based).");
  }
  CAIRN_TRY(const ops::IdChecks checks, ops::id_checks_from_environment());
  CAIRN_TRY(const match::Matcher matcher, build_matcher(options.patterns, options.paths));
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Reading));
  CAIRN_TRY(const archive::ArchiveSummary archive, find_archive(session, options.name));
  CAIRN_TRY(const archive::Metadata metadata, ops::load_metadata(*session.repository, archive.id));

  const ops::TarFilter filter = ops::choose_tar_filter(options.tar_filter, options.file, ops::TarDirection::Write);
  CAIRN_TRY(ops::TarOutput output, ops::TarOutput::create(options.file, filter, session.pool->threads()));
  Observer observer(output, context);
  ops::ExportTarRequest request{.matcher = &matcher};
  request.strip_components = static_cast<std::size_t>(options.strip_components);
  request.format = format;
  request.sparse = options.sparse;
  request.verify = checks.read ? repo::Verify::Id : repo::Verify::Envelope;
  request.want_list = options.list;
  request.want_progress = context.progress.enabled();
  request.interrupted = &interrupted();
  auto status = ops::export_tar(*session.repository, *session.pool, metadata, request, observer);
  if (status) status = output.close();
  observer.finish();
  if (!status) return status;
  warn_unmatched_paths(matcher);
  return session.repository->close();
}

}  // namespace cairn::cli

#include "ops/import_tar.h"

#include <sys/stat.h>

#include <algorithm>

#include <fmt/format.h>

#include "archive/python_text.h"
#include "archive/stripped_path.h"
#include "base/log.h"
#include "base/normalized_path.h"
#include "ops/archive_writer.h"
#include "ops/item_pipeline.h"
#include "ops/known_members.h"
#include "ops/run_facts.h"
#include "ops/tar_items.h"

namespace cairn::ops {
namespace {

constexpr Nanoseconds kProgressInterval = kSecond / 10;

// What is wrong with the stream is no damage of the repository.
Error stream_error(Error error) {
  switch (error.code()) {
    case Code::Integrity:
    case Code::Decompression:
    case Code::BackupPathTraversal:
      return std::move(error).as(Code::Error);
    default:
      return error;
  }
}

// The content of the reader's current member.
class MemberSource final : public Source {
 public:
  MemberSource(tar::Reader& reader, std::function<Status()> stopping)
      : reader_(reader), stopping_(std::move(stopping)) {}
  Result<std::size_t> read(MutableBytes out) override {
    CAIRN_CHECKED(stopping_());
    return reader_.read(out);
  }
  Result<std::uint64_t> zeros_ahead() override { return reader_.hole_ahead(); }
  void skip_zeros(std::uint64_t count) override { reader_.skip_hole(count); }

 private:
  tar::Reader& reader_;
  std::function<Status()> stopping_;
};

class ImportTarRun {
 public:
  ImportTarRun(repo::Repository& repository, exec::Pool& pool, const ImportTarRequest& request,
               CreateObserver& observer)
      : repository_(repository), pool_(pool), request_(request), observer_(observer) {}

  Result<CreateResult> run();

 private:
  Status read_members();
  Status take(tar::Reader& reader, tar::Member&& member);
  Status commit(PipelineItem&& item, exec::Worker& worker);
  Result<CreateResult> finish(Nanoseconds start);

  repo::Repository& repository_;
  exec::Pool& pool_;
  const ImportTarRequest& request_;
  CreateObserver& observer_;
  exec::Stop stop_{request_.interrupted};
  std::unique_ptr<chunk::Cutter> cutter_;
  std::unique_ptr<ArchiveWriter> archive_;
  std::unique_ptr<ItemPipeline> pipeline_;
  // The committer's own.
  CreateProgress counted_;
  KnownMembers known_;
  Nanoseconds last_progress_ = 0;
};

Status ImportTarRun::read_members() {
  tar::Reader reader(request_.source, request_.ignore_zeros);
  tar::Member member;
  while (true) {
    CAIRN_CHECKED(stop_.result());
    auto more = reader.next(member);
    if (!more) return fail(stream_error(std::move(more).error()));
    if (!*more) break;
    if (auto status = take(reader, std::move(member)); !status) return fail(stream_error(std::move(status).error()));
  }
  return reader.drain();
}

Status ImportTarRun::take(tar::Reader& reader, tar::Member&& member) {
  CAIRN_TRY(const std::string safe, archive::safe_path(normalized_path(member.path)));
  const std::string path = archive::stripped_path(safe, request_.strip_components);
  PipelineItem entry;
  entry.shown = path.empty() ? safe : path;
  entry.link = safe;
  switch (member.type) {
    case tar::kRegular:
      entry.letter = 'A';
      break;
    case tar::kHardLink:
      entry.letter = 'h';
      break;
    case tar::kSymlink:
      entry.letter = 's';
      break;
    case tar::kCharDevice:
      entry.letter = 'c';
      break;
    case tar::kBlockDevice:
      entry.letter = 'b';
      break;
    case tar::kDirectory:
      entry.letter = 'd';
      break;
    case tar::kFifo:
      entry.letter = 'f';
      break;
    default:
      if (path.empty()) return {};
      entry.complaint =
          fmt::format("{}: Unsupported tarinfo type b{}", path, archive::python_repr(std::string(1, member.type)));
      entry.letter = 'E';
      pipeline_->put(std::move(entry));
      return {};
  }
  if (path.empty()) {
    // Links may name it.
    entry.letter = 0;
    if (member.type == tar::kDirectory || member.type == tar::kHardLink) return {};
    pipeline_->put(std::move(entry));
    return {};
  }
  CAIRN_TRY(entry.item, make_item(member, path));
  if (member.type == tar::kHardLink) {
    entry.link = archive::safe_path(normalized_path(member.link)).value_or(member.link);
    entry.has_content = true;
  }
  if (member.type != tar::kRegular) {
    pipeline_->put(std::move(entry));
    return {};
  }
  MemberSource source(reader, [this] { return stop_.result(); });
  return pipeline_->store(std::move(entry), source, member.size);
}

// In the stream's order, one at a time.
Status ImportTarRun::commit(PipelineItem&& item, exec::Worker& worker) {
  if (item.letter == 0) {
    return known_.remember_skipped(item.link);
  }
  if (item.letter == 'h') {
    CAIRN_TRY(const KnownMembers::Found found, known_.find(item.link, item.item));
    switch (found) {
      case KnownMembers::Found::Content:
        break;
      case KnownMembers::Found::Special:
        item.has_content = false;
        break;
      case KnownMembers::Found::Skipped:
        // Asked for, with what it links to: nothing to warn of.
        log(Level::Info, "borg.archiver.tar_cmds",
            fmt::format("{}: left out, it is a link to {}, which --strip-components leaves out", item.shown,
                        item.link));
        return {};
      case KnownMembers::Found::Nothing:
        observer_.complaint(
            item.shown,
            fmt::format("{}: stored without content, it is a link to {}, which the tar archive does not have before it",
                        item.shown, item.link),
            "a link to what the tar archive does not have before it");
        break;
    }
  }
  if (!item.complaint.empty()) observer_.complaint(item.shown, item.complaint, "a kind of member that is not known");
  if (request_.want_status) observer_.status(item.letter, item.shown);
  if (item.letter == 'E') return {};
  if (item.letter != 'h' && item.letter != 'd') CAIRN_CHECKED(known_.remember(item.link, item.item));
  if (item.has_content) ++counted_.files;
  if (item.letter == 'A') {
    // As in Borg links are files but no content of their own.
    counted_.original_size += item.item.size.value_or(0);
    counted_.deduplicated_size += item.new_bytes;
  }
  Buffer encoded;
  archive::encode(item.item, encoded);
  CAIRN_CHECKED(archive_->add_item(worker, encoded));
  const Nanoseconds now = system_clock().monotonic();
  if (now - last_progress_ >= kProgressInterval) {
    last_progress_ = now;
    counted_.path = item.shown;
    observer_.progress(counted_);
  }
  return {};
}

Result<CreateResult> ImportTarRun::run() {
  const Nanoseconds start = system_clock().now();
  CAIRN_TRY(cutter_, chunk::make_cutter(request_.chunker, chunker_keys(repository_)));
  CAIRN_CHECKED(repository_.load_index(repo::BadFragments::Error, pool_));
  CAIRN_CHECKED(repository_.forget_missing_packs());
  CAIRN_TRY(archive_, ArchiveWriter::make(repository_, pool_, request_.compression));
  pipeline_ = std::make_unique<ItemPipeline>(
      pool_, stop_, archive_->chunks(), *cutter_, request_.digests,
      [this](PipelineItem&& item, exec::Worker& worker) { return commit(std::move(item), worker); });
  repository_.on_lock_lost([this](Error error) { stop_.fail(std::move(error)); });
  auto status = read_members();
  pipeline_->flush();
  pool_.drain();
  repository_.on_lock_lost({});
  CAIRN_CHECKED(stop_.result());
  if (!status) {
    // Chunks that are through are kept findable for the next run.
    if (auto kept = archive_->keep_chunks(); !kept) {
      log(Level::Warning, "borg.archive", fmt::format("Keeping finished chunks: {}", kept.error().text()));
    }
    return fail(std::move(status).error());
  }
  return finish(start);
}

Result<CreateResult> ImportTarRun::finish(Nanoseconds start) {
  CreateResult created;
  created.start = start;
  created.end = system_clock().now();
  archive::Metadata& metadata = created.metadata;
  metadata.name = request_.name;
  metadata.command_line = request_.command_line;
  metadata.hostname = request_.hostname;
  metadata.username = request_.username;
  metadata.comment = request_.comment;
  metadata.chunker_params = request_.chunker;
  set_run_facts(metadata, created.start, created.end);
  metadata.time = request_.timestamp ? request_.timestamp->stored : *metadata.start;
  metadata.nfiles = counted_.files;
  CAIRN_TRY(const ArchiveWriter::Committed done,
            archive_->commit(pool_.main_worker(), metadata, counted_.original_size));
  created.id = done.id;
  metadata.size = counted_.original_size + done.stream_bytes;
  // What --stats shows also counts the archive object itself.
  counted_.original_size += done.stream_bytes + done.archive_object_bytes;
  counted_.deduplicated_size += done.new_metadata_bytes;
  counted_.hashing_seconds = archive_->chunks().hashing_seconds();
  if (auto status = repository_.fragments().repack(); !status) {
    log(Level::Warning, "borg.repository", fmt::format("Merging small index fragments: {}", status.error().text()));
  }
  created.totals = counted_;
  return created;
}

}  // namespace

Result<CreateResult> import_tar(repo::Repository& repository, exec::Pool& pool, const ImportTarRequest& request,
                                CreateObserver& observer) {
  ImportTarRequest sorted = request;
  std::ranges::sort(sorted.digests);
  ImportTarRun run(repository, pool, sorted, observer);
  return run.run();
}

}  // namespace cairn::ops

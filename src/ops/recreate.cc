#include "ops/recreate.h"

#include <sys/stat.h>

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "base/log.h"
#include "ops/archive_writer.h"
#include "ops/archives.h"
#include "ops/chunk_queue.h"
#include "ops/item_pipeline.h"
#include "ops/items_ahead.h"

namespace cairn::ops {
namespace {

constexpr Nanoseconds kProgressInterval = kSecond / 10;
constexpr std::string_view kCacheTag = "CACHEDIR.TAG";
constexpr std::string_view kCacheSignature = "Signature: 8a477f597d28d172789f06886806bc55";

char letter_of(const archive::Item& item) {
  switch (item.mode & S_IFMT) {
    case S_IFREG:
      return 'A';
    case S_IFDIR:
      return 'd';
    case S_IFLNK:
      return 's';
    case S_IFCHR:
      return 'c';
    case S_IFBLK:
      return 'b';
    case S_IFIFO:
      return 'f';
    default:
      return '?';
  }
}

class Recreate {
 public:
  Recreate(repo::Repository& repository, exec::Pool& pool, const RecreateRequest& request, CreateObserver& observer)
      : repository_(repository), pool_(pool), request_(request), observer_(observer) {}

  Result<std::optional<CreateResult>> run(const archive::ArchiveSummary& archive);

 private:
  Status find_tags();
  Result<bool> is_cache_tag(const archive::Item& item, Fetcher& fetcher);
  bool is_wanted(const archive::Item& item) const;
  Status copy_items();
  Status cut_items_again();
  Status commit(const archive::Item& item, std::uint64_t new_bytes, exec::Worker& worker);
  void excluded(const archive::Item& item);
  Status replace(const archive::ArchiveSummary& archive, CreateResult& result);
  bool uses_tags() const { return request_.exclude_caches || !request_.exclude_if_present.empty(); }

  repo::Repository& repository_;
  exec::Pool& pool_;
  const RecreateRequest& request_;
  CreateObserver& observer_;
  exec::Stop stop_{request_.interrupted};
  archive::Metadata metadata_;
  bool cuts_again_ = false;
  std::unordered_set<std::string> tagged_directories_, kept_tags_;
  std::unique_ptr<ArchiveWriter> writer_;
  // The committer's own.
  CreateProgress counted_;
  Nanoseconds last_progress_ = 0;
};

Result<std::optional<CreateResult>> Recreate::run(const archive::ArchiveSummary& archive) {
  CreateResult result;
  result.start = system_clock().now();
  CAIRN_TRY(metadata_, load_metadata(repository_, archive.id));
  cuts_again_ = request_.chunker && metadata_.chunker_params && *request_.chunker != *metadata_.chunker_params;
  if (!request_.any_patterns && !cuts_again_ && !request_.comment && !request_.timestamp) return std::nullopt;
  if (uses_tags()) CAIRN_CHECKED(find_tags());
  if (!request_.dry_run) {
    CAIRN_TRY(writer_, ArchiveWriter::make(repository_, pool_, request_.compression));
    repository_.on_lock_lost([this](Error error) { stop_.fail(std::move(error)); });
  }
  auto status = cuts_again_ && !request_.dry_run ? cut_items_again() : copy_items();
  pool_.drain();
  repository_.on_lock_lost({});
  if (auto stopped = stop_.result(); !stopped) status = std::move(stopped);
  if (!status) {
    if (writer_ && status.error().code() == Code::Interrupted) {
      if (auto kept = writer_->keep_chunks(); !kept) {
        log(Level::Warning, "borg.archive", fmt::format("Keeping finished chunks: {}", kept.error().text()));
      }
    }
    return fail(std::move(status).error());
  }
  if (!request_.dry_run) CAIRN_CHECKED(replace(archive, result));
  result.totals = counted_;
  return result;
}

// The new archive first, then the end of the old one.
Status Recreate::replace(const archive::ArchiveSummary& archive, CreateResult& result) {
  result.end = system_clock().now();
  archive::Metadata& metadata = result.metadata;
  metadata = metadata_;
  metadata.version = 2;
  if (request_.target) metadata.name = *request_.target;
  if (request_.comment) metadata.comment = *request_.comment;
  if (request_.timestamp) metadata.time = request_.timestamp->stored;
  if (cuts_again_) metadata.chunker_params = request_.chunker;
  metadata.recreate_command_line = request_.command_line;
  metadata.start = archive::iso_utc(result.start);
  metadata.end = archive::iso_utc(result.end);
  metadata.nfiles = counted_.files;
  CAIRN_TRY(const ArchiveWriter::Committed done, writer_->commit(pool_.main_worker(), metadata, counted_.original_size,
                                                                 ArchiveWriter::Counted::WholeStream));
  result.id = done.id;
  metadata.size = counted_.original_size + done.stream_bytes;
  counted_.original_size += done.stream_bytes + done.archive_object_bytes;
  counted_.deduplicated_size += done.new_metadata_bytes;
  counted_.hashing_seconds = writer_->chunks().hashing_seconds();
  if (!request_.target && done.id != archive.id) return repository_.delete_archive(archive.id);
  return {};
}

// Directories with a tag in them, before anything is decided.
Status Recreate::find_tags() {
  Fetcher fetcher(repository_);
  return for_each_item(repository_, pool_, metadata_, [&](archive::Item&& item) -> Status {
    CAIRN_CHECKED(stop_.result());
    const auto slash = item.path.rfind('/');
    const std::string name = slash == std::string::npos ? item.path : item.path.substr(slash + 1);
    bool is_tag = std::ranges::find(request_.exclude_if_present, name) != request_.exclude_if_present.end();
    if (!is_tag && request_.exclude_caches && name == kCacheTag) {
      CAIRN_TRY(is_tag, is_cache_tag(item, fetcher));
    }
    if (!is_tag) return {};
    tagged_directories_.insert(slash == std::string::npos ? "." : item.path.substr(0, slash));
    if (request_.keep_exclude_tags) kept_tags_.insert(item.path);
    return {};
  });
}

Result<bool> Recreate::is_cache_tag(const archive::Item& item, Fetcher& fetcher) {
  if (!item.chunks || item.chunks->empty() || item.chunks->front().size < kCacheSignature.size()) return false;
  const archive::ChunkRef& first = item.chunks->front();
  CAIRN_TRY(const auto meta, repository_.load_object(*fetcher.reader, first.id, repo::kAnyType, repo::Verify::Envelope,
                                                     fetcher.object, fetcher.plain, first.size));
  (void)meta;
  return text_of(fetcher.plain).starts_with(kCacheSignature);
}

bool Recreate::is_wanted(const archive::Item& item) const {
  if (kept_tags_.contains(item.path)) return true;
  const match::Decision decision = request_.matcher->match(item.path);
  if (decision.matched || tagged_directories_.empty()) return decision.include;
  // Below a tagged directory, or such a directory itself unless its tags are kept.
  if (!request_.keep_exclude_tags && tagged_directories_.contains(item.path)) return false;
  if (item.path != "." && tagged_directories_.contains(".")) return false;
  for (auto slash = item.path.rfind('/'); slash != std::string::npos && slash > 0;
       slash = item.path.rfind('/', slash - 1)) {
    if (tagged_directories_.contains(item.path.substr(0, slash))) return false;
  }
  return decision.include;
}

void Recreate::excluded(const archive::Item& item) {
  if (S_ISREG(item.mode)) ++counted_.excluded_files;
  counted_.excluded_size += item.size.value_or(0);
  if (request_.want_status) observer_.status('-', item.path);
}

Status Recreate::copy_items() {
  return for_each_item(repository_, pool_, metadata_, [&](archive::Item&& item) -> Status {
    CAIRN_CHECKED(stop_.result());
    if (!is_wanted(item)) {
      excluded(item);
      return {};
    }
    return commit(item, 0, pool_.main_worker());
  });
}

// In the archive's order, one at a time.
Status Recreate::commit(const archive::Item& item, std::uint64_t new_bytes, exec::Worker& worker) {
  if (request_.want_status) observer_.status(request_.dry_run ? '+' : letter_of(item), item.path);
  if (item.chunks) {
    ++counted_.files;
    for (const archive::ChunkRef& chunk : *item.chunks) counted_.original_size += chunk.size;
    counted_.deduplicated_size += new_bytes;
  }
  if (writer_) {
    Buffer encoded;
    archive::encode(item, encoded);
    CAIRN_CHECKED(writer_->add_item(worker, encoded));
  }
  const Nanoseconds now = system_clock().monotonic();
  if (now - last_progress_ >= kProgressInterval) {
    last_progress_ = now;
    counted_.path = item.path;
    observer_.progress(counted_);
  }
  return {};
}

Status Recreate::cut_items_again() {
  CAIRN_TRY(const auto cutter, chunk::make_cutter(*request_.chunker, chunker_keys(repository_)));
  constexpr char kExcluded = '-';
  ItemPipeline pipeline(pool_, stop_, writer_->chunks(), *cutter, {},
                        [&](PipelineItem&& item, exec::Worker& worker) -> Status {
                          if (item.letter == kExcluded) {
                            excluded(item.item);
                            return {};
                          }
                          return commit(item.item, item.new_bytes, worker);
                        });
  ChunkQueue queue(repository_, pool_, pool_.main_worker(),
                   request_.check_ids ? repo::Verify::Id : repo::Verify::Envelope, fetch_ahead_bytes(pool_));
  ItemsAhead ahead(queue, [&](archive::Item&& item, Source& content) -> Status {
    CAIRN_CHECKED(stop_.result());
    PipelineItem entry;
    entry.letter = is_wanted(item) ? 0 : kExcluded;
    entry.item = std::move(item);
    if (entry.letter == kExcluded || !entry.item.chunks) {
      pipeline.put(std::move(entry));
      return {};
    }
    std::uint64_t size = 0;
    for (const archive::ChunkRef& chunk : *entry.item.chunks) size += chunk.size;
    return pipeline.store(std::move(entry), content, size);
  });
  auto status = for_each_item(repository_, pool_, metadata_, [&](archive::Item&& item) -> Status {
    // Content that is not wanted is not fetched.
    if (is_wanted(item)) return ahead.add(std::move(item));
    archive::Item without = std::move(item);
    without.chunks.reset();
    return ahead.add(std::move(without));
  });
  if (status) status = ahead.finish();
  pipeline.flush();
  pool_.drain();
  return status;
}

}  // namespace

Result<std::optional<CreateResult>> recreate(repo::Repository& repository, exec::Pool& pool,
                                             const archive::ArchiveSummary& archive, const RecreateRequest& request,
                                             CreateObserver& observer) {
  return Recreate(repository, pool, request, observer).run(archive);
}

}  // namespace cairn::ops

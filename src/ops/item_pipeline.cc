#include "ops/item_pipeline.h"

#include <algorithm>
#include <utility>

namespace cairn::ops {
namespace {

constexpr std::size_t kWindow = 32768;
constexpr std::size_t kLargestSmall = std::size_t{1} << 20U;
constexpr std::size_t kBatchBytes = std::size_t{2} << 20U;
constexpr std::size_t kBatchItems = 128;

}  // namespace

ItemPipeline::ItemPipeline(exec::Pool& pool, exec::Stop& stop, repo::ChunkWriter& chunks, const chunk::Cutter& cutter,
                           std::vector<std::string> digest_names, Commit commit)
    : pool_(pool),
      worker_(pool.main_worker()),
      stop_(stop),
      budget_(pool, exec::default_budget(pool.threads())),
      context_{pool, budget_, stop, chunks, cutter},
      digest_names_(std::move(digest_names)),
      small_(std::min(cutter.min_chunk(), kLargestSmall)),
      ordered_(pool, kWindow, [this, commit = std::move(commit)](PipelineItem&& item, exec::Worker& worker) {
        if (item.is_lost || stop_.requested()) return;
        if (auto status = commit(std::move(item), worker); !status) stop_.fail(std::move(status).error());
      }) {}

// A full window is waited for with nothing of ours held back, or nobody could make room.
std::uint64_t ItemPipeline::reserve() {
  if (ordered_.open() + 1 >= kWindow) flush();
  return ordered_.reserve(worker_);
}

void ItemPipeline::complete(std::uint64_t number, PipelineItem&& item, exec::Worker& worker) {
  if (stop_.requested()) item.is_lost = true;
  ordered_.complete(number, std::move(item), worker);
}

void ItemPipeline::put(PipelineItem item) { complete(reserve(), std::move(item), worker_); }

Status ItemPipeline::store(PipelineItem item, Source& source, std::uint64_t size) {
  item.has_content = true;
  if (size > small_) return store_large(std::move(item), source);
  return store_small(std::move(item), source, static_cast<std::size_t>(size));
}

Result<std::vector<hash::Digest>> ItemPipeline::start_digests() const {
  std::vector<hash::Digest> digests;
  for (const std::string& name : digest_names_) {
    CAIRN_TRY(auto digest, hash::Digest::make(name));
    digests.push_back(std::move(digest));
  }
  return digests;
}

void ItemPipeline::fill_in(PipelineItem& item, Content& content, std::vector<hash::Digest>& digests) const {
  item.item.size = content.size();
  item.item.chunks = std::move(content.chunks());
  item.new_bytes = content.new_bytes();
  if (digests.empty()) return;
  item.item.digests.emplace();
  for (std::size_t i = 0; i < digests.size(); ++i) {
    item.item.digests->emplace_back(digest_names_[i], digests[i].finish());
  }
}

Status ItemPipeline::store_small(PipelineItem item, Source& source, std::size_t size) {
  if (batch_ && (batch_->fill + size > kBatchBytes || batch_->items.size() >= kBatchItems)) flush();
  const std::uint64_t number = reserve();  // may flush
  if (!batch_) {
    batch_ = std::make_shared<Batch>();
    batch_->lease = budget_.acquire(worker_, kBatchBytes);
  }
  const MutableBytes room = batch_->lease.buffer().span().subspan(batch_->fill, size);
  for (std::size_t fill = 0; fill < size;) {
    auto count = source.read(room.subspan(fill));
    if (count && *count == 0) count = fail(Code::Error, "the content ends too early");
    if (!count) {
      item.is_lost = true;
      complete(number, std::move(item), worker_);
      return fail(std::move(count).error());
    }
    fill += *count;
  }
  batch_->items.push_back({.number = number, .item = std::move(item), .offset = batch_->fill, .size = size});
  batch_->fill += size;
  return {};
}

void ItemPipeline::flush() {
  if (!batch_) return;
  pool_.submit(worker_, exec::Lane::Finish, [this, batch = std::exchange(batch_, nullptr)](exec::Worker& on) {
    for (Small& small : batch->items) run_small(small, batch->lease.buffer().view(small.offset, small.size), on);
  });
}

void ItemPipeline::run_small(Small& small, Bytes bytes, exec::Worker& worker) {
  auto content = std::make_shared<Content>();
  auto status = [&]() -> Status {
    if (stop_.requested()) return {};
    CAIRN_TRY(auto digests, start_digests());
    for (hash::Digest& digest : digests) digest.update(bytes);
    if (!bytes.empty()) CAIRN_CHECKED(store_single(worker, context_, bytes, content));
    fill_in(small.item, *content, digests);
    return {};
  }();
  if (!status) stop_.fail(std::move(status).error());
  complete(small.number, std::move(small.item), worker);
}

Status ItemPipeline::store_large(PipelineItem item, Source& source) {
  // The budget may have no room beside a batch that nobody works at.
  flush();
  auto content = std::make_shared<Content>();
  CAIRN_TRY(auto digests, start_digests());
  const std::uint64_t number = reserve();
  if (auto status = read_content(worker_, context_, source, content, cutting_, digests); !status) {
    item.is_lost = true;
    complete(number, std::move(item), worker_);
    return status;
  }
  content->finish(
      [this, raw = content.get(), number, item = std::move(item),
       digests = std::move(digests)](exec::Worker& on) mutable {
        if (!stop_.requested()) fill_in(item, *raw, digests);
        complete(number, std::move(item), on);
      },
      worker_);
  return {};
}

}  // namespace cairn::ops

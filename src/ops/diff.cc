#include "ops/diff.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/log.h"
#include "ops/chunk_list_diff.h"
#include "ops/chunk_stream.h"
#include "ops/item_reader.h"

namespace cairn::ops {
namespace {

// A file's content as a sequence of bytes; chunks that are missing read as zeros, as everywhere.
class ContentReader {
 public:
  ContentReader(repo::Repository& repository, exec::Pool& pool, Fetchers& fetchers, const archive::Item& item)
      : chunks_(*item.chunks),
        stream_(repository, pool, pool.main_worker(), fetchers, repo::kAnyType, repo::Verify::Envelope,
                [this]() -> std::optional<ChunkStream::Wanted> {
                  if (next_ == chunks_.size()) return std::nullopt;
                  const archive::ChunkRef& chunk = chunks_[next_++];
                  return ChunkStream::Wanted{chunk.id, chunk.size};
                }) {}

  // What is at hand, empty only at the end.
  Result<Bytes> peek() {
    while (used_ == plain_.size()) {
      auto chunk = stream_.next();
      if (!chunk) return Bytes();
      if (!chunk->plain) {
        if (chunk->plain.error().code() != Code::ObjectNotFound) return fail(std::move(chunk->plain).error());
        log(Level::Error, "borg.archive",
            fmt::format("repository object {} missing, returning {} zero bytes.", chunk->wanted.id.hex(),
                        *chunk->wanted.size));
        chunk->plain = Buffer(*chunk->wanted.size);
        std::memset(chunk->plain->data(), 0, chunk->plain->size());
      }
      plain_ = std::move(*chunk->plain);
      used_ = 0;
    }
    return plain_.view(used_, plain_.size() - used_);
  }
  void skip(std::size_t count) { used_ += count; }

 private:
  const std::vector<archive::ChunkRef>& chunks_;
  std::size_t next_ = 0;
  ChunkStream stream_;
  Buffer plain_;
  std::size_t used_ = 0;
};

std::uint64_t content_size(const archive::Item& item) {
  std::uint64_t sum = 0;
  for (const archive::ChunkRef& chunk : *item.chunks) sum += chunk.size;
  return sum;
}

class Diff {
 public:
  Diff(repo::Repository& repository, exec::Pool& pool, const DiffRequest& request, const OnDifference& on_difference)
      : repository_(repository),
        pool_(pool),
        request_(request),
        on_difference_(on_difference),
        fetchers_(make_fetchers(repository, pool)) {}

  Status run(const archive::Metadata& before, const archive::Metadata& after);

 private:
  Result<std::optional<archive::Item>> next_wanted(ItemReader& reader) const;
  Status report(const archive::Item* before, const archive::Item* after);
  Result<bool> same_content(const archive::Item& before, const archive::Item& after);

  repo::Repository& repository_;
  exec::Pool& pool_;
  const DiffRequest& request_;
  const OnDifference& on_difference_;
  Fetchers fetchers_;
};

Result<std::optional<archive::Item>> Diff::next_wanted(ItemReader& reader) const {
  while (true) {
    if (request_.interrupted != nullptr && *request_.interrupted) return fail(Code::Interrupted, "");
    CAIRN_TRY(auto item, reader.next());
    if (!item || !request_.wanted || request_.wanted(item->path)) return item;
  }
}

Result<bool> Diff::same_content(const archive::Item& before, const archive::Item& after) {
  if (content_size(before) != content_size(after)) return false;
  ContentReader first(repository_, pool_, fetchers_, before);
  ContentReader second(repository_, pool_, fetchers_, after);
  while (true) {
    if (request_.interrupted != nullptr && *request_.interrupted) return fail(Code::Interrupted, "");
    CAIRN_TRY(const Bytes one, first.peek());
    CAIRN_TRY(const Bytes two, second.peek());
    const std::size_t count = std::min(one.size(), two.size());
    if (count == 0) return one.size() == two.size();
    if (std::memcmp(one.data(), two.data(), count) != 0) return false;
    first.skip(count);
    second.skip(count);
  }
}

Status Diff::report(const archive::Item* before, const archive::Item* after) {
  std::optional<ContentChange> content;
  if (before != nullptr && after != nullptr && !same_chunks(*before, *after)) {
    if (request_.comparable_ids) {
      const ByteChange bytes = compare_chunk_lists(*before->chunks, *after->chunks);
      content = {.known = true, .added = bytes.added, .removed = bytes.removed};
    } else {
      CAIRN_TRY(const bool same, same_content(*before, *after));
      if (!same) content = {.known = false};
      if (same && same_metadata(*before, *after, request_.compare)) return {};
    }
  }
  return on_difference_(compare_items(before, after, request_.compare, content), before, after);
}

Status Diff::run(const archive::Metadata& before, const archive::Metadata& after) {
  CAIRN_TRY(const auto first, ItemReader::make(repository_, pool_, fetchers_, before));
  CAIRN_TRY(const auto second, ItemReader::make(repository_, pool_, fetchers_, after));
  ItemPairs pairs(
      [&](const archive::Item& one, const archive::Item& two) {
        return same_metadata(one, two, request_.compare) && same_chunks(one, two);
      },
      [&](const archive::Item* one, const archive::Item* two) { return report(one, two); }, request_.memory_limit);
  while (true) {
    CAIRN_TRY(auto one, next_wanted(*first));
    CAIRN_TRY(auto two, next_wanted(*second));
    if (!one && !two) break;
    CAIRN_CHECKED(pairs.add(std::move(one), std::move(two)));
  }
  return pairs.finish();
}

}  // namespace

Status diff(repo::Repository& repository, exec::Pool& pool, const archive::Metadata& before,
            const archive::Metadata& after, const DiffRequest& request, const OnDifference& on_difference) {
  return Diff(repository, pool, request, on_difference).run(before, after);
}

}  // namespace cairn::ops

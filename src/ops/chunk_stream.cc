#include "ops/chunk_stream.h"

namespace cairn::ops {

Fetchers make_fetchers(const repo::Repository& repository, const exec::Pool& pool) {
  return {pool, [&repository] { return std::make_unique<Fetcher>(repository); }};
}

ChunkStream::ChunkStream(repo::Repository& repository, exec::Pool& pool, exec::Worker& worker, Fetchers& fetchers,
                         char type, repo::Verify verify, std::function<std::optional<Wanted>()> source)
    : repository_(repository),
      pool_(pool),
      worker_(worker),
      fetchers_(fetchers),
      type_(type),
      verify_(verify),
      source_(std::move(source)),
      window_(pool.threads() == 1 ? 1 : pool.threads() + 2) {}

ChunkStream::~ChunkStream() {
  for (const auto& slot : ahead_) wait(*slot);
}

void ChunkStream::fill() {
  while (!source_ended_ && ahead_.size() < window_) {
    auto wanted = source_();
    if (!wanted) {
      source_ended_ = true;
      return;
    }
    auto slot = std::make_shared<Slot>();
    slot->wanted = *wanted;
    ahead_.push_back(slot);
    pool_.submit(worker_, exec::Lane::Finish, [this, slot](exec::Worker& on) {
      Fetcher& fetcher = fetchers_(on);
      Buffer plain;
      auto meta = repository_.load_object(*fetcher.reader, slot->wanted.id, type_, verify_, fetcher.object, plain,
                                          slot->wanted.size);
      {
        const std::lock_guard lock(slot->mutex);
        if (meta) {
          slot->plain = std::move(plain);
        } else {
          slot->plain = fail(std::move(meta).error());
        }
        slot->ready = true;
      }
      on.pool().notify();
    });
  }
}

void ChunkStream::wait(Slot& slot) {
  pool_.wait_until(worker_, exec::Lane::Finish, [&slot] {
    const std::lock_guard lock(slot.mutex);
    return slot.ready;
  });
}

std::optional<ChunkStream::Chunk> ChunkStream::next() {
  fill();
  if (ahead_.empty()) return std::nullopt;
  const auto slot = ahead_.front();
  wait(*slot);
  ahead_.pop_front();
  return Chunk{slot->wanted, std::move(slot->plain)};
}

}  // namespace cairn::ops

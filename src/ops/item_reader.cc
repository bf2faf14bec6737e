#include "ops/item_reader.h"

#include "ops/archives.h"

namespace cairn::ops {

Result<std::unique_ptr<ItemReader>> ItemReader::make(repo::Repository& repository, exec::Pool& pool, Fetchers& fetchers,
                                                     const archive::Metadata& metadata) {
  CAIRN_TRY(auto ids, item_stream_ids(repository, metadata));
  return std::unique_ptr<ItemReader>(new ItemReader(repository, pool, fetchers, std::move(ids)));
}

ItemReader::ItemReader(repo::Repository& repository, exec::Pool& pool, Fetchers& fetchers, std::vector<ChunkId> ids)
    : ids_(std::move(ids)),
      stream_(repository, pool, pool.main_worker(), fetchers, repo::kAnyType, repo::Verify::Envelope,
              [this]() -> std::optional<ChunkStream::Wanted> {
                if (next_id_ == ids_.size()) return std::nullopt;
                return ChunkStream::Wanted{ids_[next_id_++], std::nullopt};
              }) {}

Result<std::optional<archive::Item>> ItemReader::next() {
  while (items_.empty()) {
    auto object = stream_.next();
    if (!object) {
      CAIRN_CHECKED(decoder_.finish());
      return std::nullopt;
    }
    if (!object->plain) return fail(std::move(object->plain).error());
    CAIRN_CHECKED(decoder_.feed(*object->plain, [this](archive::Item&& item) -> Status {
      items_.push_back(std::move(item));
      return {};
    }));
  }
  std::optional<archive::Item> item(std::move(items_.front()));
  items_.pop_front();
  return item;
}

}  // namespace cairn::ops

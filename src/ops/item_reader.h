// The items of one archive, one after the other, for who reads several archives side by side.
//
// Memory    the items of one stream object, and what is fetched ahead of it.
// Threads   the pool's owner; objects are fetched, opened and decompressed by the workers.
// Errors    those of for_each_item().
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "archive/item.h"
#include "archive/item_stream.h"
#include "archive/metadata.h"
#include "base/error.h"
#include "ops/chunk_stream.h"

namespace cairn::ops {

class ItemReader {
 public:
  // `fetchers` must outlive it.
  static Result<std::unique_ptr<ItemReader>> make(repo::Repository& repository, exec::Pool& pool, Fetchers& fetchers,
                                                  const archive::Metadata& metadata);
  // Nothing at the end.
  Result<std::optional<archive::Item>> next();

 private:
  ItemReader(repo::Repository& repository, exec::Pool& pool, Fetchers& fetchers, std::vector<ChunkId> ids);

  const std::vector<ChunkId> ids_;
  std::size_t next_id_ = 0;
  archive::ItemDecoder decoder_;
  std::deque<archive::Item> items_;
  ChunkStream stream_;
};

}  // namespace cairn::ops

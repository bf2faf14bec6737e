// Items one after another with their content as bytes, while the chunks of later ones are fetched already: for cutting
// again.
//
// Memory    the queue's limit, and the facts of the items that wait.
// Threads   as ChunkQueue. `use` is called by add() and finish(), in the order of the items.
// Errors    those of `use`. Reading a chunk that is missing or damaged is an error of the source, which names the item.
#pragma once

#include <deque>
#include <functional>

#include "archive/item.h"
#include "base/error.h"
#include "ops/chunk_queue.h"
#include "ops/content.h"

namespace cairn::ops {

class ItemsAhead {
 public:
  // `content` gives the item's content; an item without chunks has none.
  using Use = std::function<Status(archive::Item&& item, Source& content)>;
  ItemsAhead(ChunkQueue& chunks, Use use) : chunks_(chunks), use_(std::move(use)) {}

  Status add(archive::Item&& item);
  Status finish() { return use_items(true); }

 private:
  class Content;
  struct Entry {
    archive::Item item;
    std::vector<archive::ChunkRef> chunks;  // not yet read
    std::size_t asked = 0;
  };
  void ask();
  Status use_items(bool all);

  ChunkQueue& chunks_;
  const Use use_;
  std::deque<Entry> entries_;
  std::size_t next_asked_ = 0;  // everything before is asked for
  std::size_t waiting_ = 0;     // chunks in all entries
};

}  // namespace cairn::ops

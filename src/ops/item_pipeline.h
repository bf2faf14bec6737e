// Items whose content one thread reads and all store: tar members, and files that are cut again.
//
// Small contents share one buffer and one task; large ones are cut while they are read. What is complete is committed
// in the order in which it came.
// Memory    slabs leased from the budget, and the facts of at most a window of items.
// Threads   belongs to one thread, the pool's owner; `commit` runs on any, one call at a time.
// Errors    those of reading are returned, and nothing of that item is committed; others go to the stop state.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "archive/item.h"
#include "base/error.h"
#include "exec/budget.h"
#include "exec/ordered.h"
#include "exec/pool.h"
#include "exec/stop.h"
#include "ops/content.h"

namespace cairn::ops {

struct PipelineItem {
  archive::Item item;  // chunks, size and digests are filled in with the content
  bool has_content = false;
  bool is_lost = false;  // nothing is to be committed
  char letter = 0;
  std::string shown;
  std::string link;             // of a tar hard link: whose content it has
  std::string complaint;        // to be said when it is committed
  std::uint64_t new_bytes = 0;  // of the content, stored by this run
};

class ItemPipeline {
 public:
  using Commit = std::function<Status(PipelineItem&&, exec::Worker&)>;
  ItemPipeline(exec::Pool& pool, exec::Stop& stop, repo::ChunkWriter& chunks, const chunk::Cutter& cutter,
               std::vector<std::string> digest_names, Commit commit);

  void put(PipelineItem item);
  // Reads `size` bytes, the whole content.
  Status store(PipelineItem item, Source& source, std::uint64_t size);
  // Nothing is held back any more. The pool must be drained before this object goes.
  void flush();

  double cutting_seconds() const { return cutting_.seconds(); }

 private:
  struct Small {
    std::uint64_t number = 0;
    PipelineItem item;
    std::size_t offset = 0, size = 0;
  };
  struct Batch {
    exec::Lease lease;
    std::size_t fill = 0;
    std::vector<Small> items;
  };

  std::uint64_t reserve();
  Status store_small(PipelineItem item, Source& source, std::size_t size);
  Status store_large(PipelineItem item, Source& source);
  void run_small(Small& small, Bytes bytes, exec::Worker& worker);
  void complete(std::uint64_t number, PipelineItem&& item, exec::Worker& worker);
  Result<std::vector<hash::Digest>> start_digests() const;
  void fill_in(PipelineItem& item, Content& content, std::vector<hash::Digest>& digests) const;

  exec::Pool& pool_;
  exec::Worker& worker_;
  exec::Stop& stop_;
  exec::Budget budget_;
  ContentContext context_;
  const std::vector<std::string> digest_names_;
  const std::size_t small_;
  exec::Ordered<PipelineItem> ordered_;
  exec::StageClock cutting_;
  std::shared_ptr<Batch> batch_;
};

}  // namespace cairn::ops

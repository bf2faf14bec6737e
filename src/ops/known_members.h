// What the hard links of a tar stream may name: every member so far, by its name in the stream.
//
// Memory    some 32 MiB; what does not fit goes to a temporary file. In a table stand 8 bytes of a name's hash and
// where
//           the member's record is; full tables are sorted and written out too.
// Threads   not thread-safe.
// Errors    those of the temporary file (fs/unnamed_file.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "archive/item.h"
#include "base/error.h"
#include "fs/scratch_log.h"

namespace cairn::ops {

class KnownMembers {
 public:
  static constexpr std::size_t kMostSlots = std::size_t{1} << 20U;
  static constexpr std::size_t kRecordBuffer = std::size_t{16} << 20U;

  explicit KnownMembers(std::size_t most_slots = kMostSlots, std::size_t record_buffer = kRecordBuffer)
      : most_slots_(most_slots), records_(record_buffer) {}

  // The last one of a name counts.
  Status remember(const std::string& name, const archive::Item& item);
  Status remember_skipped(const std::string& name);

  enum class Found { Nothing, Skipped, Content, Special };
  // Makes `item` a copy as far as the other member is the same file: its content, or what a special file is.
  Result<Found> find(const std::string& name, archive::Item& item) const;

 private:
  struct Slot {
    std::uint64_t key = 0, place = 0;  // of the record, plus 1; 0 = free
  };
  // A table that was written: slots sorted by key, and the first key of each block of them.
  struct Run {
    std::uint64_t offset = 0;
    std::size_t count = 0;
    std::vector<std::uint64_t> first_keys{};
  };

  Status add(const Digest256& name, bool skipped, const archive::Item& facts);
  Status insert(Slot slot);
  void grow();
  Status write_run();
  Result<std::uint64_t> find_place(std::uint64_t key) const;  // 0 if there is none
  Result<std::uint64_t> find_in(const Run& run, std::uint64_t key) const;

  const std::size_t most_slots_;
  std::vector<Slot> slots_;
  std::size_t used_ = 0;
  std::vector<Run> runs_;
  fs::ScratchLog written_{std::size_t{256} << 10U};  // the runs
  fs::ScratchLog records_;
};

}  // namespace cairn::ops

// What earlier checks found about each pack: when it was hashed last, and whether it was intact.
//
// A pure cache (cache/checked-packs, shared with Borg): missing, damaged or foreign only means that nothing is on
// record. Threads   not thread-safe. Errors    load(): those of the store beside a missing object. save(): those of the
// store. Source    docs/format (repository, sections 9 and 13).
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "base/bytes.h"
#include "base/error.h"
#include "repo/store_object.h"
#include "store/store.h"

namespace cairn::repo {

struct PackRecord {
  std::uint64_t timestamp = 0;  // seconds since 1970
  bool intact = false;
  friend bool operator==(const PackRecord&, const PackRecord&) = default;
};

class CheckedPacks {
 public:
  CheckedPacks(store::Store& store, StoreObjects& objects) : store_(store), objects_(objects) {}

  Status load();
  // Without any record the object is removed.
  Status save();

  std::size_t size() const { return records_.size(); }
  std::optional<PackRecord> find(const PackId& pack) const;
  void record(const PackId& pack, const PackRecord& record) { records_[pack] = record; }
  template <class Exists>
  void keep_only(const Exists& exists) {
    std::erase_if(records_, [&](const auto& entry) { return !exists(entry.first); });
  }

 private:
  store::Store& store_;
  StoreObjects& objects_;
  std::unordered_map<PackId, PackRecord> records_;
};

}  // namespace cairn::repo

// Copying the objects of a pack that are worth keeping, never without knowing that they are genuine.
//
// The source is read once, in pieces, and hashed on the way. If its bytes are not what its name says, every object that
// is kept must authenticate; one that does not makes the whole source unusable, so that damage never gets a new valid
// name.
// Memory    the output and one piece. Not thread-safe: one per worker.
// Errors    those of the store. Damage is a value.
// Source    docs/format (repository, sections 12 and 18.12).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "base/error.h"
#include "repo/repository.h"

namespace cairn::repo {

// An object of a pack, sorted by offset.
struct PackObject {
  ChunkId id;
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
  bool used = false;     // an archive needs it
  bool indexed = false;  // the index places it here
};

// True if they lie within the pack and do not overlap.
bool are_disjoint(std::span<const PackObject> sorted, std::uint64_t pack_size);

// What lies between the indexed objects of a pack.
struct Gaps {
  std::vector<PackObject> kept;  // genuine, and not known to be superfluous
  std::uint64_t superseded_bytes = 0;
  std::uint64_t superseded_objects = 0;
  bool damaged = false;  // some bytes are no genuine object
};

class PackCopier {
 public:
  explicit PackCopier(Repository& repository) : repository_(repository), reader_(repository.make_reader()) {}

  // By headers alone: an object counts as superseded if the index places its id in a pack for which `present` is true.
  Result<Gaps> survey_gaps(const PackId& pack, std::uint64_t size, std::span<const PackObject> indexed,
                           const std::function<bool(const PackId&)>& present);
  // Before something is dropped: the indexed copy of a superseded object is authenticated, as is what is kept.
  Result<Gaps> examine_gaps(const PackId& pack, std::uint64_t size, std::span<const PackObject> indexed);

  // Appends the objects (sorted) to output(). False, and nothing appended, if the source cannot be trusted; `why` says
  // so.
  Result<bool> append(const PackId& pack, std::uint64_t size, std::span<const PackObject> objects, bool gaps_damaged,
                      std::string& why);
  struct Moved {
    ChunkId id;
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
  };
  Buffer& output() { return output_; }
  const std::vector<Moved>& moved() const { return moved_; }  // indexed objects, by their place in the output
  void clear() {
    output_.clear();
    moved_.clear();
  }

 private:
  Status walk_gaps(const PackId& pack, std::uint64_t size, std::span<const PackObject> indexed, Gaps& gaps);
  Result<bool> indexed_copy_is_good(const ChunkId& id);

  Repository& repository_;
  std::unique_ptr<ObjectReader> reader_;
  Buffer piece_, object_, output_;
  std::vector<Moved> moved_;
};

}  // namespace cairn::repo

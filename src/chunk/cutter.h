// Where to cut: a Cutter finds the next cut in a window of bytes.
//
// Output    cut positions as the specification defines them; nothing depends on how the caller's reads are split.
// Threads   const and immutable after make(): one Cutter may serve any number of files and threads at once.
// Errors    make_cutter() only: parameters or a demanded kernel that cannot be had (Usage).
// Source    docs/format (chunkers, sections 3 to 5).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "chunk/params.h"
#include "hash/blake3.h"

namespace cairn::chunk {

struct Keys {
  hash::Key256 id_key{};            // all zero without a repository
  bool without_repository = false;  // chunker keys are then 32 zero bytes instead of SHA-256(id_key || name)
  std::int32_t chunk_seed = 0;
  std::vector<std::byte> id_key_rest{};  // what follows the first 32 bytes in some keys of Borg 1
};

// Progress of a scan inside one chunk, so that the caller can offer more bytes without anything being scanned twice.
// Start a new chunk with a default-constructed one.
struct Scan {
  std::size_t position = 0;  // next offset in the chunk to be tested
  std::uint64_t state = 0;
  bool started = false;
};

class Segmented;

class Cutter {
 public:
  virtual ~Cutter() = default;

  // `chunk` holds the bytes from the current chunk's start on: all that are at hand (a later call for the same chunk
  // must repeat them, perhaps at another address, with more behind). `final` says that nothing follows them. `first`
  // says that this is the file's first chunk (the fixed chunker's header). Returns the chunk's length, or 0 when more
  // bytes are needed to decide.
  virtual std::size_t cut(Bytes chunk, bool final, bool first, Scan& scan) const = 0;

  // Set if one big buffer can be cut by several threads (segments.h).
  virtual const Segmented* segmented() const { return nullptr; }

  std::size_t max_chunk() const { return max_chunk_; }
  std::size_t min_chunk() const { return min_chunk_; }  // a file of at most this many bytes is one chunk
  std::string_view kernel() const { return kernel_; }   // "scalar", "avx2" ...; "n/a (single implementation)"

 protected:
  std::size_t max_chunk_ = 0;
  std::size_t min_chunk_ = 0;
  std::string_view kernel_;
};

// `kernel` names one of kernels_of() (kernel_list.h) and wins over the variables; empty leaves it to them. Chunkers
// without kernels take no notice of it.
Result<std::unique_ptr<Cutter>> make_cutter(const Params& params, const Keys& keys, std::string_view kernel = {});

// Whether all bytes are zero; early out, vectorised.
bool is_zero(Bytes bytes);

}  // namespace cairn::chunk

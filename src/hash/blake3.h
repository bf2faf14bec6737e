// BLAKE3, plain and keyed, with kernels per instruction set and a tree interface.
//
// Input     any length. Output: 32 bytes.
// Threads   a Blake3 is not thread-safe; the one-shot functions are. A large input may be split over idle workers with
//           a Spare; the result never depends on it.
// Source    the BLAKE3 specification and its official test vectors; Borg 2 uses it for store hashes (plain) and for
//           chunk ids (keyed).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "base/error.h"
#include "exec/spare.h"

namespace cairn::hash {

using Key256 = std::array<std::byte, 32>;

// One-shot. With `spare`, inputs of at least the split threshold may be split.
Digest256 blake3(Bytes input, const exec::Spare& spare = exec::no_spare());
Digest256 blake3_keyed(const Key256& key, Bytes input, const exec::Spare& spare = exec::no_spare());

// The split threshold in bytes: what BORG_BLAKE3_MT_THRESHOLD (KiB) says, 256 KiB if it is not set. A bad value is an
// error (Code::Error, Borg's wording), for the program's start to report. The one-shots use what was set, at first 256
// KiB.
Result<std::size_t> blake3_split_threshold();
void set_blake3_split_threshold(std::size_t bytes);

// Whether CAIRN_KERNELS leaves this room a kernel that can run here; hashing after an error here is a bug.
Status check_kernels();

// Incremental, for input that arrives in pieces.
class Blake3 {
 public:
  Blake3();
  explicit Blake3(const Key256& key);
  Blake3(const Blake3&) = default;
  Blake3& operator=(const Blake3&) = default;
  ~Blake3();  // wipes the key

  void update(Bytes input);
  Digest256 finish() const;  // may be called more than once; update() may go on afterwards

 private:
  void push(const std::byte* cv, std::uint64_t chunks);

  struct State {
    std::uint32_t key[8];
    std::uint32_t cv[8];          // of the chunk under way
    std::uint64_t chunk_counter;  // its number
    std::byte stack[55][32];      // chaining values of finished subtrees, largest first
    std::byte block[64];
    std::uint8_t block_length;
    std::uint8_t blocks_compressed;
    std::uint8_t stack_size;
    std::uint8_t flags;
  } state_;
};

}  // namespace cairn::hash

// BLAKE3, plain and keyed, with kernels per instruction set and a tree interface.
//
// Input     any length. Output: 32 bytes.
// Threads   a Blake3 is not thread-safe; the one-shot functions are. A large input may be split over idle workers with
//           a Spare; the result never depends on it.
// Source    the BLAKE3 specification and its official test vectors; Borg 2 uses it for store hashes (plain) and for
//           chunk ids (keyed).
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "base/bytes.h"
#include "exec/spare.h"

namespace cairn::hash {

using Key256 = std::array<std::byte, 32>;

// One-shot. With `spare`, inputs of at least `split_from` bytes (BORG_BLAKE3_MT_THRESHOLD) may be split.
Digest256 blake3(Bytes input, const exec::Spare& spare = exec::no_spare());
Digest256 blake3_keyed(const Key256& key, Bytes input, const exec::Spare& spare = exec::no_spare());

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
  struct alignas(8) State {
    std::array<std::uint32_t, 8> key;
    std::array<std::uint32_t, 8> cv;                     // of the chunk under way
    std::array<std::array<std::uint32_t, 8>, 55> stack;  // subtree chaining values, largest first
    std::uint64_t chunk_counter;
    std::uint8_t block[64];
    std::uint8_t block_length;
    std::uint8_t blocks_compressed;
    std::uint8_t stack_size;
    std::uint8_t flags;
  } state_;
};

}  // namespace cairn::hash

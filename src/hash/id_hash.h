// The keyed hash that names every object of a repository: HMAC-SHA-256 or keyed BLAKE3 over the plaintext.
// Source: docs/format (crypto, section 2.2). Threads: const use is safe from any number of threads.
#pragma once

#include <memory>

#include "base/bytes.h"
#include "exec/spare.h"
#include "hash/blake3.h"
#include "hash/sha256.h"

namespace cairn::hash {

enum class IdHashKind { Sha256, Blake3 };

class IdHash {
 public:
  IdHash(IdHashKind kind, const Key256& id_key);
  IdHash(IdHash&&) noexcept;
  IdHash& operator=(IdHash&&) noexcept;
  ~IdHash();  // wipes the key

  IdHashKind kind() const { return kind_; }
  // A large input may be split over idle workers (BLAKE3 only); the id never depends on it.
  ChunkId operator()(Bytes plaintext, const exec::Spare& spare = exec::no_spare()) const;
  // The id of `size` zero bytes; remembered, so that zero runs cost nothing. Thread-safe.
  ChunkId of_zeros(std::size_t size) const;

 private:
  struct ZeroIds;
  IdHashKind kind_;
  Key256 key_;
  std::unique_ptr<HmacSha256> hmac_;
  std::unique_ptr<ZeroIds> zeros_;
};

}  // namespace cairn::hash

// The tag of an envelope that is authenticated but not encrypted: HMAC-SHA-256 or keyed BLAKE3.
// Threads: const use is safe from any number of threads. Source: docs/format/crypto.md, section 4.2.
#pragma once

#include <memory>

#include "base/bytes.h"
#include "crypt/key_material.h"
#include "hash/blake3.h"
#include "hash/id_hash.h"
#include "hash/sha256.h"

namespace cairn::crypt {

class EnvelopeMac {
 public:
  EnvelopeMac(hash::IdHashKind kind, const KeyMaterial& material);

  static constexpr std::size_t kMaxAad = 65535;
  // `header` is the envelope's first two bytes; `aad` has at most kMaxAad bytes.
  Digest256 tag(Bytes header, Bytes aad, Bytes payload) const;

 private:
  std::unique_ptr<hash::HmacSha256> hmac_;  // exactly one of the two is set
  std::unique_ptr<hash::Blake3> blake3_;
};

}  // namespace cairn::crypt

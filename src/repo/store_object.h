// Envelopes around the objects of the store that are not packs: config/defaults, index/*, cache/*, locks/*.
//
// Named objects bind their full name; hashed ones are named by the BLAKE3 of their envelope and bind their namespace.
// Threads   safe from any thread.
// Errors    Integrity: "Store object NAME: authentication failed".
// Source    docs/format (repository, section 2.5; crypto, section 6).
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "base/buffer.h"
#include "base/error.h"
#include "crypt/envelope.h"

namespace cairn::repo {

class StoreObjects {
 public:
  // `material` must outlive this.
  StoreObjects(const crypt::Suite& suite, const crypt::KeyMaterial& material, const RepositoryId& repository);

  Result<Buffer> seal_named(std::string_view name, Bytes payload);
  Status open_named(std::string_view name, Bytes envelope, Buffer& payload);

  struct Hashed {
    std::string name;  // "index/<64 hex>"
    Buffer envelope;
  };
  Result<Hashed> seal_hashed(std::string_view space, Bytes payload);
  // `name` is only for messages.
  Status open_hashed(std::string_view space, std::string_view name, Bytes envelope, Buffer& payload);
  // BORG_WORKAROUNDS=authenticated_no_key.
  void trust_unverified();

 private:
  Buffer aad(char tag, std::string_view name) const;
  Status open(char tag, std::string_view bound, std::string_view name, Bytes envelope, Buffer& payload);

  const crypt::Suite suite_;
  const crypt::KeyMaterial& material_;
  const RepositoryId repository_;
  bool trust_unverified_ = false;
};

}  // namespace cairn::repo

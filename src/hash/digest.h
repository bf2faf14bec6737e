// Content digests by name, for --digests and the hash keys of list and find:
// blake2b blake2s blake3 md5 sha1 sha224 sha256 sha384 sha512 sha3_224 sha3_256 sha3_384 sha3_512.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/error.h"

namespace cairn::hash {

std::span<const std::string_view> digest_names();  // sorted

// One running digest. Not thread-safe.
class Digest {
 public:
  static Result<Digest> make(std::string_view name);  // Usage error for an unknown name
  Digest(Digest&&) noexcept;
  Digest& operator=(Digest&&) noexcept;
  ~Digest();
  void update(Bytes input);
  std::string finish();  // raw bytes, of the algorithm's length

 private:
  struct State;
  explicit Digest(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cairn::hash

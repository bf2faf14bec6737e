// Compressing and decompressing whole chunks.
//
// A Compressor owns the library contexts of one worker and recycles them. Not thread-safe: one per worker.
//
// Input     a whole plaintext, at most kMaxPlain bytes. Empty input ends as Method::None.
// Output    payload bytes plus the facts that go into the object's metadata. If compressing gains nothing the payload
//           is the plaintext itself and ctype is None ("no gain, no compression").
// Errors    compress: Internal, or Usage for a bad BORG_ZSTD_MT_WORKERS. decompress: Decompression or Integrity; never
//           a crash, never more output than allowed.
// Source    docs/format (compression, sections 1 to 6).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"
#include "compress/spec.h"

namespace cairn::compress {

constexpr std::size_t kMaxPlain = 20971479;  // MAX_DATA_SIZE

// The compression part of an object's metadata map.
struct Facts {
  std::uint8_t ctype = 0;
  std::uint8_t clevel = 255;
  std::uint64_t csize = 0;               // payload length, padding included
  std::optional<std::uint64_t> psize{};  // real compressed length, only with obfuscation
  std::optional<std::uint8_t> olevel{};  // only with obfuscation
  friend bool operator==(const Facts&, const Facts&) = default;
};

// False for the types of later versions: their objects may be whole, though nothing here can read them.
bool is_known_type(std::uint8_t ctype);

struct Compressed {
  Facts facts;
  Bytes payload;  // facts.csize bytes: a view of `plain` or of the compressor's own scratch, valid until its next call
};

class Compressor {
 public:
  Compressor();
  Compressor(Compressor&&) noexcept;
  Compressor& operator=(Compressor&&) noexcept;
  ~Compressor();

  // `pad` says whether obfuscation may add padding to this object (type F only); psize and olevel are set in any case.
  Result<Compressed> compress(const Spec& spec, Bytes plain, bool pad = true);

  // Replaces `plain`. `size` is the plaintext size if the metadata has it (larger than both `limit` and kMaxPlain is
  // refused); `limit`, at most 1 GiB, bounds the output otherwise.
  Status decompress(const Facts& facts, std::optional<std::uint64_t> size, Bytes payload, Buffer& plain,
                    std::size_t limit = kMaxPlain);

  // The same without a copy where the payload is the plaintext: a view of `payload` or of `scratch`.
  Result<Bytes> decompress_view(const Facts& facts, std::optional<std::uint64_t> size, Bytes payload, Buffer& scratch,
                                std::size_t limit = kMaxPlain);

 private:
  struct Contexts;
  std::unique_ptr<Contexts> contexts_;
};

}  // namespace cairn::compress

// Making and reading whole repository objects. One codec per worker; not thread-safe.
//
// Writing is two steps, so that the caller can reserve exactly the right range in a pack between them: prepare()
// compresses and tells the size; write() seals straight into that range.
//
// Errors    Integrity (tampering, damage, wrong type, wrong size), Decompression. Messages do not name the object; the
//           caller does.
// Source    docs/format (crypto, section 5; repository, section 3).
#pragma once

#include <optional>

#include "base/buffer.h"
#include "compress/compressor.h"
#include "crypt/envelope.h"
#include "hash/id_hash.h"
#include "repo/object_format.h"

namespace cairn::repo {

class ObjectWriter {
 public:
  ObjectWriter(const crypt::Suite& suite, const crypt::KeyMaterial& material)
      : overhead_(suite.overhead()), sealer_(suite, material) {}

  // Returns the object's size. `plain` must stay until write(). With `decode_check` the compressed bytes are decoded
  // again and compared: a compressor's fault must not become a lost file.
  Result<std::size_t> prepare(char type, const ChunkId& id, Bytes plain, const compress::Spec& spec,
                              bool decode_check = false);
  // The same for a payload that is compressed already.
  Result<std::size_t> prepare(const ChunkId& id, const ObjectMeta& meta, Bytes payload);
  // `out` has exactly the prepared size.
  Status write(MutableBytes out);

 private:
  std::size_t overhead_;
  crypt::Sealer sealer_;
  compress::Compressor compressor_, decoder_;
  ObjectHeader header_;
  Buffer meta_, decoded_;
  Bytes payload_;
  bool payload_is_plain_ = false;
  bool lz4_gains_ = true;  // what the last chunk says of the next one
};

// For ObjectReader::read(). Content, streams and pointers that have the same bytes share one object, whose type is that
// of whoever came first; what an authentic reference names is what was meant. Archives are named by the store alone, so
// these are read as 'A' only: else a file could pose as one.
constexpr char kAnyType = 0;

enum class Verify { Envelope, Id };  // Id: also compare the id hash of the plaintext (slower)

class ObjectReader {
 public:
  ObjectReader(const crypt::Suite& suite, const crypt::KeyMaterial& material, const hash::IdHash& id_hash)
      : overhead_(suite.overhead()), opener_(suite, material), id_hash_(id_hash) {}

  // `object` is exactly one object. Replaces `plain`.
  Result<ObjectMeta> read(Bytes object, const ChunkId& wanted, char type, Verify verify, Buffer& plain,
                          std::optional<std::uint64_t> expected_size = std::nullopt);
  // Header and metadata slot only; more bytes may follow. Also checks that data_size fits the metadata.
  struct Head {
    ObjectHeader header;
    ObjectMeta meta;
  };
  Result<Head> read_head(Bytes object_start);
  // Authenticates both slots without decompressing: what is copied is known to be genuine.
  Status authenticate(Bytes object, const ChunkId& wanted);
  // Opens both slots and gives the compressed payload (valid until the next call).
  struct Payload {
    ObjectMeta meta;
    Bytes bytes;
  };
  Result<Payload> read_payload(Bytes object, const ChunkId& wanted);

  crypt::Opener& opener() { return opener_; }

 private:
  std::size_t overhead_;
  crypt::Opener opener_;
  const hash::IdHash& id_hash_;
  compress::Compressor compressor_;
  Buffer meta_, payload_;
};

}  // namespace cairn::repo

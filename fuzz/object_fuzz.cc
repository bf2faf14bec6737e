// Any bytes as a repository object, authenticated with a known key: never a crash, and what is accepted fits its
// header.
#include <cstdint>
#include <cstdlib>

#include "crypt/key_material.h"
#include "crypt/suite.h"
#include "repo/object_codec.h"

namespace {

using namespace cairn;  // NOLINT: one small program

const crypt::KeyMaterial& material() {
  static const crypt::KeyMaterial zeros;
  return zeros;
}

void try_suite(const char* encryption, bool trust, Bytes object) {
  const auto suite = *crypt::find_suite(encryption, "blake3");
  static const hash::IdHash id_hash(hash::IdHashKind::Blake3, material().id_key);
  repo::ObjectReader reader(suite, material(), id_hash);
  // Without this nothing behind the authentication would ever be reached.
  if (trust) reader.opener().trust_unverified();
  ChunkId id;
  if (const auto header = repo::parse_header(object)) id = header->id;
  Buffer plain;
  const auto meta = reader.read(object, id, 0, repo::Verify::Envelope, plain);
  if (meta && meta->size && *meta->size != plain.size()) std::abort();
  (void)reader.read_head(object);
  (void)reader.authenticate(object, id);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes object(reinterpret_cast<const std::byte*>(data), size);
  try_suite("authenticated-blake3", true, object);
  try_suite("aes256-ocb", false, object);
  const auto meta = repo::decode_meta(object);
  if (meta) {
    Buffer again;
    repo::encode_meta(*meta, again);
    const auto same = repo::decode_meta(again);
    if (!same || same->type != meta->type || same->size != meta->size || !(same->facts == meta->facts)) std::abort();
  }
  return 0;
}

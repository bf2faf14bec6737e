// Any bytes as a pack: the walk ends, objects and damage cover it exactly, and nothing is visited twice.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "crypt/key_material.h"
#include "crypt/suite.h"
#include "repo/pack_walk.h"
#include "store/memory.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn;  // NOLINT: one small program
  static const crypt::KeyMaterial material;
  static const auto suite = *crypt::find_suite("authenticated-blake3", "blake3");
  static const hash::IdHash id_hash(suite.id_hash, material.id_key);
  static const auto store = [] {
    auto made = store::make_memory_store();
    if (!made->create() || !made->open()) std::abort();
    return made;
  }();
  const std::string name = "packs/" + std::string(64, '0');
  const Bytes pack(reinterpret_cast<const std::byte*>(data), size);
  if (!store->put(name, pack)) std::abort();
  for (const bool with_reader : {false, true}) {
    repo::ObjectReader reader(suite, material, id_hash);
    reader.opener().trust_unverified();
    std::uint64_t end = 0;
    std::uint64_t bytes = 0;
    const auto result =
        repo::walk_pack(*store, name, 0, size, with_reader ? &reader : nullptr, [&](const repo::WalkedObject& object) {
          if (object.offset < end) std::abort();
          end = object.offset + object.size;
          bytes += object.size;
        });
    if (!result || end > size || bytes + result->damaged_bytes != size) std::abort();
  }
  return 0;
}

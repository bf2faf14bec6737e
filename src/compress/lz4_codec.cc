// LZ4 through liblz4. The output limit makes it give up on incompressible input before it copies the input.
#include "compress/lz4_codec.h"

#include <lz4.h>

namespace cairn::compress {
namespace {

const char* chars(Bytes bytes) { return text_of(bytes).data(); }
char* chars(std::byte* bytes) { return reinterpret_cast<char*>(bytes); }  // NOLINT: char may alias std::byte

}  // namespace

std::size_t Lz4Codec::compress(Bytes plain, Buffer& out) {
  if (state_.empty()) state_.resize(static_cast<std::size_t>(LZ4_sizeofState()));
  out.resize(plain.size());
  const int limit = static_cast<int>(plain.size()) - 1;
  const int size = LZ4_compress_fast_extState(state_.data(), chars(plain), chars(out.data()),
                                              static_cast<int>(plain.size()), limit, 1);
  return size > 0 ? static_cast<std::size_t>(size) : 0;
}

Status Lz4Codec::decompress(Bytes payload, const Wanted& wanted, Buffer& plain) {
  if (payload.empty()) return fail(damaged("lz4 decompress failed"));
  std::size_t capacity = wanted.first_capacity(payload, plain);
  for (;;) {
    plain.clear();
    plain.resize(capacity + 1);  // never a null pointer
    const int size = LZ4_decompress_safe(chars(payload), chars(plain.data()), static_cast<int>(payload.size()),
                                         static_cast<int>(capacity));
    if (size >= 0 && (!wanted.size || static_cast<std::size_t>(size) == *wanted.size)) {
      plain.resize(static_cast<std::size_t>(size));
      return {};
    }
    // The library does not say whether the block is damaged or the room too small. A block grows by less than 256.
    if (size >= 0 || capacity >= wanted.limit || capacity / 256 >= payload.size()) {
      plain.clear();
      return fail(damaged("lz4 decompress failed"));
    }
    capacity = wanted.next_capacity(capacity);
  }
}

}  // namespace cairn::compress

// Decompresses the input with every codec. Byte 0: ctype; byte 1, bit 0: whether bytes 2 and 3 are the plaintext's
// size.
#include <cstdint>
#include <cstdlib>

#include "compress/compressor.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  static cairn::compress::Compressor compressor;
  static cairn::Buffer plain;
  constexpr std::size_t kLimit = std::size_t{1} << 18;
  const cairn::Bytes payload = std::as_bytes(std::span(data, size)).subspan(4);
  cairn::compress::Facts facts;
  facts.ctype = data[0] & 7;
  facts.csize = payload.size();
  if (data[1] & 2) facts.psize = data[3];
  std::optional<std::uint64_t> plain_size;
  if (data[1] & 1) plain_size = data[2] << 8 | data[3];
  const auto status = compressor.decompress(facts, plain_size, payload, plain, kLimit);
  if (!status) {
    const cairn::Code code = status.error().code();
    if (code != cairn::Code::Decompression && code != cairn::Code::Integrity) std::abort();
    return 0;
  }
  if (plain.size() > kLimit || (plain_size && plain.size() != *plain_size)) std::abort();
  // What was accepted must survive a round trip.
  const cairn::Buffer before = [&] {
    cairn::Buffer copy;
    copy.append(plain);
    return copy;
  }();
  const auto again = compressor.compress({.method = cairn::compress::Method::Lz4}, before);
  if (!again) std::abort();
  if (!compressor.decompress(again->facts, before.size(), again->payload, plain)) std::abort();
  if (cairn::text_of(plain) != cairn::text_of(before)) std::abort();
  return 0;
}

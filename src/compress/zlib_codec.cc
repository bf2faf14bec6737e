// zlib streams through libdeflate, which is several times faster on whole buffers. What it finds damaged is tried once
// more with zlib itself: zlib is what wrote such streams and decides what is one.
#include "compress/zlib_codec.h"

#include <fmt/format.h>
#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>

namespace cairn::compress {
namespace {

struct Inflater {
  z_stream stream{};
  ~Inflater() { inflateEnd(&stream); }
};

// Bytes behind the stream's end are ignored.
Status inflate_with_zlib(Bytes payload, const Wanted& wanted, Buffer& plain) {
  plain.clear();
  plain.resize(wanted.limit + 1);  // one more, to see whether there would be more
  Inflater inflater;
  if (inflateInit(&inflater.stream) != Z_OK) return fail(Code::Internal, "zlib: out of memory");
  // zlib never writes through next_in, whatever its type says.
  inflater.stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(payload.data()));  // NOLINT
  inflater.stream.avail_in = static_cast<uInt>(payload.size());
  inflater.stream.next_out = reinterpret_cast<Bytef*>(plain.data());  // NOLINT
  inflater.stream.avail_out = static_cast<uInt>(plain.size());
  const int result = inflate(&inflater.stream, Z_FINISH);
  const std::size_t size = plain.size() - inflater.stream.avail_out;
  plain.resize(size);
  if (size > wanted.limit) return fail(wrong_plain_size(wanted));
  if (result == Z_STREAM_END) return {};
  if (result == Z_BUF_ERROR || result == Z_OK) {
    return fail(damaged("Error -5 while decompressing data: incomplete or truncated stream"));
  }
  const char* message = inflater.stream.msg != nullptr ? inflater.stream.msg : "bad stream";
  return fail(damaged(fmt::format("Error {} while decompressing data: {}", result, message)));
}

}  // namespace

void ZlibCodec::Free::operator()(libdeflate_compressor* context) const { libdeflate_free_compressor(context); }
void ZlibCodec::Free::operator()(libdeflate_decompressor* context) const { libdeflate_free_decompressor(context); }

Result<std::size_t> ZlibCodec::compress(int level, Bytes plain, Buffer& out) {
  if (level == 0) return 0;  // stored blocks never gain anything
  // The library's 8 and 9 need as long as zlib's for a gain of half a percent, so zlib's go on with 7 (measured:
  // docs/decisions.md).
  level = std::min(level, 7);
  auto& compressor = compressors_.at(static_cast<std::size_t>(level));
  if (!compressor) compressor.reset(libdeflate_alloc_compressor(level));
  if (!compressor) return fail(Code::Internal, "libdeflate: out of memory");
  // With less room the library gives up on some results that would just fit.
  out.resize(libdeflate_zlib_compress_bound(compressor.get(), plain.size()));
  return libdeflate_zlib_compress(compressor.get(), plain.data(), plain.size(), out.data(), out.size());
}

Status ZlibCodec::decompress(Bytes payload, const Wanted& wanted, Buffer& plain) {
  if (!decompressor_) decompressor_.reset(libdeflate_alloc_decompressor());
  if (!decompressor_) return fail(Code::Internal, "libdeflate: out of memory");
  std::size_t capacity = wanted.first_capacity(payload, plain);
  for (;;) {
    plain.clear();
    plain.resize(capacity + 1);  // never a null pointer
    std::size_t used = 0;
    std::size_t size = 0;
    const libdeflate_result result = libdeflate_zlib_decompress_ex(decompressor_.get(), payload.data(), payload.size(),
                                                                   plain.data(), capacity, &used, &size);
    switch (result) {
      case LIBDEFLATE_SUCCESS:
        plain.resize(size);
        return {};
      case LIBDEFLATE_INSUFFICIENT_SPACE:
        if (capacity < wanted.limit) {
          capacity = wanted.next_capacity(capacity);
          continue;
        }
        return inflate_with_zlib(payload, wanted, plain);  // too much plaintext, or an end that is missing
      case LIBDEFLATE_BAD_DATA:
      case LIBDEFLATE_SHORT_OUTPUT:
        return inflate_with_zlib(payload, wanted, plain);
    }
  }
}

}  // namespace cairn::compress

// Chooses codecs by specification and by ctype, and keeps what they need between calls.
#include "compress/compressor.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "compress/auto.h"
#include "compress/lz4_codec.h"
#include "compress/lzma_codec.h"
#include "compress/obfuscate.h"
#include "compress/zlib_codec.h"
#include "compress/zstd_codec.h"

namespace cairn::compress {

struct Compressor::Contexts {
  Lz4Codec lz4;
  ZstdCodec zstd;
  ZlibCodec zlib;
  LzmaCodec lzma;
  PaddingRandom random;
  Buffer probe;   // auto's lz4 result, kept while the chosen method runs
  Buffer result;  // compressed payload, and its padding

  // Compresses with one method into `out`. The payload is a view of `out` or, without gain, of `plain`.
  Result<Compressed> with(Method method, const Spec& spec, Bytes plain, Buffer& out) {
    std::size_t size = 0;
    if (plain.size() > 1 && method != Method::None) {
      switch (method) {
        case Method::None:
          break;
        case Method::Lz4:
          size = lz4.compress(plain, out);
          break;
        case Method::Zstd: {
          CAIRN_TRY(size, zstd.compress(spec.level, plain, out));
          break;
        }
        case Method::Zlib: {
          CAIRN_TRY(size, zlib.compress(spec.level, plain, out));
          break;
        }
        case Method::Lzma: {
          CAIRN_TRY(size, lzma.compress(spec.level, plain, out));
          break;
        }
      }
    }
    if (size == 0 || size >= plain.size()) return Compressed{.facts = {.csize = plain.size()}, .payload = plain};
    const std::uint8_t level = method == Method::Lz4 ? 255 : spec.level_byte();
    return Compressed{.facts = {.ctype = static_cast<std::uint8_t>(method), .clevel = level, .csize = size},
                      .payload = out.view(0, size)};
  }

  Result<Compressed> automatic(const Spec& spec, Bytes plain) {
    CAIRN_TRY(Compressed probed, with(Method::Lz4, spec, plain, probe));
    if (spec.method == Method::Lz4 || spec.method == Method::None) return probed;  // cannot beat the probe
    if (!probe_promises_gain(plain.size(), probed.payload.size())) return probed;
    CAIRN_TRY(Compressed chosen, with(spec.method, spec, plain, result));
    return beats_probe(chosen.payload.size(), probed.payload.size()) ? chosen : probed;
  }

  Compressed obfuscate(Compressed compressed, int level, bool pad) {
    const std::size_t size = compressed.payload.size();
    compressed.facts.psize = size;
    compressed.facts.olevel = static_cast<std::uint8_t>(level);
    const std::size_t zeros = pad ? static_cast<std::size_t>(padding(level, size, random.next())) : 0;
    if (zeros == 0) return compressed;
    if (compressed.payload.data() == probe.data()) std::swap(probe, result);
    const bool in_place = compressed.payload.data() == result.data();
    result.resize(size + zeros);
    if (!in_place) std::copy(compressed.payload.begin(), compressed.payload.end(), result.data());
    std::fill_n(result.data() + size, zeros, std::byte{0});
    compressed.facts.csize = size + zeros;
    compressed.payload = result.view(0, size + zeros);
    return compressed;
  }
};

Compressor::Compressor() : contexts_(std::make_unique<Contexts>()) {}
Compressor::Compressor(Compressor&&) noexcept = default;
Compressor& Compressor::operator=(Compressor&&) noexcept = default;
Compressor::~Compressor() = default;

Result<Compressed> Compressor::compress(const Spec& spec, Bytes plain, bool pad) {
  if (plain.size() > kMaxPlain) return fail(Code::Internal, "chunk too large to compress");
  CAIRN_TRY(Compressed compressed, spec.automatic ? contexts_->automatic(spec, plain)
                                                  : contexts_->with(spec.method, spec, plain, contexts_->result));
  if (spec.obfuscate) return contexts_->obfuscate(compressed, *spec.obfuscate, pad);
  return compressed;
}

bool is_known_type(std::uint8_t ctype) {
  switch (static_cast<Method>(ctype)) {
    case Method::None:
    case Method::Lz4:
    case Method::Lzma:
    case Method::Zstd:
    case Method::Zlib:
      return true;
  }
  return false;
}

Result<Bytes> Compressor::decompress_view(const Facts& facts, std::optional<std::uint64_t> size, Bytes payload,
                                          Buffer& scratch, std::size_t limit) {
  if (facts.csize != payload.size()) {
    return fail(Code::Integrity,
                fmt::format("compressed data has {} bytes, but should have {}", payload.size(), facts.csize));
  }
  if (payload.size() > kMaxPlain) return fail(Code::Integrity, "compressed data is larger than any object");
  if (facts.psize) {
    if (*facts.psize > payload.size()) return fail(Code::Integrity, "compressed data is shorter than its psize");
    payload = payload.first(static_cast<std::size_t>(*facts.psize));
  }
  // The libraries count in int; no limit of ours comes near.
  CAIRN_CHECK(limit <= 0x40000000, "expansion limit too large");
  Wanted wanted{.size = std::nullopt, .limit = limit};
  if (size) {
    if (*size > std::max(limit, kMaxPlain)) {
      return fail(Code::Integrity, fmt::format("impossible chunk size {}", *size));
    }
    wanted.limit = static_cast<std::size_t>(*size);
    wanted.size = wanted.limit;
  }
  Bytes plain = payload;
  if (facts.ctype != static_cast<std::uint8_t>(Method::None)) {
    switch (static_cast<Method>(facts.ctype)) {
      case Method::Lz4:
        CAIRN_CHECKED(contexts_->lz4.decompress(payload, wanted, scratch));
        break;
      case Method::Zstd:
        CAIRN_CHECKED(contexts_->zstd.decompress(payload, wanted, scratch));
        break;
      case Method::Zlib:
        CAIRN_CHECKED(contexts_->zlib.decompress(payload, wanted, scratch));
        break;
      case Method::Lzma:
        CAIRN_CHECKED(contexts_->lzma.decompress(payload, wanted, scratch));
        break;
      case Method::None:
      default:
        return fail(Code::Integrity, fmt::format("unknown compression type {}", facts.ctype));
    }
    plain = scratch;
  }
  if (wanted.size ? plain.size() != *wanted.size : plain.size() > wanted.limit) return fail(wrong_plain_size(wanted));
  return plain;
}

Status Compressor::decompress(const Facts& facts, std::optional<std::uint64_t> size, Bytes payload, Buffer& plain,
                              std::size_t limit) {
  CAIRN_TRY(const Bytes bytes, decompress_view(facts, size, payload, plain, limit));
  if (facts.ctype == static_cast<std::uint8_t>(Method::None)) {
    plain.clear();
    plain.append(bytes);
  }
  return {};
}

}  // namespace cairn::compress

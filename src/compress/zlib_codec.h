// One zlib stream (RFC 1950) per chunk.
#pragma once

#include <array>
#include <memory>

#include "compress/codec.h"

struct libdeflate_compressor;
struct libdeflate_decompressor;

namespace cairn::compress {

class ZlibCodec {
 public:
  Result<std::size_t> compress(int level, Bytes plain, Buffer& out);
  Status decompress(Bytes payload, const Wanted& wanted, Buffer& plain);

 private:
  struct Free {
    void operator()(libdeflate_compressor* context) const;
    void operator()(libdeflate_decompressor* context) const;
  };

  std::array<std::unique_ptr<libdeflate_compressor, Free>, 8> compressors_;  // by level, made when first used
  std::unique_ptr<libdeflate_decompressor, Free> decompressor_;
};

}  // namespace cairn::compress

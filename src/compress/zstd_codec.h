// One zstd frame per chunk, with its content size, without checksum and dictionary.
#pragma once

#include <memory>
#include <optional>

#include "compress/codec.h"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace cairn::compress {

class ZstdCodec {
 public:
  Result<std::size_t> compress(int level, Bytes plain, Buffer& out);
  Status decompress(Bytes payload, const Wanted& wanted, Buffer& plain);

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* context) const;
    void operator()(ZSTD_DCtx_s* context) const;
  };
  Result<int> workers(std::size_t plain_size);

  std::unique_ptr<ZSTD_CCtx_s, Free> compressor_;
  std::unique_ptr<ZSTD_DCtx_s, Free> decompressor_;
  std::optional<int> workers_;  // of BORG_ZSTD_MT_WORKERS, once it was looked at
};

}  // namespace cairn::compress

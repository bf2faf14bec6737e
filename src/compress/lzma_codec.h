// One .xz stream per chunk, without a check; reads every container that liblzma recognises.
#pragma once

#include <memory>

#include "compress/codec.h"

namespace cairn::compress {

class LzmaCodec {
 public:
  LzmaCodec();
  LzmaCodec(LzmaCodec&&) noexcept;
  LzmaCodec& operator=(LzmaCodec&&) noexcept;
  ~LzmaCodec();

  Result<std::size_t> compress(int level, Bytes plain, Buffer& out);
  Status decompress(Bytes payload, const Wanted& wanted, Buffer& plain);

 private:
  struct Streams;
  Streams& streams();  // made when first used

  std::unique_ptr<Streams> streams_;
};

}  // namespace cairn::compress

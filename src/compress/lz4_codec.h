// One raw LZ4 block per chunk: no frame, no size prefix.
#pragma once

#include "compress/codec.h"

namespace cairn::compress {

class Lz4Codec {
 public:
  std::size_t compress(Bytes plain, Buffer& out);
  Status decompress(Bytes payload, const Wanted& wanted, Buffer& plain);

 private:
  Buffer state_;
};

}  // namespace cairn::compress

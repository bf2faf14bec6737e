// Zstandard for streams of any length: tar archives that are compressed as a whole.
//
// Output    one frame, whatever the number of threads; with several, jobs of the library's own size run side by side.
// Input     any number of frames one after another.
// Threads   one object, one thread. `threads` are the library's own and sleep when there is nothing to do.
// Errors    Internal (compressing), Decompression. What the callbacks return is handed on.
#pragma once

#include <functional>
#include <memory>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"

namespace cairn::compress {

class ZstdEncoder {
 public:
  static Result<ZstdEncoder> make(int level, unsigned threads);
  ZstdEncoder(ZstdEncoder&&) noexcept;
  ZstdEncoder& operator=(ZstdEncoder&&) noexcept;
  ~ZstdEncoder();

  using Sink = std::function<Status(Bytes)>;
  Status write(Bytes plain, const Sink& sink);
  Status finish(const Sink& sink);

 private:
  struct Context;
  explicit ZstdEncoder(std::unique_ptr<Context> context);
  std::unique_ptr<Context> context_;
};

class ZstdDecoder {
 public:
  using Source = std::function<Result<std::size_t>(MutableBytes)>;  // 0 is the end
  explicit ZstdDecoder(Source source);
  ZstdDecoder(ZstdDecoder&&) noexcept;
  ZstdDecoder& operator=(ZstdDecoder&&) noexcept;
  ~ZstdDecoder();

  // At most `out`'s size; 0 at the end.
  Result<std::size_t> read(MutableBytes out);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace cairn::compress

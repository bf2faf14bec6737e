// See the header.
#include "compress/zstd_stream.h"

#include <zstd.h>

#include <fmt/format.h>

namespace cairn::compress {
namespace {

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

// Windows above the library's default of 128 MiB take memory that an archive must not be able to ask for.
constexpr int kLargestWindowLog = 27;

}  // namespace

struct ZstdEncoder::Context {
  std::unique_ptr<ZSTD_CCtx, FreeContext> zstd;
  Buffer out;

  Status run(Bytes plain, ZSTD_EndDirective end, const Sink& sink) {
    ZSTD_inBuffer input{.src = plain.data(), .size = plain.size(), .pos = 0};
    while (true) {
      ZSTD_outBuffer output{.dst = out.data(), .size = out.size(), .pos = 0};
      const std::size_t left = ZSTD_compressStream2(zstd.get(), &output, &input, end);
      if (ZSTD_isError(left) != 0) {
        return fail(Code::Internal, fmt::format("compressing with zstd: {}", ZSTD_getErrorName(left)));
      }
      if (output.pos > 0) CAIRN_CHECKED(sink(out.view(0, output.pos)));
      if (end == ZSTD_e_end ? left == 0 : input.pos == input.size) return {};
    }
  }
};

ZstdEncoder::ZstdEncoder(std::unique_ptr<Context> context) : context_(std::move(context)) {}
ZstdEncoder::ZstdEncoder(ZstdEncoder&&) noexcept = default;
ZstdEncoder& ZstdEncoder::operator=(ZstdEncoder&&) noexcept = default;
ZstdEncoder::~ZstdEncoder() = default;

Result<ZstdEncoder> ZstdEncoder::make(int level, unsigned threads) {
  auto context = std::make_unique<Context>();
  context->zstd.reset(ZSTD_createCCtx());
  if (!context->zstd) return fail(Code::Internal, "zstd cannot be set up");
  ZSTD_CCtx_setParameter(context->zstd.get(), ZSTD_c_compressionLevel, level);
  // A library that was built without threads refuses, and works alone.
  if (threads > 1) ZSTD_CCtx_setParameter(context->zstd.get(), ZSTD_c_nbWorkers, static_cast<int>(threads));
  context->out.resize(ZSTD_CStreamOutSize());
  return ZstdEncoder(std::move(context));
}

Status ZstdEncoder::write(Bytes plain, const Sink& sink) { return context_->run(plain, ZSTD_e_continue, sink); }
Status ZstdEncoder::finish(const Sink& sink) { return context_->run({}, ZSTD_e_end, sink); }

struct ZstdDecoder::Context {
  Source source;
  std::unique_ptr<ZSTD_DCtx, FreeContext> zstd{ZSTD_createDCtx()};
  Buffer in{ZSTD_DStreamInSize()};
  ZSTD_inBuffer input{.src = nullptr, .size = 0, .pos = 0};
  bool ended = false;
  bool within_frame = false;
};

ZstdDecoder::ZstdDecoder(Source source) : context_(std::make_unique<Context>()) {
  context_->source = std::move(source);
  if (context_->zstd) ZSTD_DCtx_setParameter(context_->zstd.get(), ZSTD_d_windowLogMax, kLargestWindowLog);
}
ZstdDecoder::ZstdDecoder(ZstdDecoder&&) noexcept = default;
ZstdDecoder& ZstdDecoder::operator=(ZstdDecoder&&) noexcept = default;
ZstdDecoder::~ZstdDecoder() = default;

Result<std::size_t> ZstdDecoder::read(MutableBytes out) {
  Context& context = *context_;
  if (!context.zstd) return fail(Code::Internal, "zstd cannot be set up");
  ZSTD_outBuffer output{.dst = out.data(), .size = out.size(), .pos = 0};
  while (output.pos == 0 && !out.empty()) {
    if (context.input.pos == context.input.size && !context.ended) {
      CAIRN_TRY(const std::size_t count, context.source(context.in.span()));
      context.input = {.src = context.in.data(), .size = count, .pos = 0};
      context.ended = count == 0;
    }
    const std::size_t before = context.input.pos;
    const std::size_t left = ZSTD_decompressStream(context.zstd.get(), &output, &context.input);
    if (ZSTD_isError(left) != 0) {
      return fail(Code::Decompression, fmt::format("zstd: {}", ZSTD_getErrorName(left)));
    }
    // At the end nothing may be under way. A call that took and gave nothing says nothing about that.
    if (context.input.pos != before || output.pos > 0) context.within_frame = left != 0;
    if (context.ended && output.pos == 0) {
      if (context.within_frame) return fail(Code::Decompression, "zstd: the stream ends in the middle");
      return 0;
    }
  }
  return output.pos;
}

}  // namespace cairn::compress

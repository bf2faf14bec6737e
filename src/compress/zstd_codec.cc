// zstd through libzstd. One context for every level; its tables are recycled.
//
// Decompressing walks the frames first: that finds the size, foreign magic numbers (the library may know formats of its
// own youth) and windows above 2^27, so that a plain one-shot call without any window buffer can do the rest.
#include "compress/zstd_codec.h"

#include <fmt/format.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>

#include "base/env.h"
#include "compress/int_text.h"

namespace cairn::compress {
namespace {

constexpr std::uint32_t kFrame = 0xfd2fb528;
constexpr std::uint32_t kSkippable = 0x184d2a50;  // and the 15 numbers after it
constexpr std::uint64_t kLargestWindow = std::uint64_t{1} << 27;
// Worker threads inside one chunk, if the user asks for them: job size and the size of 1.5 jobs from which they start.
constexpr int kJobSize = 524288;
constexpr std::size_t kLeastForWorkers = 786432;

// The plaintext size of all frames together, unless a frame's header leaves it out.
struct Content {
  bool known = true;
  std::uint64_t size = 0;
};

Error library_error(std::size_t code) {
  return damaged(fmt::format("Unable to decompress Zstandard data: {}", ZSTD_getErrorName(code)));
}

Result<Content> walk_frames(Bytes payload) {
  Content content;
  while (!payload.empty()) {
    if (payload.size() < 4) return fail(damaged("Unable to decompress Zstandard data: Unknown frame descriptor"));
    const auto magic = load_le<std::uint32_t>(payload.data());
    const bool skippable = (magic & ~15U) == kSkippable;
    if (magic != kFrame && !skippable) {
      return fail(damaged("Unable to decompress Zstandard data: Unknown frame descriptor"));
    }
    const std::size_t size = ZSTD_findFrameCompressedSize(payload.data(), payload.size());
    if (ZSTD_isError(size)) {
      if (ZSTD_getErrorCode(size) == ZSTD_error_srcSize_wrong) {
        return fail(damaged("Compressed data ended before the end-of-stream marker was reached"));
      }
      return fail(library_error(size));
    }
    if (!skippable) {
      const unsigned long long frame_content = ZSTD_getFrameContentSize(payload.data(), payload.size());
      if (frame_content == ZSTD_CONTENTSIZE_ERROR)
        return fail(damaged("Unable to decompress Zstandard data: bad header"));
      const auto descriptor = std::to_integer<unsigned>(payload[4]);
      std::uint64_t window = frame_content;
      if ((descriptor & 0x20) == 0) {  // not a single segment: the next byte gives the window
        const auto byte = std::to_integer<unsigned>(payload[5]);
        const std::uint64_t base = std::uint64_t{1} << (10 + (byte >> 3));
        window = base + base / 8 * (byte & 7);
      }
      if (window > kLargestWindow) {
        return fail(damaged("Unable to decompress Zstandard data: Frame requires too much memory for decoding"));
      }
      if (frame_content == ZSTD_CONTENTSIZE_UNKNOWN) {
        content.known = false;
      } else if (__builtin_add_overflow(content.size, std::uint64_t{frame_content}, &content.size)) {
        return fail(damaged("Unable to decompress Zstandard data: impossible content size"));
      }
    }
    payload = payload.subspan(size);
  }
  return content;
}

}  // namespace

void ZstdCodec::Free::operator()(ZSTD_CCtx_s* context) const { ZSTD_freeCCtx(context); }
void ZstdCodec::Free::operator()(ZSTD_DCtx_s* context) const { ZSTD_freeDCtx(context); }

// The variable is looked at by the first chunk that is large enough. Not set means none: Cairn keeps many chunks in
// flight, and threads inside a chunk compress worse.
Result<int> ZstdCodec::workers(std::size_t plain_size) {
  if (plain_size < kLeastForWorkers) return 0;
  if (!workers_) {
    const std::string text = env("BORG_ZSTD_MT_WORKERS").value_or("");
    std::int64_t count = 0;
    if (text.find_first_not_of(" \t\n\r\v\f") != std::string::npos) {
      const auto parsed = parse_int(text);
      if (!parsed) return fail(Code::Usage, fmt::format("BORG_ZSTD_MT_WORKERS must be an integer, but is: '{}'", text));
      if (*parsed < 0) {
        return fail(Code::Usage, fmt::format("BORG_ZSTD_MT_WORKERS must not be negative, but is: {}", *parsed));
      }
      count = *parsed;
    }
    const std::int64_t most = ZSTD_cParam_getBounds(ZSTD_c_nbWorkers).upperBound;
    workers_ = count <= 1 ? 0 : static_cast<int>(std::min(count, most));
  }
  return *workers_;
}

Result<std::size_t> ZstdCodec::compress(int level, Bytes plain, Buffer& out) {
  if (!compressor_) compressor_.reset(ZSTD_createCCtx());
  if (!compressor_) return fail(Code::Internal, "zstd: out of memory");
  CAIRN_TRY(const int threads, workers(plain.size()));
  ZSTD_CCtx_reset(compressor_.get(), ZSTD_reset_session_and_parameters);
  ZSTD_CCtx_setParameter(compressor_.get(), ZSTD_c_compressionLevel, level);
  if (threads > 0) {
    ZSTD_CCtx_setParameter(compressor_.get(), ZSTD_c_nbWorkers, threads);
    ZSTD_CCtx_setParameter(compressor_.get(), ZSTD_c_jobSize, kJobSize);
  }
  // With less room the library gives up on some results that would just fit.
  out.resize(ZSTD_compressBound(plain.size()));
  const std::size_t size = ZSTD_compress2(compressor_.get(), out.data(), out.size(), plain.data(), plain.size());
  if (!ZSTD_isError(size)) return size;
  return fail(Code::Internal, fmt::format("zstd: {}", ZSTD_getErrorName(size)));
}

Status ZstdCodec::decompress(Bytes payload, const Wanted& wanted, Buffer& plain) {
  plain.clear();
  if (payload.empty()) return fail(damaged("Compressed data ended before the end-of-stream marker was reached"));
  if (!decompressor_) decompressor_.reset(ZSTD_createDCtx());
  if (!decompressor_) return fail(Code::Internal, "zstd: out of memory");
  CAIRN_TRY(const Content content, walk_frames(payload));
  if (content.size > wanted.limit) return fail(wrong_plain_size(wanted));
  std::size_t capacity = content.known ? static_cast<std::size_t>(content.size) : wanted.first_capacity(payload, plain);
  for (;;) {
    plain.clear();
    plain.resize(capacity + 1);  // never a null pointer
    const std::size_t size =
        ZSTD_decompressDCtx(decompressor_.get(), plain.data(), capacity, payload.data(), payload.size());
    if (!ZSTD_isError(size)) {
      plain.resize(size);
      return {};
    }
    plain.clear();
    if (ZSTD_getErrorCode(size) != ZSTD_error_dstSize_tooSmall || content.known) return fail(library_error(size));
    if (capacity >= wanted.limit) return fail(wrong_plain_size(wanted));
    capacity = wanted.next_capacity(capacity);
  }
}

}  // namespace cairn::compress

// LZMA through liblzma. The two streams live as long as the codec, because liblzma then recycles its tables.
#include "compress/lzma_codec.h"

#include <fmt/format.h>
#include <lzma.h>

#include <algorithm>
#include <bit>

namespace cairn::compress {
namespace {

// Four times what a stream of the highest level needs. A dictionary beyond that serves no chunk of ours.
constexpr std::uint64_t kDecoderMemory = std::uint64_t{256} << 20;
constexpr std::uint32_t kLeastDictionary = 65536;

// liblzma counts in bytes of its own type.
const std::uint8_t* octets(const std::byte* bytes) { return reinterpret_cast<const std::uint8_t*>(bytes); }  // NOLINT
std::uint8_t* octets(std::byte* bytes) { return reinterpret_cast<std::uint8_t*>(bytes); }                    // NOLINT

Error ended_early() { return damaged("Compressed data ended before the end-of-stream marker was reached"); }

}  // namespace

struct LzmaCodec::Streams {
  lzma_stream encoder = LZMA_STREAM_INIT;
  lzma_stream decoder = LZMA_STREAM_INIT;

  Streams() = default;
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;
  ~Streams() {
    lzma_end(&encoder);
    lzma_end(&decoder);
  }
};

LzmaCodec::LzmaCodec() = default;
LzmaCodec::LzmaCodec(LzmaCodec&&) noexcept = default;
LzmaCodec& LzmaCodec::operator=(LzmaCodec&&) noexcept = default;
LzmaCodec::~LzmaCodec() = default;

LzmaCodec::Streams& LzmaCodec::streams() {
  if (!streams_) streams_ = std::make_unique<Streams>();
  return *streams_;
}

Result<std::size_t> LzmaCodec::compress(int level, Bytes plain, Buffer& out) {
  lzma_stream& stream = streams().encoder;
  lzma_options_lzma options{};
  if (lzma_lzma_preset(&options, static_cast<std::uint32_t>(level))) return fail(Code::Internal, "lzma: bad preset");
  // A dictionary larger than the chunk finds nothing more and costs memory, also that of every later reader. Powers of
  // two, so that chunks of similar size share the encoder's tables.
  const auto enough = std::bit_ceil(std::max(static_cast<std::uint32_t>(plain.size()), kLeastDictionary));
  options.dict_size = std::min(options.dict_size, enough);
  const lzma_filter filters[] = {{.id = LZMA_FILTER_LZMA2, .options = &options},
                                 {.id = LZMA_VLI_UNKNOWN, .options = nullptr}};
  lzma_ret result = lzma_stream_encoder(&stream, filters, LZMA_CHECK_NONE);
  if (result == LZMA_OK) {
    stream.next_in = octets(plain.data());
    stream.avail_in = plain.size();
    out.resize(plain.size());
    stream.next_out = octets(out.data());
    stream.avail_out = plain.size() - 1;
    do {
      result = lzma_code(&stream, LZMA_FINISH);
    } while (result == LZMA_OK && stream.avail_out > 0);
  }
  if (result == LZMA_STREAM_END) return plain.size() - 1 - stream.avail_out;
  if (result == LZMA_OK || result == LZMA_BUF_ERROR) return 0;
  return fail(Code::Internal, fmt::format("lzma: error {}", static_cast<int>(result)));
}

// Streams follow each other; what follows a complete stream and is none itself is ignored, but a stream that only
// begins is an error.
Status LzmaCodec::decompress(Bytes payload, const Wanted& wanted, Buffer& plain) {
  lzma_stream& stream = streams().decoder;
  const std::size_t most = wanted.limit + 1;  // one more, to see whether there would be more
  std::size_t size = 0;
  plain.clear();
  plain.resize(std::min(most, wanted.first_capacity(payload, plain) + 1));
  for (bool first = true; first || !payload.empty(); first = false) {
    if (lzma_auto_decoder(&stream, kDecoderMemory, 0) != LZMA_OK) return fail(Code::Internal, "lzma: out of memory");
    const std::size_t before = size;
    stream.next_in = octets(payload.data());
    stream.avail_in = payload.size();
    lzma_ret result = LZMA_OK;
    while (result == LZMA_OK) {
      if (size == plain.size()) {
        if (size == most) {
          plain.clear();
          return fail(wrong_plain_size(wanted));
        }
        plain.resize(std::min(most, size * 4));
      }
      stream.next_out = octets(plain.data() + size);
      stream.avail_out = plain.size() - size;
      result = lzma_code(&stream, LZMA_RUN);
      size = plain.size() - stream.avail_out;
    }
    if (result != LZMA_STREAM_END) {
      size = before;
      plain.resize(size);
      if (result == LZMA_BUF_ERROR) return fail(ended_early());
      if (result == LZMA_MEM_ERROR) return fail(Code::Internal, "lzma: out of memory");
      if (!first) break;
      return fail(damaged(result == LZMA_FORMAT_ERROR     ? "Input format not supported by decoder"
                          : result == LZMA_MEMLIMIT_ERROR ? "Memory usage limit exceeded"
                                                          : "Corrupt input data"));
    }
    payload = payload.subspan(payload.size() - stream.avail_in);
  }
  if (size > wanted.limit) {
    plain.clear();
    return fail(wrong_plain_size(wanted));
  }
  plain.resize(size);
  return {};
}

}  // namespace cairn::compress

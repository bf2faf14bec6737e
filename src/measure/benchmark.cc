// What the rows time, next to the plain call:
//   chunkers      copying the data into the buffer that is cut, in the steps in which create reads files, and the test
//                 of every chunk for being all zeros. A fresh file each time, one cutter for all.
//   hashes        waking the idle workers and joining their parts.
//   encryption    making a context and setting its key, for every buffer.
//   compression   the decision to keep what does not shrink as it is.
//   msgpack       nothing; the buffer is used again.
#include "measure/benchmark.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/buffer.h"
#include "chunk/cutter.h"
#include "compress/compressor.h"
#include "crypt/aead.h"
#include "crypt/ctr_mac.h"
#include "hash/blake2b.h"
#include "hash/id_hash.h"
#include "measure/benchmark_data.h"
#include "measure/benchmark_words.h"
#include "measure/ready_pool.h"
#include "msgpack/writer.h"

namespace cairn::measure {
namespace {

using Clock = std::chrono::steady_clock;
using EachRow = std::function<void(const BenchmarkRow&)>;

constexpr std::size_t kKib = 1024;
constexpr std::size_t kMib = 1024 * kKib;
// As create reads files: ops/content.cc.
constexpr std::size_t kReadStep = 256 * kKib;

// How much each section works on.
struct Scale {
  std::size_t buffer = 8 * kMib;  // of chunkers and ciphers
  std::size_t repetitions = 128;  // of that, and of the msgpack list
  std::size_t hashed = 1024 * kMib;
  std::size_t compressed = 10 * kMib;
  std::vector<std::size_t> hash_sizes{64 * kMib, 2 * kMib};  // the second is that of the slow hashes
  std::vector<std::size_t> compress_sizes{2 * kMib, 128 * kKib};
};

Scale scale_of(const BenchmarkSettings& settings) {
  if (!settings.quick) return {};
  constexpr std::size_t kTiny = 128 * kKib;
  return {.buffer = kTiny,
          .repetitions = 1,
          .hashed = kTiny,
          .compressed = 0,
          .hash_sizes = {kTiny},
          .compress_sizes = {kTiny}};
}

std::string size_label(std::size_t size) {
  return size % kMib == 0 ? fmt::format("{}MiB", size / kMib) : fmt::format("{}kiB", size / kKib);
}

// Keeps results alive, so that no call can be left out.
void use(std::byte byte) {
  static volatile unsigned char sink = 0;
  sink = static_cast<unsigned char>(sink ^ std::to_integer<unsigned char>(byte));
}

// A Buffer takes a machine without memory for a bug; here it is a row's error.
Result<Buffer> touched_buffer(std::size_t size) {
  void* const trial = std::malloc(size);  // NOLINT
  std::free(trial);                       // NOLINT
  if (trial == nullptr) return fail(Code::Internal, "out of memory");
  Buffer buffer(size);
  std::memset(buffer.data(), 0, size);
  return buffer;
}

// Runs `work` so often and adds up the time, without that of `before`. Stops between two repetitions.
template <class Work, class Before>
Status time_work(const BenchmarkSettings& settings, std::size_t repetitions, double& seconds, const Work& work,
                 const Before& before) {
  for (std::size_t i = 0; i < repetitions; ++i) {
    if (settings.stop && settings.stop()) return fail(Code::Interrupted, "");
    before();
    const Clock::time_point start = Clock::now();
    CAIRN_CHECKED(work(i));
    seconds += std::chrono::duration<double>(Clock::now() - start).count();
  }
  return {};
}

template <class Work>
Status time_work(const BenchmarkSettings& settings, std::size_t repetitions, double& seconds, const Work& work) {
  return time_work(settings, repetitions, seconds, work, [] {});
}

// Hands the row over with its figures or with its error; only an interruption ends more than the row.
Status finish_row(BenchmarkRow row, Status done, const EachRow& each) {
  if (!done && done.error().code() == Code::Interrupted) return done;
  if (!done) row.error = std::move(done).error();
  each(row);
  return {};
}

std::pair<std::string, std::string> split_spec(std::string_view spec) {
  const std::size_t comma = std::min(spec.find(','), spec.size());
  return {std::string(spec.substr(0, comma)), std::string(spec.substr(std::min(comma + 1, spec.size())))};
}

// ---- chunkers

// One file in memory, as read_content() cuts one: steps of reading, and all cuts that can be made after each.
void cut_file(const chunk::Cutter& cutter, Bytes file, Buffer& slab) {
  std::size_t start = 0;
  std::size_t fill = 0;
  bool first = true;
  bool final = false;
  chunk::Scan scan;
  while (!final) {
    const std::size_t step = std::min(kReadStep, file.size() - fill);
    if (step > 0) std::memcpy(slab.data() + fill, file.data() + fill, step);
    final = step == 0;
    fill += step;
    while (start < fill) {
      const Bytes rest = slab.view(start, fill - start);
      const std::size_t length = cutter.cut(rest, final, first, scan);
      if (length == 0) break;
      use(std::byte{chunk::is_zero(rest.first(length))});
      start += length;
      first = false;
      scan = {};
    }
  }
}

Status chunkers(const BenchmarkSettings& settings, const EachRow& each) {
  constexpr std::array<std::string_view, 7> kSpecs = {
      "fixed,1048576",           "fastcdc,19,23,21,2",   "buzhash64,19,23,21,4095,2", "buzhash,19,23,21,4095",
      "toeplitz-aes,19,23,21,2", "rabin-aes,19,23,21,2", "goldilocks-aes,19,23,21,2"};
  const Scale scale = scale_of(settings);
  for (const std::string_view spec : kSpecs) {
    BenchmarkRow row{.label = std::string(spec), .buffer_size = scale.buffer, .size = scale.buffer * scale.repetitions};
    std::tie(row.algorithm, row.parameters) = split_spec(spec);
    const auto run = [&]() -> Status {
      CAIRN_TRY(Buffer file, touched_buffer(scale.buffer));
      fill_with_noise(file, 1);
      CAIRN_TRY(Buffer slab, touched_buffer(scale.buffer));
      CAIRN_TRY(const chunk::Params params, chunk::parse_params(spec));
      CAIRN_TRY(const auto cutter, chunk::make_cutter(params, {.without_repository = true}));
      return time_work(settings, scale.repetitions, row.seconds, [&](std::size_t) -> Status {
        cut_file(*cutter, file, slab);
        return {};
      });
    };
    CAIRN_CHECKED(finish_row(std::move(row), run(), each));
  }
  return {};
}

// ---- hashes

hash::Key256 some_key() {
  hash::Key256 key;
  fill_with_noise(key, 2);
  return key;
}

// As large as the buffers in which create reads files, which are on huge pages.
constexpr std::size_t kSlab = 8 * kMib;

Status hashes(const BenchmarkSettings& settings, const EachRow& each) {
  const Scale scale = scale_of(settings);
  // `hash` digests a whole buffer; `prepare` may fail and, like `before`, is not timed.
  const auto add_row = [&](std::string_view name, std::size_t size, const auto& prepare, const auto& before,
                           const auto& hash) -> Status {
    BenchmarkRow row{.label = fmt::format("{} ({})", name, size_label(size)),
                     .algorithm = std::string(name),
                     .buffer_size = size,
                     .size = std::max(scale.hashed, size)};
    const auto run = [&]() -> Status {
      CAIRN_TRY(Buffer slab, touched_buffer(std::max(size, kSlab)));
      fill_with_noise(slab.span().first(size), 3);
      const Bytes data = slab.view(0, size);
      CAIRN_CHECKED(prepare());
      const auto work = [&](std::size_t) -> Status {
        use(hash(data));
        return {};
      };
      return time_work(settings, static_cast<std::size_t>(row.size) / size, row.seconds, work, before);
    };
    return finish_row(std::move(row), run(), each);
  };
  const auto fine = []() -> Status { return {}; };
  const auto nothing = [] {};

  const hash::Key256 key = some_key();
  ReadyPool pool(settings.threads);
  const hash::IdHash keyed_blake3(hash::IdHashKind::Blake3, key);
  const auto threshold = [&]() -> Status {
    CAIRN_CHECKED(hash::check_kernels());
    CAIRN_TRY(const std::size_t split_from, hash::blake3_split_threshold());
    hash::set_blake3_split_threshold(split_from);
    return {};
  };
  // The others idle when create splits a hash, so they do here: one that has just helped takes a moment to park.
  const auto parked = [&] { pool.wait_until_parked(); };
  for (const std::size_t size : scale.hash_sizes) {
    CAIRN_CHECKED(add_row("blake3", size, threshold, parked,
                          [&](Bytes data) { return keyed_blake3(data, pool.spare()).raw[0]; }));
  }
  const std::size_t size = scale.hash_sizes.back();
  const hash::IdHash hmac(hash::IdHashKind::Sha256, key);
  CAIRN_CHECKED(add_row("hmac-sha256", size, fine, nothing, [&](Bytes data) { return hmac(data).raw[0]; }));
  return add_row("blake2b-256", size, fine, nothing, [&](Bytes data) { return hash::blake2b_256({key, data}).raw[0]; });
}

// ---- encryption

Status encryption(const BenchmarkSettings& settings, const EachRow& each) {
  const Scale scale = scale_of(settings);
  const hash::Key256 key = some_key();
  const auto refused = [] { return fail(Code::Unsupported, "this system's OpenSSL does not offer the cipher"); };
  const auto add_row = [&](const char* name, const auto& seal) -> Status {
    BenchmarkRow row{
        .label = name, .algorithm = name, .buffer_size = scale.buffer, .size = scale.buffer * scale.repetitions};
    const auto run = [&]() -> Status {
      CAIRN_TRY(Buffer plain, touched_buffer(scale.buffer));
      fill_with_noise(plain, 4);
      CAIRN_TRY(Buffer sealed, touched_buffer(scale.buffer));
      return time_work(settings, scale.repetitions, row.seconds,
                       [&](std::size_t number) -> Status { return seal(number, plain, sealed.span()); });
    };
    return finish_row(std::move(row), run(), each);
  };

  const auto aead = [&](crypt::Cipher cipher) {
    return [&, cipher](std::size_t number, Bytes plain, MutableBytes sealed) -> Status {
      crypt::Aead context(cipher);
      std::array<std::byte, crypt::Aead::kNonceSize> nonce{};
      store_le(nonce.data(), std::uint64_t{number});
      std::array<std::byte, crypt::Aead::kTagSize> tag{};
      if (!context.set_key(key, true) || !context.seal(nonce, {}, {}, plain, sealed, tag)) return refused();
      use(tag[0]);
      return {};
    };
  };
  CAIRN_CHECKED(add_row("aes-256-ocb", aead(crypt::Cipher::Aes256Ocb)));
  CAIRN_CHECKED(add_row("chacha20-poly1305", aead(crypt::Cipher::ChaCha20Poly1305)));

  std::array<std::byte, 128> mac_key{};
  fill_with_noise(mac_key, 5);
  const auto ctr_mac = [&](crypt::CtrMac::Mac kind, std::size_t key_size) {
    return [&, kind, key_size](std::size_t number, Bytes plain, MutableBytes sealed) -> Status {
      crypt::CtrMac context(kind, key, Bytes(mac_key).first(key_size));
      std::array<std::byte, crypt::CtrMac::kIvSize> iv{};
      store_le(iv.data(), std::uint64_t{number});
      std::array<std::byte, crypt::CtrMac::kMacSize> mac{};
      if (!context.seal(iv, plain, sealed, mac)) return refused();
      use(mac[0]);
      return {};
    };
  };
  CAIRN_CHECKED(add_row("aes-256-ctr-hmac-sha256", ctr_mac(crypt::CtrMac::Mac::HmacSha256, 32)));
  return add_row("aes-256-ctr-blake2b", ctr_mac(crypt::CtrMac::Mac::Blake2b256, mac_key.size()));
}

// ---- compression

Status compression(const BenchmarkSettings& settings, const EachRow& each) {
  constexpr std::array<std::string_view, 14> kSpecs = {"lz4",     "zstd,-4", "zstd,1",  "zstd,3", "zstd,5",
                                                       "zstd,10", "zstd,16", "zstd,22", "zlib,1", "zlib,6",
                                                       "zlib,9",  "lzma,0",  "lzma,6",  "lzma,9"};
  const Scale scale = scale_of(settings);
  std::optional<Buffer> own;
  if (settings.data_path) {
    CAIRN_TRY(own, read_benchmark_data(*settings.data_path, settings.stop));
  }
  for (const std::size_t wanted : scale.compress_sizes) {
    // The user's data piece by piece, each once; a last incomplete one counts only if it is the only one. Else the same
    // soup again and again.
    const std::size_t size = own ? std::min(wanted, own->size()) : wanted;
    const std::size_t repetitions = own ? own->size() / size : std::max<std::size_t>(3, scale.compressed / size);
    for (const std::string_view spec_text : kSpecs) {
      BenchmarkRow row{.label = fmt::format("{} ({})", spec_text, size_label(wanted)),
                       .buffer_size = wanted,
                       .size = size * repetitions};
      std::tie(row.algorithm, row.parameters) = split_spec(spec_text);
      const auto run = [&]() -> Status {
        Buffer soup;
        if (!own) {
          CAIRN_TRY(soup, touched_buffer(size));
          fill_with_words(soup);
        }
        CAIRN_TRY(const compress::Spec spec, compress::parse_spec(spec_text));
        compress::Compressor compressor;
        return time_work(settings, repetitions, row.seconds, [&](std::size_t number) -> Status {
          CAIRN_TRY(const compress::Compressed result,
                    compressor.compress(spec, own ? own->view(number * size, size) : soup.view()));
          row.compressed_size += result.facts.csize;
          return {};
        });
      };
      CAIRN_CHECKED(finish_row(std::move(row), run(), each));
    }
  }
  return {};
}

// ---- msgpack

Status msgpack_items(const BenchmarkSettings& settings, const EachRow& each) {
  constexpr std::size_t kItems = 1000;
  const Scale scale = scale_of(settings);
  BenchmarkRow row{.label = "msgpack", .algorithm = "msgpack", .count = kItems * scale.repetitions};
  Buffer packed;
  const auto run = [&]() -> Status {
    return time_work(settings, scale.repetitions, row.seconds, [&](std::size_t) -> Status {
      packed.clear();
      msgpack::Writer writer(packed);
      writer.array(kItems);
      for (std::size_t i = 0; i < kItems; ++i) {
        writer.map(3);
        writer.str("path");
        writer.str("foo/bar/baz");
        writer.str("mode");
        writer.uinteger(660);
        writer.str("mtime");
        writer.uinteger(1234567);
      }
      use(packed.data()[packed.size() - 1]);
      return {};
    });
  };
  return finish_row(std::move(row), run(), each);
}

}  // namespace

Status benchmark_section(BenchmarkSection section, const BenchmarkSettings& settings, const EachRow& row) {
  switch (section) {
    case BenchmarkSection::Chunkers:
      return chunkers(settings, row);
    case BenchmarkSection::Hashes:
      return hashes(settings, row);
    case BenchmarkSection::Encryption:
      return encryption(settings, row);
    case BenchmarkSection::Compression:
      return compression(settings, row);
    case BenchmarkSection::Msgpack:
      return msgpack_items(settings, row);
  }
  return {};
}

}  // namespace cairn::measure

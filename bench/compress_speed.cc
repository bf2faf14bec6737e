// How fast is one thread with each compressor, on random and on text-like chunks of 2 MiB?
//
//   bench_compress_speed [specification ...]
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <ctime>
#include <random>
#include <vector>

#include "compress/compressor.h"

namespace {

constexpr std::size_t kChunk = std::size_t{2} << 20;
constexpr std::size_t kChunks = 8;
constexpr double kSeconds = 0.5;

// The thread's own time: other programs may want the CPU meanwhile.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

cairn::Buffer random_bytes(std::mt19937_64& random) {
  cairn::Buffer out(kChunk);
  for (std::size_t i = 0; i < kChunk; i += 8) cairn::store_le<std::uint64_t>(out.data() + i, random());
  return out;
}

// Words of a small language, the frequent ones more often, with numbers between: compresses about as logs and prose do.
cairn::Buffer text_like(std::mt19937_64& random) {
  std::vector<std::string> words(8000);
  for (std::string& word : words) {
    word.resize(2 + random() % 9);
    for (char& c : word) c = static_cast<char>('a' + random() % 26);
  }
  cairn::Buffer out;
  while (out.size() < kChunk) {
    const double u = static_cast<double>(random() >> 11) * 0x1p-53;
    const auto rank = static_cast<std::size_t>(std::pow(static_cast<double>(words.size()), u)) - 1;
    out.append(cairn::bytes_of(words[rank % words.size()]));
    out.append(cairn::bytes_of(random() % 12 == 0 ? "\n" : " "));
    if (random() % 10 == 0) out.append(cairn::bytes_of(std::to_string(random() % 100000)));
  }
  out.resize(kChunk);
  return out;
}

void measure(const char* kind, const std::vector<cairn::Buffer>& chunks, const std::string& text) {
  const auto spec = cairn::compress::parse_spec(text);
  if (!spec) return fmt::print("{}: {}\n", text, spec.error().message());
  cairn::compress::Compressor compressor;
  std::uint64_t in = 0;
  std::uint64_t out = 0;
  const double start = cpu_seconds();
  double spent = 0;
  for (std::size_t i = 0; spent < kSeconds; ++i) {
    const auto result = compressor.compress(*spec, chunks[i % chunks.size()]);
    if (!result) return fmt::print("{}: {}\n", text, result.error().message());
    in += kChunk;
    out += result->payload.size();
    spent = cpu_seconds() - start;
  }
  const auto one = compressor.compress(*spec, chunks[0]);
  cairn::Buffer payload;
  payload.append(one->payload);
  cairn::Buffer plain;
  std::uint64_t unpacked = 0;
  const double again = cpu_seconds();
  double spent_unpacking = 0;
  while (spent_unpacking < kSeconds) {
    if (!compressor.decompress(one->facts, kChunk, payload, plain)) return fmt::print("{}: does not come back\n", text);
    unpacked += kChunk;
    spent_unpacking = cpu_seconds() - again;
  }
  const auto rate = [](std::uint64_t bytes, double seconds) { return static_cast<double>(bytes) / seconds / 1e6; };
  fmt::print("{:7} {:18} {:8.0f} MB/s to {:5.1f} %   back {:8.0f} MB/s\n", kind, text, rate(in, spent),
             100.0 * static_cast<double>(out) / static_cast<double>(in), rate(unpacked, spent_unpacking));
}

}  // namespace

int main(int argc, char** argv) {
  std::mt19937_64 random(1);
  std::vector<cairn::Buffer> noise;
  std::vector<cairn::Buffer> text;
  for (std::size_t i = 0; i < kChunks; ++i) {
    noise.push_back(random_bytes(random));
    text.push_back(text_like(random));
  }
  std::vector<std::string> specs(argv + 1, argv + argc);
  if (specs.empty()) specs = {"lz4", "zstd,1", "zstd,3", "zlib,6", "lzma,1", "auto,zstd,3"};
  for (const std::string& spec : specs) {
    measure("random", noise, spec);
    measure("text", text, spec);
  }
  return 0;
}

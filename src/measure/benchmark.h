// `benchmark cpu`: how fast the computing parts of a backup are, each alone and in memory.
//
// Code      what is timed is what create uses: cutters of make_cutter(), the id hashes with the pool's idle workers,
// the
//           cipher contexts, the compressor of a worker, the msgpack writer. The two AES-CTR rows and BLAKE2b are how
//           Borg 1 encrypts and names.
// Times     wall seconds of all repetitions of a row together. Tables, keys of the cutters, buffers and threads are
//           there before. What a row includes besides is said in benchmark.cc.
// Threads   one, but for BLAKE3, and for zstd if BORG_ZSTD_MT_WORKERS asks for more.
// Errors    what a single row meets is that row's error. benchmark_section() fails with Interrupted when `stop` says
// so,
//           and with Command if the user's data cannot be had.
// Source    docs/format (benchmark, section 1).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/error.h"

namespace cairn::measure {

enum class BenchmarkSection { Chunkers, Hashes, Encryption, Compression, Msgpack };

struct BenchmarkSettings {
  bool quick = false;  // tiny buffers, one repetition: a test of the program and not of the machine
  unsigned threads = 1;
  std::optional<std::string> data_path{};  // what to compress
  std::function<bool()> stop{};
};

struct BenchmarkRow {
  std::string label{};          // "zstd,3 (2MiB)"
  std::string algorithm{};      // "zstd"
  std::string parameters{};     // "3"
  std::uint64_t buffer_size{};  // bytes per call
  std::uint64_t size{};         // bytes in all
  std::uint64_t compressed_size{};
  std::uint64_t count{};  // msgpack: items in all
  double seconds = 0;
  std::optional<Error> error{};  // then only the label counts
};

// Calls `row` after each row.
Status benchmark_section(BenchmarkSection section, const BenchmarkSettings& settings,
                         const std::function<void(const BenchmarkRow&)>& row);

}  // namespace cairn::measure

// The file that a tar archive is written to or read from, with the program or compression in between (--tar-filter).
//
// Filters   "auto" goes by the file's name: gzip, bzip2, xz and lz4 are programs, zstd is compressed here, with all
//           cores; "-" has none. Anything else is a command.
// Errors    OS errors with the file's name; those of the filter. A pipe whose reader is gone is no error on standard
//           output: reader_gone() says so, and nothing more is written.
// Threads   one at a time.
// Source    docs/format (archive, section 15.1).
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "base/buffer.h"
#include "base/error.h"
#include "base/fd.h"
#include "compress/zstd_stream.h"
#include "ops/filter_process.h"

namespace cairn::ops {

struct TarFilter {
  enum class Kind { None, Zstd, Command } kind = Kind::None;
  std::string command{};
};
enum class TarDirection { Write, Read };
TarFilter choose_tar_filter(const std::string& option, const std::string& file, TarDirection direction);

class TarOutput {
 public:
  // "-" is standard output.
  static Result<TarOutput> create(const std::string& path, const TarFilter& filter, unsigned threads);

  Status write(Bytes bytes);
  // Everything is written, and a filter has done well.
  Status close();
  bool reader_gone() const { return reader_gone_; }

 private:
  TarOutput() = default;
  Status put(Bytes bytes);  // behind the compression
  Status put_all(Bytes bytes);

  std::string path_;
  Fd file_;
  int fd_ = -1;  // where bytes go: the file, standard output, or the filter's pipe
  std::optional<FilterProcess> filter_;
  std::optional<compress::ZstdEncoder> encoder_;
  Buffer gathered_;
  bool reader_gone_ = false;
};

class TarInput {
 public:
  // "-" is standard input. `interrupted` ends waiting for a slow pipe.
  static Result<TarInput> open(const std::string& path, const TarFilter& filter,
                               const std::atomic<bool>* interrupted = nullptr);

  // 0 is the end.
  Result<std::size_t> read(MutableBytes out);
  // After the end: whether a filter has done well.
  Status close();

 private:
  TarInput() = default;

  Fd file_;
  compress::ZstdDecoder::Source bytes_;  // before decompression
  std::optional<FilterProcess> filter_;
  std::optional<compress::ZstdDecoder> decoder_;
};

}  // namespace cairn::ops

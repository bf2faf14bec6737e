#include "ops/tar_file.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include <fmt/format.h>

namespace cairn::ops {
namespace {

constexpr int kZstdLevel = 3;
constexpr std::size_t kGather = std::size_t{256} << 10U;

struct Known {
  std::string_view ending;
  std::string_view program;  // empty: compressed here
};
constexpr std::array<Known, 10> kKnown = {{
    {".tar.gz", "gzip"},
    {".tgz", "gzip"},
    {".tar.bz2", "bzip2"},
    {".tbz", "bzip2"},
    {".tar.xz", "xz"},
    {".txz", "xz"},
    {".tar.lz4", "lz4"},
    {".tar.zst", ""},
    {".tar.zstd", ""},
    {".tzst", ""},
}};

constexpr int kStep = 100;  // milliseconds

// Of a pipe that is slow Ctrl-C need not wait for the next bytes.
Result<std::size_t> read_some(int fd, const std::string& path, const std::atomic<bool>* interrupted, MutableBytes out) {
  while (true) {
    if (interrupted != nullptr) {
      if (interrupted->load(std::memory_order_relaxed)) return fail(Code::Interrupted, "Got Ctrl-C / SIGINT.");
      pollfd poll{.fd = fd, .events = POLLIN, .revents = 0};
      if (::poll(&poll, 1, kStep) == 0) continue;
    }
    const ssize_t count = ::read(fd, out.data(), out.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) return fail(os_error(errno, path));
  }
}

}  // namespace

TarFilter choose_tar_filter(const std::string& option, const std::string& file, TarDirection direction) {
  if (option != "auto") return {.kind = TarFilter::Kind::Command, .command = option};
  for (const auto& [ending, program] : kKnown) {
    if (!file.ends_with(ending)) continue;
    if (program.empty()) return {.kind = TarFilter::Kind::Zstd};
    return {.kind = TarFilter::Kind::Command,
            .command = direction == TarDirection::Read ? fmt::format("{} -d", program) : std::string(program)};
  }
  return {};
}

Result<TarOutput> TarOutput::create(const std::string& path, const TarFilter& filter, unsigned threads) {
  TarOutput output;
  output.path_ = path;
  output.fd_ = STDOUT_FILENO;
  if (path != "-") {
    output.file_ = Fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666));
    if (!output.file_) return fail(os_error(errno, path));
    output.fd_ = output.file_.get();
  }
  if (filter.kind == TarFilter::Kind::Zstd) {
    CAIRN_TRY(output.encoder_, compress::ZstdEncoder::make(kZstdLevel, threads));
  } else if (filter.kind == TarFilter::Kind::Command) {
    CAIRN_TRY(auto started, FilterProcess::start(filter.command, FilterProcess::Direction::Write, output.fd_));
    output.filter_.emplace(std::move(started));
    output.fd_ = output.filter_->pipe();
  }
  return output;
}

Status TarOutput::put_all(Bytes bytes) {
  while (!bytes.empty() && !reader_gone_) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE) {
      if (filter_) {
        CAIRN_CHECKED(filter_->wait());
        return fail(Code::Error, "the tar filter ended before it had read everything");
      }
      if (!file_) {
        reader_gone_ = true;
        return {};
      }
    }
    if (written <= 0) return fail(os_error(written < 0 ? errno : ENOSPC, path_));
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Status TarOutput::put(Bytes bytes) {
  if (gathered_.size() + bytes.size() < kGather) {
    gathered_.append(bytes);
    return {};
  }
  CAIRN_CHECKED(put_all(gathered_));
  gathered_.clear();
  if (bytes.size() < kGather) {
    gathered_.append(bytes);
    return {};
  }
  return put_all(bytes);
}

Status TarOutput::write(Bytes bytes) {
  if (reader_gone_) return {};
  if (!encoder_) return put(bytes);
  return encoder_->write(bytes, [this](Bytes compressed) { return put(compressed); });
}

Status TarOutput::close() {
  if (encoder_) CAIRN_CHECKED(encoder_->finish([this](Bytes compressed) { return put(compressed); }));
  CAIRN_CHECKED(put_all(gathered_));
  gathered_.clear();
  if (filter_) CAIRN_CHECKED(filter_->wait());
  if (const int error = file_.close(); error != 0) return fail(os_error(error, path_));
  return {};
}

Result<TarInput> TarInput::open(const std::string& path, const TarFilter& filter,
                                const std::atomic<bool>* interrupted) {
  TarInput input;
  int fd = STDIN_FILENO;
  if (path != "-") {
    input.file_ = Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    if (!input.file_) return fail(os_error(errno, path));
    fd = input.file_.get();
    (void)::posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  if (filter.kind == TarFilter::Kind::Command) {
    CAIRN_TRY(auto started, FilterProcess::start(filter.command, FilterProcess::Direction::Read, fd));
    input.filter_.emplace(std::move(started));
    fd = input.filter_->pipe();
  }
  input.bytes_ = [fd, path, interrupted](MutableBytes out) { return read_some(fd, path, interrupted, out); };
  if (filter.kind == TarFilter::Kind::Zstd) input.decoder_.emplace(input.bytes_);
  return input;
}

Result<std::size_t> TarInput::read(MutableBytes out) { return decoder_ ? decoder_->read(out) : bytes_(out); }

Status TarInput::close() { return filter_ ? filter_->wait() : Status(); }

}  // namespace cairn::ops

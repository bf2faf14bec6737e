#include "measure/reader_speed.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>

#include <fmt/format.h>

#include "base/buffer.h"
#include "base/fd.h"
#include "fs/node.h"
#include "measure/blake3_speed.h"
#include "measure/ready_pool.h"

namespace cairn::measure {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array<unsigned, 4> kReaders = {1, 2, 4, 8};
constexpr std::size_t kMostFiles = 50'000;
constexpr std::size_t kPiece = std::size_t{1} << 20U;
constexpr double kEnough = 0.95;

struct File {
  std::string path;
  std::uint64_t size;
};

// Regular files with content below `directory`, in the order in which create would come across them.
Status collect(const std::string& directory, const std::function<bool()>& stop, std::vector<File>& files) {
  std::vector<std::string> open = {directory};
  bool is_root = true;
  while (!open.empty() && files.size() < kMostFiles) {
    if (stop && stop()) return fail(Code::Interrupted, "measuring was interrupted");
    const std::string path = std::move(open.back());
    open.pop_back();
    auto fd = fs::open_path_directory(path, is_root, path);
    if (!fd && is_root) return fail(std::move(fd).error());
    if (!fd) continue;
    auto entries = fs::read_directory(fd->get(), path);
    if (!entries && is_root) return fail(std::move(entries).error());
    is_root = false;
    if (!entries) continue;
    for (const fs::DirEntry& entry : *entries) {
      const std::string name = path + (path.ends_with('/') ? "" : "/") + entry.name;
      const auto stat = fs::stat_at(fd->get(), entry.name, false, name);
      if (!stat) continue;
      if (stat->is_directory()) open.push_back(name);
      if (stat->is_regular() && stat->size > 0) files.push_back({name, stat->size});
    }
  }
  return {};
}

void forget(int fd) { (void)::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED); }

// Pages of the file's first 16 MiB that are in memory, and how many there are.
std::pair<std::size_t, std::size_t> resident_pages(int fd, std::uint64_t size) {
  const auto page = static_cast<std::size_t>(std::max(1L, ::sysconf(_SC_PAGESIZE)));
  const std::size_t length = static_cast<std::size_t>(std::min<std::uint64_t>(size, std::uint64_t{16} << 20U));
  void* const at = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) return {0, 0};
  std::vector<unsigned char> pages((length + page - 1) / page);
  const int failed = ::mincore(at, length, pages.data());
  ::munmap(at, length);
  if (failed != 0) return {0, 0};
  return {static_cast<std::size_t>(std::ranges::count_if(pages, [](unsigned char p) { return (p & 1U) != 0; })),
          pages.size()};
}

bool has_no_disk(const std::string& directory) {
  constexpr auto kTmpfs = 0x01021994;
  constexpr auto kRamfs = 0x858458f6;
  struct statfs system{};
  if (::statfs(directory.c_str(), &system) != 0) return false;
  const auto kind = static_cast<std::uint32_t>(system.f_type);
  return kind == static_cast<std::uint32_t>(kTmpfs) || kind == static_cast<std::uint32_t>(kRamfs);
}

// Hands out files in turn; wraps around at the end.
class Turn {
 public:
  explicit Turn(const std::vector<File>& files) : files_(files) {}
  const File& next() { return files_[next_.fetch_add(1) % files_.size()]; }
  std::size_t place() const { return next_.load() % files_.size(); }

 private:
  const std::vector<File>& files_;
  std::atomic<std::size_t> next_{0};
};

class Reading {
 public:
  Reading(const std::vector<File>& files, unsigned most) : files_(files), turn_(files), pool_(most) {
    for (unsigned i = 0; i < most; ++i) buffers_.emplace_back(kPiece);
  }

  // The share of pages still in memory among those that a run of some seconds may read.
  double forget_ahead() {
    std::size_t resident = 0;
    std::size_t pages = 0;
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(files_.size(), 2000) && bytes < kAhead; ++i) {
      const File& file = files_[(turn_.place() + i) % files_.size()];
      const auto fd = fs::open_file(AT_FDCWD, file.path, file.path);
      if (!fd) continue;
      forget(fd->get());
      bytes += file.size;
      if (i >= 200) continue;
      const auto [in_memory, all] = resident_pages(fd->get(), file.size);
      resident += in_memory;
      pages += all;
    }
    return pages == 0 ? 0 : static_cast<double>(resident) / static_cast<double>(pages);
  }

  double rate(unsigned readers, double seconds, const std::function<bool()>& stop) {
    std::atomic<std::uint64_t> bytes = 0;
    const Clock::time_point start = Clock::now();
    const auto over = [&] { return Clock::now() - start > std::chrono::duration<double>(seconds) || (stop && stop()); };
    pool_.run_together(readers, [&](unsigned i) {
      std::uint64_t mine = 0;
      // At least one piece each, however short the time.
      for (std::size_t tried = 0; tried < files_.size() && (mine == 0 || !over()); ++tried) {
        const File& file = turn_.next();
        const auto fd = fs::open_file(AT_FDCWD, file.path, file.path);
        if (!fd) continue;
        ssize_t got = 0;
        do {
          got = ::read(fd->get(), buffers_[i].data(), kPiece);
          if (got > 0) mine += static_cast<std::uint64_t>(got);
        } while (got > 0 && !over());
        forget(fd->get());
      }
      bytes += mine;
    });
    const double elapsed = std::chrono::duration<double>(Clock::now() - start).count();
    return static_cast<double>(bytes.load()) / (1024 * 1024) / elapsed;
  }

 private:
  static constexpr std::uint64_t kAhead = std::uint64_t{4} << 30U;
  const std::vector<File>& files_;
  Turn turn_;
  ReadyPool pool_;
  std::vector<Buffer> buffers_;
};

double fastest(const std::vector<ReaderPoint>& points) {
  double most = 0;
  for (const ReaderPoint& point : points) {
    if (!point.runs.empty()) most = std::max(most, median(point.runs));
  }
  return most;
}

}  // namespace

std::optional<unsigned> ReaderSpeed::best() const {
  const double most = fastest(points);
  for (const ReaderPoint& point : points) {
    if (!point.runs.empty() && median(point.runs) >= most * kEnough) return point.readers;
  }
  return std::nullopt;
}

std::optional<unsigned> ReaderSpeed::limit() const {
  if (points.empty() || points.back().runs.empty()) return std::nullopt;
  if (median(points.back().runs) >= fastest(points) * kEnough) return std::nullopt;
  return best();
}

Status measure_readers(const std::string& directory, const ReaderEffort& effort, const std::function<bool()>& stop,
                       const std::function<void(std::string_view step)>& step, ReaderSpeed& found) {
  found = {.directory = directory};
  found.in_memory = has_no_disk(directory);
  step("looking for files");
  std::vector<File> files;
  CAIRN_CHECKED(collect(directory, stop, files));
  for (const File& file : files) found.bytes += file.size;
  found.files = files.size();
  if (files.empty()) return fail(Code::Error, fmt::format("{}: no files with content to read", directory));

  Reading reading(files, kReaders.back());
  for (const unsigned readers : kReaders) found.points.push_back({.readers = readers});
  for (int run = 0; run < effort.runs; ++run) {
    for (ReaderPoint& point : found.points) {
      step(
          fmt::format("{} reader{}, run {} of {}", point.readers, point.readers == 1 ? "" : "s", run + 1, effort.runs));
      found.cached = std::max(found.cached, reading.forget_ahead());
      if (stop && stop()) return fail(Code::Interrupted, "measuring was interrupted");
      point.runs.push_back(reading.rate(point.readers, effort.seconds_per_run, stop));
    }
  }
  return {};
}

}  // namespace cairn::measure

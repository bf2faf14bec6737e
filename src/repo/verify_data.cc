#include "repo/verify_data.h"

#include <algorithm>
#include <mutex>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "base/log.h"
#include "exec/stop.h"

namespace cairn::repo {
namespace {

constexpr std::string_view kLogger = "borg.archive";
constexpr std::uint64_t kRunBytes = std::uint64_t{4} << 20U;
constexpr std::uint64_t kLargestHole = std::uint64_t{64} << 10U;  // cheaper to read over than to seek

using Entries = std::vector<const ChunkIndex::Entry*>;

struct Scratch {
  explicit Scratch(const Repository& repository) : reader(repository.make_reader()) {}
  std::unique_ptr<ObjectReader> reader;
  Buffer run, plain;
};

class Verification {
 public:
  Verification(Repository& repository, exec::Pool& pool, const VerifyOptions& options)
      : repository_(repository),
        pool_(pool),
        options_(options),
        scratch_(pool, [&repository] { return std::make_unique<Scratch>(repository); }) {}

  Result<VerifyReport> run();

 private:
  using Run = std::span<const ChunkIndex::Entry* const>;
  void verify_pack(Run objects);
  void verify_run(const PackId& pack, Run objects, exec::Worker& worker);
  void defect(const PackId& pack, const std::string& message, std::uint64_t objects = 1) {
    log(Level::Error, kLogger, message);
    const std::lock_guard lock(mutex_);
    report_.errors += objects;
    report_.defective.push_back(pack);
  }
  bool stopped() const { return stop_.requested() || (options_.interrupted != nullptr && *options_.interrupted); }

  Repository& repository_;
  exec::Pool& pool_;
  const VerifyOptions& options_;
  exec::PerWorker<Scratch> scratch_;
  exec::Stop stop_;
  std::mutex mutex_;
  VerifyReport report_;
};

void Verification::verify_run(const PackId& pack, Run objects, exec::Worker& worker) {
  Scratch& mine = scratch_(worker);
  const std::string name = fmt::format("packs/{}", pack.hex());
  const std::uint64_t begin = objects.front()->offset;
  std::uint64_t end = begin;
  for (const auto* entry : objects) end = std::max(end, std::uint64_t{entry->offset} + entry->size);
  if (auto status = repository_.store().load_range(name, begin, end - begin, mine.run); !status) {
    const Code code = status.error().code();
    if (code == Code::NotFound || code == Code::Io) {
      for (const auto* entry : objects) {
        defect(pack, fmt::format("chunk {}, integrity error: {}", entry->id.hex(), status.error().text()));
      }
    } else {
      stop_.fail(std::move(status).error());
    }
    return;
  }
  for (const auto* entry : objects) {
    if (stopped()) return;
    const std::uint64_t at = entry->offset - begin;
    Status status;
    if (at + entry->size > mine.run.size()) {
      status = fail(Code::Integrity, "the pack ends before the object does");
    } else {
      const Bytes object = mine.run.view(static_cast<std::size_t>(at), entry->size);
      auto meta = mine.reader->read(object, entry->id, 0, Verify::Id, mine.plain);
      if (!meta) status = fail(std::move(meta).error());
    }
    if (!status) {
      const std::string_view kind =
          status.error().code() == Code::Decompression ? "Decompression error" : "Data integrity error";
      const std::string id = entry->id.hex();
      defect(pack, fmt::format("chunk {0}, integrity error: {1}: Chunk {0}: {2}", id, kind, status.error().message()));
    }
  }
}

// The objects of one pack, by offset.
void Verification::verify_pack(Run objects) {
  const auto pack = repository_.index().pack_name(objects.front()->pack);
  if (!pack) return;
  const auto info = repository_.store().info(fmt::format("packs/{}", pack->hex()));
  if (!info) {
    stop_.fail(info.error().clone());
    return;
  }
  if (!info->exists) {
    defect(*pack, fmt::format("pack {} is missing, {} chunks are lost.", pack->hex(), objects.size()), objects.size());
    return;
  }
  std::size_t first = 0;
  std::uint64_t end = 0;
  for (std::size_t i = 0; i <= objects.size(); ++i) {
    if (i < objects.size() && i > first) {
      const std::uint64_t offset = objects[i]->offset;
      const std::uint64_t last = std::max(end, offset + objects[i]->size);
      if (offset <= end + kLargestHole && last - objects[first]->offset <= kRunBytes) {
        end = last;
        continue;
      }
    }
    if (i > first) {
      pool_.submit(pool_.main_worker(), exec::Lane::Begin,
                   [this, pack = *pack, run = objects.subspan(first, i - first)](exec::Worker& worker) {
                     if (!stopped()) verify_run(pack, run, worker);
                   });
    }
    if (i < objects.size()) {
      first = i;
      end = std::uint64_t{objects[i]->offset} + objects[i]->size;
    }
  }
}

Result<VerifyReport> Verification::run() {
  log(Level::Info, kLogger, "Starting cryptographic data integrity verification...");
  Entries entries;
  entries.reserve(repository_.index().size());
  repository_.index().for_each([&](const ChunkIndex::Entry& entry) {
    if (entry.placed) entries.push_back(&entry);
  });
  std::ranges::sort(entries, [](const ChunkIndex::Entry* a, const ChunkIndex::Entry* b) {
    return std::tuple(a->pack, a->offset) < std::tuple(b->pack, b->offset);
  });
  for (std::size_t begin = 0; begin < entries.size() && !stopped();) {
    std::size_t end = begin + 1;
    while (end < entries.size() && entries[end]->pack == entries[begin]->pack) ++end;
    verify_pack(Run(entries).subspan(begin, end - begin));
    begin = end;
    if (options_.progress) options_.progress(end, entries.size());
  }
  pool_.drain();
  CAIRN_CHECKED(stop_.result());
  if (stopped()) return fail(Code::Interrupted, "Got Ctrl-C, the verification is not complete.");
  report_.objects = entries.size();
  std::ranges::sort(report_.defective);
  report_.defective.erase(std::ranges::unique(report_.defective).begin(), report_.defective.end());
  if (report_.errors > 0) {
    log(Level::Warning, kLogger,
        options_.repair ? "Found defect chunks, removing them from the repository."
                        : "Found defect chunks. Run with --repair to remove them.");
  }
  log(report_.errors > 0 ? Level::Error : Level::Info, kLogger,
      fmt::format("Finished cryptographic data integrity verification, verified {} chunks with {} integrity errors.",
                  report_.objects, report_.errors));
  return std::move(report_);
}

}  // namespace

Result<VerifyReport> verify_data(Repository& repository, exec::Pool& pool, const VerifyOptions& options) {
  return Verification(repository, pool, options).run();
}

}  // namespace cairn::repo

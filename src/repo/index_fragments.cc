#include "repo/index_fragments.h"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "base/log.h"
#include "exec/stop.h"
#include "repo/hash_table.h"
#include "repo/pack_walk.h"

namespace cairn::repo {
namespace {

constexpr std::size_t kRowSize = 80;
constexpr std::uint32_t kNewFlag = 0x01000000;  // what Borg writes; readers mask it
constexpr std::size_t kMaxFragmentRows = 400'000;
constexpr std::size_t kPartitionRows = 380'000;
constexpr std::size_t kSmallFragmentRows = 100'000;
constexpr std::size_t kManySmallFragments = 15;
constexpr std::uint64_t kMaxOffset = 0xffffffff;
constexpr std::string_view kLogger = "borg.repository";

std::string fragment_name(std::string_view key) { return fmt::format("index/{}", key); }

bool is_hash_name(std::string_view name) {
  std::array<std::byte, 32> raw;
  return from_hex(name, raw) && std::ranges::none_of(name, [](char c) { return c >= 'A' && c <= 'F'; });
}

}  // namespace

void append_row(const IndexRow& row, Buffer& rows) {
  const std::size_t at = rows.size();
  rows.resize(at + kRowSize);
  std::byte* out = rows.data() + at;
  std::memcpy(out, row.id.raw.data(), 32);
  store_le<std::uint32_t>(out + 32, kNewFlag);
  store_le<std::uint32_t>(out + 36, 0);  // the plaintext size is never stored
  std::memcpy(out + 40, row.location.pack.raw.data(), 32);
  store_le<std::uint32_t>(out + 72, row.location.offset);
  store_le<std::uint32_t>(out + 76, row.location.size);
}

Result<std::vector<std::string>> IndexFragments::list() {
  CAIRN_TRY(const auto entries, store_.list("index"));
  std::vector<std::string> names;
  for (const auto& entry : entries) names.push_back(fragment_name(entry.name));
  return names;
}

Result<Bytes> IndexFragments::read(const std::string& name, Buffer& payload) {
  Buffer envelope;
  CAIRN_CHECKED(store_.load(name, envelope));
  CAIRN_CHECKED(objects_.open_hashed("index", name, envelope, payload));
  auto view = decode_table(kChunkIndexLayout, payload);
  if (!view) return fail(std::move(view).error().at(name));
  return view;
}

Result<bool> IndexFragments::name_matches(const std::string& name) {
  CAIRN_TRY(const Digest256 digest, store_.hash(name));
  return fragment_name(digest.hex()) == name;
}

Result<IndexLoad> IndexFragments::load(ChunkIndex& index, BadFragments policy, exec::Pool& pool) {
  constexpr int kAttempts = 3;
  IndexLoad result;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    index.clear();
    result = {};
    CAIRN_TRY(const auto marker, store_.info(kInvalidMarker));
    CAIRN_TRY(const auto entries, store_.list("index"));
    std::uint64_t estimate = 0;
    for (const auto& entry : entries) {
      result.fragments.push_back(fragment_name(entry.name));
      estimate += entry.size / kRowSize;
    }
    if (marker.exists || entries.empty()) break;
    index.reserve(static_cast<std::size_t>(estimate));

    exec::Stop stop;
    std::mutex mutex;
    bool vanished = false;
    for (const auto& name : result.fragments) {
      pool.submit(pool.main_worker(), exec::Lane::Begin, [&, name](exec::Worker&) {
        if (stop.requested()) return;
        Buffer payload;
        auto rows = read(name, payload);
        if (rows) {
          index.insert_rows(*rows);
          return;
        }
        Error problem = std::move(rows).error();
        const std::lock_guard lock(mutex);
        if (problem.code() == Code::NotFound) {
          vanished = true;  // a concurrent repack; its entries are in a fragment that a new listing shows
        } else if (problem.code() == Code::Integrity) {
          log(Level::Debug, kLogger, problem.text());
          result.bad_fragments.push_back(name);
        } else {
          stop.fail(std::move(problem));
        }
      });
    }
    pool.drain();
    CAIRN_CHECKED(stop.result());
    if (vanished) continue;
    if (result.bad_fragments.empty()) return result;
    std::ranges::sort(result.bad_fragments);
    if (policy == BadFragments::Error) {
      return fail(Code::CorruptIndexFragment, result.bad_fragments.front().substr(std::string_view("index/").size()));
    }
    if (policy == BadFragments::Rebuild) {
      for (const auto& name : result.bad_fragments) {
        log(Level::Warning, kLogger, fmt::format("{} is corrupt, rebuilding the chunk index from the packs.", name));
      }
      break;
    }
    if (policy == BadFragments::LeaveOut) return result;
    for (const auto& name : result.bad_fragments) {
      log(Level::Warning, kLogger,
          fmt::format("Chunk index fragment {} is corrupt, its entries are read from the packs. "
                      "Run \"borg check --repair\" to rebuild the chunk index.",
                      name.substr(std::string_view("index/").size())));
    }
    CAIRN_CHECKED(walk_all(index, pool, true));
    return result;
  }
  result.rebuilt = true;
  if (policy == BadFragments::LeaveOut) {
    index.clear();
  } else {
    CAIRN_CHECKED(rebuild(index, pool));
  }
  return result;
}

Status IndexFragments::rebuild(ChunkIndex& index, exec::Pool& pool) {
  index.clear();
  return walk_all(index, pool, false);
}

// Finds objects by walking packs. With `only_uncovered`, packs whose bytes are all indexed already are left out.
Status IndexFragments::walk_all(ChunkIndex& index, exec::Pool& pool, bool only_uncovered) {
  std::unordered_map<PackId, std::uint64_t> covered;
  if (only_uncovered) {
    index.for_each([&](const ChunkIndex::Entry& entry) {
      if (const auto pack = index.pack_name(entry.pack)) covered[*pack] += entry.size;
    });
  }
  CAIRN_TRY(const auto packs, store_.list("packs"));
  exec::PerWorker<ObjectReader> readers(pool,
                                        [this] { return std::make_unique<ObjectReader>(suite_, material_, id_hash_); });
  exec::Stop stop;
  for (const auto& entry : packs) {
    const auto pack = PackId::from_hex(entry.name);
    if (!pack || !is_hash_name(entry.name)) continue;
    if (const auto found = covered.find(*pack); found != covered.end() && found->second == entry.size) continue;
    pool.submit(pool.main_worker(), exec::Lane::Begin, [&, pack = *pack, size = entry.size](exec::Worker& worker) {
      if (stop.requested()) return;
      const auto walked = walk_pack(store_, fmt::format("packs/{}", pack.hex()), 0, size, &readers(worker),
                                    [&](const WalkedObject& object) {
                                      if (only_uncovered && index.contains(object.id)) return;
                                      if (object.offset > kMaxOffset) return;  // no entry could name it
                                      index.insert(object.id, Location{pack, static_cast<std::uint32_t>(object.offset),
                                                                       static_cast<std::uint32_t>(object.size)});
                                    });
      if (!walked) {
        if (walked.error().code() == Code::NotFound) return;
        stop.fail(walked.error().clone());
      } else if (walked->damaged_ranges > 0) {
        log(Level::Warning, kLogger,
            fmt::format("Pack {}: {} bytes in {} ranges are no genuine objects, left out of the index.", pack.hex(),
                        walked->damaged_bytes, walked->damaged_ranges));
      }
    });
  }
  pool.drain();
  return stop.result();
}

Result<std::vector<std::string>> IndexFragments::write_rows(Bytes rows, bool under_marker) {
  const std::size_t total = rows.size() / kRowSize;
  std::vector<std::string> written;
  auto write_one = [&](Bytes part) -> Status {
    Buffer payload;
    encode_table(kChunkIndexLayout, part, payload);
    CAIRN_TRY(const StoreObjects::Hashed object, objects_.seal_hashed("index", payload));
    CAIRN_CHECKED(store_.put(object.name, object.envelope));
    written.push_back(object.name);
    return {};
  };
  if (total <= kMaxFragmentRows) {
    CAIRN_CHECKED(write_one(rows));
    return written;
  }
  // Several files that only together are the index: a crash in between must not leave a part that looks complete.
  if (under_marker) {
    CAIRN_CHECKED(store_.put(kInvalidMarker, {}));
    CAIRN_CHECKED(store_.sync());
  }
  const std::size_t parts = (total + kPartitionRows - 1) / kPartitionRows;
  const auto bits = static_cast<unsigned>(std::bit_width(parts - 1));
  std::vector<Buffer> partitions(std::size_t{1} << bits);
  for (std::size_t i = 0; i < total; ++i) {
    const std::uint32_t lead = load_be<std::uint32_t>(rows.data() + i * kRowSize);
    partitions[lead >> (32 - bits)].append(rows.subspan(i * kRowSize, kRowSize));
  }
  for (Buffer& partition : partitions) {
    for (std::size_t at = 0; at < partition.size(); at += kMaxFragmentRows * kRowSize) {
      CAIRN_CHECKED(write_one(partition.view(at, std::min(kMaxFragmentRows * kRowSize, partition.size() - at))));
    }
    partition = Buffer();
  }
  return written;
}

Status IndexFragments::write_new(Bytes rows) {
  if (rows.empty()) return {};
  CAIRN_TRY(const auto written, write_rows(rows, false));
  (void)written;
  return {};
}

Status IndexFragments::write_full(const ChunkIndex& index, const std::vector<std::string>& replaced) {
  Buffer rows;
  rows.reserve(index.size() * kRowSize);
  index.for_each([&](const ChunkIndex::Entry& entry) {
    if (!entry.placed) return;
    if (const auto pack = index.pack_name(entry.pack)) append_row({entry.id, {*pack, entry.offset, entry.size}}, rows);
  });
  CAIRN_TRY(const auto written, write_rows(rows, true));
  CAIRN_CHECKED(store_.sync());
  const std::unordered_set<std::string> keep(written.begin(), written.end());
  bool guarded = rows.size() / kRowSize > kMaxFragmentRows;
  for (const std::string& name : replaced) {
    if (keep.contains(name)) continue;
    if (!guarded) {
      CAIRN_CHECKED(store_.put(kInvalidMarker, {}));
      CAIRN_CHECKED(store_.sync());
      guarded = true;
    }
    if (auto status = store_.remove(name); !status && status.error().code() != Code::NotFound) return status;
  }
  CAIRN_CHECKED(store_.sync());
  if (auto status = store_.remove(kInvalidMarker); !status && status.error().code() != Code::NotFound) return status;
  return store_.sync();
}

Status IndexFragments::invalidate() {
  CAIRN_CHECKED(store_.put(kInvalidMarker, {}));
  CAIRN_CHECKED(store_.sync());
  CAIRN_TRY(const auto names, list());
  for (const auto& name : names) {
    if (auto status = store_.remove(name); !status && status.error().code() != Code::NotFound) return status;
  }
  CAIRN_CHECKED(store_.sync());
  return {};
}

Status IndexFragments::repack() {
  CAIRN_TRY(const auto marker, store_.info(kInvalidMarker));
  if (marker.exists) return {};
  CAIRN_TRY(const auto entries, store_.list("index"));
  std::vector<std::string> small;
  std::uint64_t sum = 0;
  for (const auto& entry : entries) {
    const std::uint64_t estimate = entry.size / kRowSize;
    if (estimate >= kSmallFragmentRows) continue;
    small.push_back(fragment_name(entry.name));
    sum += estimate;
  }
  if (small.size() < 2 || (sum < kSmallFragmentRows && small.size() <= kManySmallFragments)) return {};

  std::unordered_map<ChunkId, std::size_t> seen;
  Buffer merged;
  std::vector<std::string> sources;
  for (const auto& name : small) {  // ascending names: the last one wins, as in Borg
    Buffer payload;
    const auto fragment = read(name, payload);
    if (!fragment) continue;  // damaged or vanished: not ours to touch
    const Bytes rows = *fragment;
    sources.push_back(name);
    for (std::size_t at = 0; at < rows.size(); at += kRowSize) {
      const auto [found, inserted] = seen.try_emplace(ChunkId::copy(rows.data() + at), merged.size());
      if (inserted) {
        merged.append(rows.subspan(at, kRowSize));
      } else {
        std::memcpy(merged.data() + found->second, rows.data() + at, kRowSize);
      }
    }
  }
  if (sources.size() < 2) return {};
  CAIRN_TRY(const auto written, write_rows(merged, false));
  CAIRN_CHECKED(store_.sync());
  const std::unordered_set<std::string> keep(written.begin(), written.end());
  for (const auto& name : sources) {
    if (keep.contains(name)) continue;
    if (auto status = store_.remove(name); !status && status.error().code() != Code::NotFound) return status;
  }
  return {};
}

}  // namespace cairn::repo

#include "ops/export_tar.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "archive/stripped_path.h"
#include "ops/archives.h"
#include "ops/chunk_queue.h"
#include "tar/sparse_map.h"
#include "tar/writer.h"

namespace cairn::ops {
namespace {

// Items whose content is asked for while earlier ones are written.
constexpr std::size_t kMostEntries = 4096;
constexpr std::size_t kMostPieces = 65536;

class ExportTarRun {
 public:
  ExportTarRun(repo::Repository& repository, exec::Pool& pool, const ExportTarRequest& request,
               ExportTarObserver& observer)
      : repository_(repository),
        pool_(pool),
        request_(request),
        observer_(observer),
        chunks_(repository, pool, pool.main_worker(), request.verify, fetch_ahead_bytes(pool)) {}

  Status run(const archive::Metadata& metadata);

 private:
  // A part of a chunk that is to be written.
  struct Piece {
    archive::ChunkRef chunk;
    std::uint32_t from = 0, size = 0;
  };
  struct Entry {
    std::string path;
    Buffer head;
    std::vector<Piece> pieces;
    std::size_t asked = 0;  // of the pieces
    std::size_t padding = 0;
  };

  Status take(archive::Item&& item);
  void add_content(const archive::Item& item, tar::Member& member, Entry& entry);
  bool add_sparse_content(const archive::Item& item, const tar::Member& member, Entry& entry);
  void ask();
  Status write_entries(bool all);
  Status write_entry(Entry& entry);
  Status put(Bytes bytes) {
    written_ += bytes.size();
    return observer_.write(bytes);
  }
  Status stopping() const {
    if (request_.interrupted != nullptr && request_.interrupted->load(std::memory_order_relaxed)) {
      return fail(Code::Interrupted, "Got Ctrl-C / SIGINT.");
    }
    return {};
  }

  repo::Repository& repository_;
  exec::Pool& pool_;
  const ExportTarRequest& request_;
  ExportTarObserver& observer_;
  ChunkQueue chunks_;
  std::deque<Entry> entries_;
  std::size_t next_asked_ = 0;                              // of the entries: everything before is asked for
  std::size_t pieces_ = 0;                                  // in all entries
  std::unordered_map<Digest256, std::string> first_names_;  // of hard link groups
  std::uint64_t written_ = 0;
};

Status ExportTarRun::run(const archive::Metadata& metadata) {
  if (request_.want_progress) {
    std::uint64_t total = 0;
    auto counted = for_each_item(repository_, pool_, metadata, [&](archive::Item&& item) -> Status {
      if (request_.matcher->match(item.path).include) total += item.size.value_or(0);
      return stopping();
    });
    if (!counted) return counted;
    observer_.total(total);
  }
  CAIRN_CHECKED(
      for_each_item(repository_, pool_, metadata, [this](archive::Item&& item) { return take(std::move(item)); }));
  CAIRN_CHECKED(write_entries(true));
  Buffer end;
  tar::encode_end(written_, end);
  return put(end);
}

Status ExportTarRun::take(archive::Item&& item) {
  CAIRN_CHECKED(stopping());
  if (observer_.stopped()) return {};
  if (!request_.matcher->match(item.path).include) return {};
  const std::string path = archive::stripped_path(item.path, request_.strip_components);
  if (path.empty()) return {};
  tar::Member member;
  if (!make_member(item, path, request_.format, member)) {
    observer_.left_out(fmt::format("{}: unsupported file type {:o} for tar export", item.path, item.mode & S_IFMT));
    return {};
  }
  Entry entry;
  entry.path = item.path;
  const tar::Format format = request_.format == TarFormat::Gnu ? tar::Format::Gnu : tar::Format::Pax;
  bool is_link = false;
  if (member.type == tar::kRegular && item.hlid) {
    const auto [first, is_first] = first_names_.try_emplace(*item.hlid, path);
    // One path twice, by --strip-components, is no link to itself.
    if (!is_first && first->second != path) {
      is_link = true;
      member.type = tar::kHardLink;
      member.link = first->second;
    }
  }
  const bool has_content = member.type == tar::kRegular && item.chunks;
  if (!has_content || is_link || !request_.sparse || !add_sparse_content(item, member, entry)) {
    if (has_content) add_content(item, member, entry);
    tar::encode_member(member, format, entry.head);
  }
  if (request_.want_list) observer_.listed(item.path);
  pieces_ += entry.pieces.size();
  entries_.push_back(std::move(entry));
  return write_entries(false);
}

void ExportTarRun::add_content(const archive::Item& item, tar::Member& member, Entry& entry) {
  entry.pieces.reserve(item.chunks->size());
  for (const archive::ChunkRef& chunk : *item.chunks) {
    member.size += chunk.size;
    entry.pieces.push_back({.chunk = chunk, .from = 0, .size = chunk.size});
  }
  entry.padding = tar::padding(member.size);
}

// False if the file has no holes that are worth it.
bool ExportTarRun::add_sparse_content(const archive::Item& item, const tar::Member& member, Entry& entry) {
  std::vector<tar::DataRange> zeros;
  std::uint64_t size = 0;
  for (const archive::ChunkRef& chunk : *item.chunks) {
    if (repository_.id_hash().of_zeros(chunk.size) == chunk.id) {
      if (!zeros.empty() && zeros.back().offset + zeros.back().size == size) {
        zeros.back().size += chunk.size;
      } else {
        zeros.push_back({size, chunk.size});
      }
    }
    size += chunk.size;
  }
  if (zeros.empty()) return false;
  const tar::SparseMap map = tar::map_without_holes(zeros, size);
  const std::string text = tar::map_text(map);
  tar::Member sparse = member;
  sparse.size = text.size() + map.stored_bytes();
  if (sparse.size + tar::padding(sparse.size) >= size + tar::padding(size)) return false;
  tar::encode_sparse_member(sparse, size, entry.head);
  entry.head.append(bytes_of(text));
  entry.padding = tar::padding(sparse.size);
  // The parts of chunks that lie in data.
  std::uint64_t start = 0;
  auto range = map.data.begin();
  for (const archive::ChunkRef& chunk : *item.chunks) {
    const std::uint64_t end = start + chunk.size;
    while (range != map.data.end() && range->offset < end) {
      const std::uint64_t from = std::max(start, range->offset);
      const std::uint64_t to = std::min(end, range->offset + range->size);
      if (from < to) {
        entry.pieces.push_back({.chunk = chunk,
                                .from = static_cast<std::uint32_t>(from - start),
                                .size = static_cast<std::uint32_t>(to - from)});
      }
      if (range->offset + range->size > end) break;
      ++range;
    }
    start = end;
  }
  return true;
}

// As much as may be fetched ahead.
void ExportTarRun::ask() {
  for (; next_asked_ < entries_.size(); ++next_asked_) {
    Entry& entry = entries_[next_asked_];
    for (; entry.asked < entry.pieces.size(); ++entry.asked) {
      const archive::ChunkRef& chunk = entry.pieces[entry.asked].chunk;
      if (!chunks_.has_room(chunk.size)) return;
      chunks_.push(chunk);
    }
  }
}

Status ExportTarRun::write_entries(bool all) {
  while (!entries_.empty()) {
    ask();
    // Everything is asked for and there is room for more: the next item first.
    const bool wants_more = next_asked_ == entries_.size() && entries_.size() < kMostEntries && pieces_ < kMostPieces &&
                            !chunks_.empty() && chunks_.has_room(0);
    if (!all && wants_more) return {};
    Entry& entry = entries_.front();
    CAIRN_CHECKED(write_entry(entry));
    pieces_ -= entry.pieces.size();
    entries_.pop_front();
    if (next_asked_ > 0) --next_asked_;
  }
  return {};
}

Status ExportTarRun::write_entry(Entry& entry) {
  CAIRN_CHECKED(put(entry.head));
  std::uint64_t damaged = 0;
  for (std::size_t i = 0; i < entry.pieces.size(); ++i) {
    ask();
    CAIRN_CHECKED(stopping());
    const Piece& piece = entry.pieces[i];
    ChunkQueue::Chunk chunk = chunks_.pop();
    if (!chunk.plain) {
      const Error& error = chunk.plain.error();
      if (!is_missing_chunk(error) && !is_damaged_chunk(error)) return fail(std::move(chunk.plain).error());
      ++damaged;
      chunk.plain = zeros_for_bad_chunk(chunk.wanted, error);
    }
    if (request_.want_progress) observer_.progress(piece.size, entry.path);
    CAIRN_CHECKED(put(chunk.plain->view(piece.from, piece.size)));
    chunks_.give_back(std::move(*chunk.plain));
  }
  if (damaged > 0) observer_.warning(entry.path, damaged_chunks_warning(entry.path, damaged));
  static constexpr std::array<std::byte, tar::kBlock> kZeros{};
  return put(Bytes(kZeros).first(entry.padding));
}

}  // namespace

Status export_tar(repo::Repository& repository, exec::Pool& pool, const archive::Metadata& metadata,
                  const ExportTarRequest& request, ExportTarObserver& observer) {
  ExportTarRun run(repository, pool, request, observer);
  return run.run(metadata);
}

}  // namespace cairn::ops

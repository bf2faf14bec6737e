#include "ops/files_cache.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>

#include <fmt/format.h>

#include "base/fd.h"
#include "base/small_file.h"

namespace cairn::ops {
namespace {

// Header: magic[8], slots u64, entries u64, reserved u64, BLAKE3 of everything behind the header.
constexpr std::string_view kMagic = "CAIRNFC1";
constexpr std::size_t kHeaderSize = 64;
// Record: key[16] age u32 bsdflags u32 inode u64 size u64 ctime i64 mtime i64 chunks u32 digest bytes u32, then chunks
// (id[32] size u32) and digests (name length u8, name, value length u8, value), padded to 8 bytes.
// While a run lasts, kJustRead stands in the place of the age of what it has read.
constexpr std::uint32_t kJustRead = UINT32_MAX;
constexpr std::size_t kCtimeAt = 40, kMtimeAt = 48;
constexpr std::size_t kRecordFixed = 64;
constexpr std::size_t kChunkSize = 36;

std::size_t record_size(std::size_t chunks, std::size_t digest_bytes) {
  return (kRecordFixed + chunks * kChunkSize + digest_bytes + 7) / 8 * 8;
}
std::size_t record_size(const std::byte* record) {
  return record_size(load_le<std::uint32_t>(record + 56), load_le<std::uint32_t>(record + 60));
}

Nanoseconds signed_time(const std::byte* from) { return std::bit_cast<Nanoseconds>(load_le<std::uint64_t>(from)); }

// Slots hold the distance of a record from the first one, plus one.
std::vector<std::uint64_t> build_slots(Bytes records, std::size_t entries) {
  std::vector<std::uint64_t> slots(std::bit_ceil(std::max<std::size_t>(16, entries * 3 / 2)), 0);
  const std::size_t mask = slots.size() - 1;
  for (std::size_t at = 0; at < records.size(); at += record_size(records.data() + at)) {
    std::size_t slot = load_le<std::uint64_t>(records.data() + at) & mask;
    while (slots[slot] != 0) {
      // The same path twice: the later entry is the newer one.
      if (std::memcmp(records.data() + slots[slot] - 1, records.data() + at, 16) == 0) break;
      slot = (slot + 1) & mask;
    }
    slots[slot] = at + 1;
  }
  return slots;
}

}  // namespace

Result<FilesCacheMode> parse_files_cache_mode(std::string_view text) {
  struct Named {
    std::string_view name, short_name;
    FilesCacheMode mode;
  };
  static constexpr Named kModes[] = {
      {"ctime,size,inode", "cis", {true, false, true, true, true}},
      {"mtime,size,inode", "ims", {true, false, false, true, true}},
      {"ctime,size", "cs", {true, false, true, true, false}},
      {"mtime,size", "ms", {true, false, false, true, false}},
      {"rechunk,ctime", "cr", {true, true, true, false, false}},
      {"rechunk,mtime", "mr", {true, true, false, false, false}},
      {"disabled", "d", {false, false, true, false, false}},
  };
  auto sorted_parts = [](std::string_view list) {
    std::vector<std::string_view> parts;
    while (true) {
      const auto comma = list.find(',');
      parts.push_back(list.substr(0, comma));
      if (comma == std::string_view::npos) break;
      list.remove_prefix(comma + 1);
    }
    std::ranges::sort(parts);
    return parts;
  };
  auto sorted_letters = [](std::string_view letters) {
    std::string out(letters);
    std::ranges::sort(out);
    return out;
  };
  for (const Named& named : kModes) {
    if (sorted_parts(text) == sorted_parts(named.name)) return named.mode;
    if (sorted_letters(text) == sorted_letters(named.short_name)) return named.mode;
  }
  const bool looks_short = text.find(',') == std::string_view::npos && text.size() <= 3;
  return fail(Code::Usage, looks_short ? "cache mode short must be one of: cis, ims, cs, ms, cr, mr, d, s"
                                       : "cache mode must be a comma-separated list of: ctime, mtime, size, inode, "
                                         "rechunk, disabled");
}

PathKey path_key(const hash::Key256& secret, std::string_view stored_path) {
  const Digest256 digest = hash::blake3_keyed(secret, bytes_of(stored_path));
  PathKey key;
  std::memcpy(key.data(), digest.raw.data(), key.size());
  return key;
}

PathKey link_key(const hash::Key256& secret, const Digest256& hardlink_id) {
  // No stored path begins with a slash, so the two kinds of keys never meet.
  return path_key(secret, "/" + hardlink_id.hex());
}

struct FilesCache::Table {
  const std::byte* mapped = nullptr;
  std::size_t mapped_size = 0;
  Buffer own_records;  // when not mapped
  std::vector<std::uint64_t> own_slots;
  const std::byte* slots = nullptr;  // u64 little-endian
  std::size_t slot_count = 0;
  Bytes records;
  std::size_t entries = 0;
  std::unique_ptr<std::atomic<std::uint8_t>[]> seen;  // one per slot

  ~Table() {
    if (mapped != nullptr) ::munmap(const_cast<std::byte*>(mapped), mapped_size);
  }
  std::uint64_t slot(std::size_t i) const { return load_le<std::uint64_t>(slots + 8 * i); }
};

FilesCache::FilesCache() = default;
FilesCache::FilesCache(FilesCache&&) noexcept = default;
FilesCache& FilesCache::operator=(FilesCache&&) noexcept = default;
FilesCache::~FilesCache() = default;

std::size_t FilesCache::size() const { return table_ ? table_->entries : 0; }

std::optional<FilesCache> FilesCache::load(const std::string& path, const hash::Key256& secret) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat st{};
  if (!fd || ::fstat(fd.get(), &st) != 0 || st.st_size < static_cast<off_t>(kHeaderSize)) return std::nullopt;
  auto table = std::make_unique<Table>();
  table->mapped_size = static_cast<std::size_t>(st.st_size);
  void* mapped = ::mmap(nullptr, table->mapped_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd.get(), 0);
  if (mapped == MAP_FAILED) return std::nullopt;
  table->mapped = static_cast<const std::byte*>(mapped);
  const Bytes all(table->mapped, table->mapped_size);
  if (text_of(all.first(kMagic.size())) != kMagic) return std::nullopt;
  const auto slots = load_le<std::uint64_t>(all.data() + 8);
  const auto entries = load_le<std::uint64_t>(all.data() + 16);
  if (slots == 0 || !std::has_single_bit(slots) || slots > (all.size() - kHeaderSize) / 8 || entries >= slots) {
    return std::nullopt;
  }
  const Bytes body = all.subspan(kHeaderSize);
  const Digest256 expected = Digest256::copy(all.data() + 32);
  if (hash::blake3_keyed(secret, body) != expected) return std::nullopt;
  table->slots = body.data();
  table->slot_count = static_cast<std::size_t>(slots);
  table->entries = static_cast<std::size_t>(entries);
  table->records = body.subspan(table->slot_count * 8);
  table->seen = std::make_unique<std::atomic<std::uint8_t>[]>(table->slot_count);
  FilesCache cache;
  cache.table_ = std::move(table);
  return cache;
}

std::optional<CachedFile> FilesCache::find(const PathKey& key) const {
  if (!table_) return std::nullopt;
  const std::size_t mask = table_->slot_count - 1;
  std::size_t i = load_le<std::uint64_t>(key.data()) & mask;
  while (true) {
    const std::uint64_t slot = table_->slot(i);
    if (slot == 0) return std::nullopt;
    const std::byte* record = table_->records.data() + slot - 1;
    if (std::memcmp(record, key.data(), key.size()) == 0) {
      table_->seen[i].store(1, std::memory_order_relaxed);
      CachedFile file;
      file.facts = {.inode = load_le<std::uint64_t>(record + 24),
                    .size = load_le<std::uint64_t>(record + 32),
                    .ctime = signed_time(record + kCtimeAt),
                    .mtime = signed_time(record + kMtimeAt),
                    .bsdflags = load_le<std::uint32_t>(record + 20)};
      const std::uint32_t chunks = load_le<std::uint32_t>(record + 56);
      const std::uint32_t digest_bytes = load_le<std::uint32_t>(record + 60);
      file.chunks.resize(chunks);
      const std::byte* at = record + kRecordFixed;
      for (auto& chunk : file.chunks) {
        chunk = {.id = ChunkId::copy(at), .size = load_le<std::uint32_t>(at + 32)};
        at += kChunkSize;
      }
      const std::string_view texts = text_of(Bytes(at, digest_bytes));
      for (std::size_t p = 0; p < texts.size();) {
        const auto name = texts.substr(p + 1, static_cast<unsigned char>(texts[p]));
        p += 1 + name.size();
        const auto value = texts.substr(p + 1, static_cast<unsigned char>(texts[p]));
        p += 1 + value.size();
        file.digests.emplace_back(name, value);
      }
      return file;
    }
    i = (i + 1) & mask;
  }
}

void FilesCache::remember(const PathKey& key, const CachedFile& file, Origin origin) {
  std::size_t digest_bytes = 0;
  for (const auto& [name, value] : file.digests) digest_bytes += 2 + name.size() + value.size();
  const std::size_t at = remembered_.size();
  const std::size_t size = record_size(file.chunks.size(), digest_bytes);
  remembered_.resize(at + size);
  std::byte* record = remembered_.data() + at;
  std::memset(record + size - 8, 0, 8);  // the padding is hashed and must be the same each time
  std::memcpy(record, key.data(), key.size());
  store_le<std::uint32_t>(record + 16, origin == Origin::Read ? kJustRead : 0);
  store_le<std::uint32_t>(record + 20, file.facts.bsdflags);
  store_le<std::uint64_t>(record + 24, file.facts.inode);
  store_le<std::uint64_t>(record + 32, file.facts.size);
  store_le(record + kCtimeAt, std::bit_cast<std::uint64_t>(file.facts.ctime));
  store_le(record + kMtimeAt, std::bit_cast<std::uint64_t>(file.facts.mtime));
  store_le<std::uint32_t>(record + 56, static_cast<std::uint32_t>(file.chunks.size()));
  store_le<std::uint32_t>(record + 60, static_cast<std::uint32_t>(digest_bytes));
  std::byte* out = record + kRecordFixed;
  for (const auto& chunk : file.chunks) {
    std::memcpy(out, chunk.id.raw.data(), 32);
    store_le<std::uint32_t>(out + 32, chunk.size);
    out += kChunkSize;
  }
  auto put_text = [&out](const std::string& text) {
    *out++ = static_cast<std::byte>(text.size());
    std::memcpy(out, text.data(), text.size());
    out += text.size();
  };
  for (const auto& [name, value] : file.digests) {
    put_text(name);
    put_text(value);
  }
}

void FilesCache::adopt_remembered() {
  auto table = std::make_unique<Table>();
  table->own_records = std::move(remembered_);
  table->records = table->own_records.view();
  std::size_t entries = 0;
  for (std::size_t at = 0; at < table->records.size(); at += record_size(table->records.data() + at)) ++entries;
  table->own_slots = build_slots(table->records, entries);
  if constexpr (std::endian::native == std::endian::big) {
    for (auto& slot : table->own_slots) slot = std::byteswap(slot);
  }
  table->slots = std::as_bytes(std::span(table->own_slots)).data();
  table->slot_count = table->own_slots.size();
  table->entries = entries;
  table->seen = std::make_unique<std::atomic<std::uint8_t>[]>(table->slot_count);
  table_ = std::move(table);
}

Status FilesCache::save(const std::string& path, const hash::Key256& secret, const FilesCacheMode& mode,
                        Nanoseconds limit, unsigned keep_runs) const {
  Buffer records;
  std::size_t entries = 0;
  records.reserve(remembered_.size() + (table_ ? table_->records.size() / 4 : 0));
  if (table_) {
    for (std::size_t i = 0; i < table_->slot_count; ++i) {
      const std::uint64_t slot = table_->slot(i);
      if (slot == 0 || table_->seen[i].load(std::memory_order_relaxed) != 0) continue;
      const std::byte* record = table_->records.data() + slot - 1;
      const std::uint32_t age = load_le<std::uint32_t>(record + 16) + 1;
      if (age >= keep_runs) continue;
      const std::size_t at = records.size();
      records.append(Bytes(record, record_size(record)));
      store_le<std::uint32_t>(records.data() + at + 16, age);
      ++entries;
    }
  }
  for (std::size_t at = 0; at < remembered_.size();) {
    const std::byte* record = remembered_.data() + at;
    const std::size_t size = record_size(record);
    const std::size_t looked_at = mode.by_ctime ? kCtimeAt : kMtimeAt;
    const std::size_t other = mode.by_ctime ? kMtimeAt : kCtimeAt;
    at += size;
    const bool read = load_le<std::uint32_t>(record + 16) == kJustRead;
    if (read && signed_time(record + looked_at) >= limit) continue;
    const std::size_t copy = records.size();
    records.append(Bytes(record, size));
    store_le<std::uint32_t>(records.data() + copy + 16, 0);
    if (read && signed_time(record + other) >= limit) store_le<std::uint64_t>(records.data() + copy + other, 0);
    ++entries;
  }
  std::vector<std::uint64_t> slots = build_slots(records, entries);
  if constexpr (std::endian::native == std::endian::big) {
    for (auto& slot : slots) slot = std::byteswap(slot);
  }
  const Bytes slot_bytes = std::as_bytes(std::span(slots));
  hash::Blake3 hasher(secret);
  hasher.update(slot_bytes);
  hasher.update(records);
  std::array<std::byte, kHeaderSize> header{};
  std::memcpy(header.data(), kMagic.data(), kMagic.size());
  store_le<std::uint64_t>(header.data() + 8, slots.size());
  store_le<std::uint64_t>(header.data() + 16, entries);
  const Digest256 digest = hasher.finish();
  std::memcpy(header.data() + 32, digest.raw.data(), 32);

  const std::array<Bytes, 3> parts = {Bytes(header), slot_bytes, records.view()};
  return replace_file(path, parts, Synced::No);
}

bool FilesCache::unchanged(const FilesCacheMode& mode, const FileFacts& then, const FileFacts& now) {
  if (mode.rechunk) return false;
  if (mode.by_ctime ? then.ctime != now.ctime : then.mtime != now.mtime) return false;
  if (mode.by_size && then.size != now.size) return false;
  return !mode.by_inode || then.inode == now.inode;
}

}  // namespace cairn::ops

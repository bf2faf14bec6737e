#include "repo/reference_cache.h"

#include <algorithm>
#include <bit>
#include <string>

#include <fmt/format.h>

#include "base/log.h"
#include "repo/hash_table.h"

namespace cairn::repo {
namespace {

constexpr std::string_view kPrefix = "referenced-by-archive.";
constexpr std::size_t kCountsSize = 16;

std::string name_of(const ChunkId& archive) { return fmt::format("cache/{}{}", kPrefix, archive.hex()); }
std::uint64_t slot_hash(const std::byte* id) { return load_le<std::uint64_t>(id); }

}  // namespace

void ArchiveReferences::grow() {
  slots_.assign(std::bit_ceil(std::max<std::size_t>(64, (size() + 1) * 2)), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t number = 0; number < size(); ++number) {
    std::size_t slot = slot_hash(rows_.data() + number * kRowSize) & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::uint32_t>(number + 1);
  }
}

void ArchiveReferences::add(const ChunkId& id, std::uint32_t plain_size) {
  if (size() + 1 > slots_.size() / 4 * 3) grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = slot_hash(id.raw.data()) & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    if (std::memcmp(rows_.data() + (slots_[slot] - 1) * kRowSize, id.raw.data(), kTableKeySize) == 0) return;
  }
  const std::size_t at = rows_.size();
  slots_[slot] = static_cast<std::uint32_t>(at / kRowSize + 1);
  rows_.resize(at + kRowSize);
  std::memcpy(rows_.data() + at, id.raw.data(), kTableKeySize);
  store_le<std::uint32_t>(rows_.data() + at + kTableKeySize, plain_size);
}

void ArchiveReferences::for_each(const std::function<void(const ChunkId& id, std::uint32_t plain_size)>& visit) const {
  for (std::size_t at = 0; at < rows_.size(); at += kRowSize) {
    visit(ChunkId::copy(rows_.data() + at), load_le<std::uint32_t>(rows_.data() + at + kTableKeySize));
  }
}

void ArchiveReferences::encode(Buffer& out) const {
  const std::size_t at = out.size();
  out.resize(at + kCountsSize);
  store_le<std::uint64_t>(out.data() + at, items_);
  store_le<std::uint64_t>(out.data() + at + 8, content_bytes_);
  encode_table(kArchiveReferenceLayout, rows_, out);
}

Result<ArchiveReferences> ArchiveReferences::decode(Bytes payload) {
  if (payload.size() < kCountsSize) return fail(Code::Integrity, "shorter than its counts");
  ArchiveReferences references;
  references.items_ = load_le<std::uint64_t>(payload.data());
  references.content_bytes_ = load_le<std::uint64_t>(payload.data() + 8);
  CAIRN_TRY(const Bytes rows, decode_table(kArchiveReferenceLayout, payload.subspan(kCountsSize)));
  references.rows_.append(rows);
  return references;
}

Result<std::optional<ArchiveReferences>> load_references(store::Store& store, StoreObjects& objects,
                                                         const ChunkId& archive) {
  const std::string name = name_of(archive);
  Buffer envelope;
  if (auto status = store.load(name, envelope); !status) {
    if (status.error().code() == Code::NotFound) return std::nullopt;
    return fail(std::move(status).error());
  }
  auto ignore = [&](const Error& error) {
    log(Level::Warning, "borg.cache", fmt::format("Ignoring corrupted references cache of archive {}.", archive.hex()));
    log(Level::Debug, "borg.cache", error.text());
    return std::nullopt;
  };
  Buffer payload;
  if (auto status = objects.open_named(name, envelope, payload); !status) return ignore(status.error());
  auto references = ArchiveReferences::decode(payload);
  if (!references) return ignore(references.error());
  return std::move(*references);
}

Status save_references(store::Store& store, StoreObjects& objects, const ChunkId& archive,
                       const ArchiveReferences& references) {
  const std::string name = name_of(archive);
  Buffer payload;
  references.encode(payload);
  CAIRN_TRY(const Buffer envelope, objects.seal_named(name, payload));
  return store.put(name, envelope);
}

Result<std::size_t> remove_other_references(store::Store& store, const std::function<bool(const ChunkId&)>& wanted) {
  CAIRN_TRY(const auto names, store.list_names("cache"));
  std::size_t removed = 0;
  for (const std::string& name : names) {
    if (!name.starts_with(kPrefix)) continue;
    const auto archive = ChunkId::from_hex(std::string_view(name).substr(kPrefix.size()));
    if (archive && wanted(*archive)) continue;
    if (auto status = store.remove("cache/" + name); !status && status.error().code() != Code::NotFound) {
      return fail(std::move(status).error());
    }
    ++removed;
  }
  return removed;
}

}  // namespace cairn::repo

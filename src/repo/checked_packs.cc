#include "repo/checked_packs.h"

#include <fmt/format.h>

#include "base/log.h"
#include "repo/hash_table.h"

namespace cairn::repo {
namespace {

constexpr std::string_view kName = "cache/checked-packs";
constexpr std::size_t kRowSize = kTableKeySize + 9;

}  // namespace

Status CheckedPacks::load() {
  records_.clear();
  Buffer envelope;
  if (auto status = store_.load(kName, envelope); !status) {
    if (status.error().code() == Code::NotFound) return {};
    return status;
  }
  auto ignore = [](const Error& error) -> Status {
    log(Level::Warning, "borg.repository", fmt::format("Ignoring corrupted {}: {}", kName, error.text()));
    return {};
  };
  Buffer payload;
  if (auto status = objects_.open_named(kName, envelope, payload); !status) return ignore(status.error());
  const auto rows = decode_table(kCheckedPacksLayout, payload);
  if (!rows) return ignore(rows.error());
  for (std::size_t at = 0; at < rows->size(); at += kRowSize) {
    const std::byte* row = rows->data() + at;
    records_[PackId::copy(row)] = {.timestamp = load_le<std::uint64_t>(row + kTableKeySize),
                                   .intact = std::to_integer<int>(row[kTableKeySize + 8]) == 1};
  }
  return {};
}

Status CheckedPacks::save() {
  if (records_.empty()) {
    if (auto status = store_.remove(kName); !status && status.error().code() != Code::NotFound) return status;
    return {};
  }
  Buffer rows;
  rows.reserve(records_.size() * kRowSize);
  for (const auto& [pack, record] : records_) {
    const std::size_t at = rows.size();
    rows.resize(at + kRowSize);
    std::byte* row = rows.data() + at;
    std::memcpy(row, pack.raw.data(), kTableKeySize);
    store_le<std::uint64_t>(row + kTableKeySize, record.timestamp);
    row[kTableKeySize + 8] = std::byte{record.intact};
  }
  Buffer payload;
  encode_table(kCheckedPacksLayout, rows, payload);
  CAIRN_TRY(const Buffer envelope, objects_.seal_named(kName, payload));
  return store_.put(kName, envelope);
}

std::optional<PackRecord> CheckedPacks::find(const PackId& pack) const {
  const auto found = records_.find(pack);
  return found == records_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace cairn::repo

#include "ops/space_reserve.h"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/buffer.h"
#include "crypt/key_material.h"

namespace cairn::ops {
namespace {

std::string name_of_block(std::uint64_t number) { return fmt::format("config/space-reserve.{}", number); }

Result<std::vector<store::Entry>> blocks(store::Store& store) {
  CAIRN_TRY(auto entries, store.list("config"));
  std::erase_if(entries, [](const store::Entry& entry) { return !entry.name.starts_with("space-reserve."); });
  return entries;
}

}  // namespace

Result<std::uint64_t> reserved_space(store::Store& store) {
  CAIRN_TRY(const auto entries, blocks(store));
  std::uint64_t sum = 0;
  for (const store::Entry& entry : entries) sum += entry.size;
  return sum;
}

Result<std::uint64_t> reserve_space(store::Store& store, std::uint64_t bytes) {
  const std::uint64_t count = bytes / kReserveBlock + (bytes % kReserveBlock != 0 ? 1 : 0);
  Buffer block;
  for (std::uint64_t number = 0; number < count; ++number) {
    const std::string name = name_of_block(number);
    CAIRN_TRY(const store::Info info, store.info(name));
    if (info.exists && info.size == kReserveBlock) continue;
    // Random, so that no file system can compress it or share it between blocks.
    block.resize(kReserveBlock);
    crypt::random_bytes(block.span());
    CAIRN_CHECKED(store.put(name, block));
  }
  CAIRN_CHECKED(store.sync());
  return reserved_space(store);
}

Result<std::uint64_t> free_reserved_space(store::Store& store) {
  CAIRN_TRY(const auto entries, blocks(store));
  std::uint64_t freed = 0;
  for (const store::Entry& entry : entries) {
    CAIRN_CHECKED(store.remove("config/" + entry.name));
    freed += entry.size;
  }
  CAIRN_CHECKED(store.sync());
  return freed;
}

}  // namespace cairn::ops

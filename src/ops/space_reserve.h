// Space that a repository holds back: objects of random bytes, to be deleted when the disk is full.
//
// No lock is taken, as a full disk has no place for one.
// Errors    those of the store. Source: docs/format (archive, section 18).
#pragma once

#include <cstdint>

#include "base/error.h"
#include "store/store.h"

namespace cairn::ops {

constexpr std::uint64_t kReserveBlock = std::uint64_t{64} << 20U;

Result<std::uint64_t> reserved_space(store::Store& store);
// Adds blocks until at least `bytes` are reserved; says how much there is then.
Result<std::uint64_t> reserve_space(store::Store& store, std::uint64_t bytes);
Result<std::uint64_t> free_reserved_space(store::Store& store);  // how much there was

}  // namespace cairn::ops

// Names of objects, and the remembered names of zero runs.
#include "hash/id_hash.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

namespace cairn::hash {
namespace {

constexpr std::size_t kZeroPiece = 128 * 1024;
alignas(64) constinit const std::array<std::byte, kZeroPiece> zero_piece{};

// Sparse files mostly give runs of one size (the largest chunk) and a few last ones.
constexpr std::size_t kMostRemembered = 256;

}  // namespace

struct IdHash::ZeroIds {
  std::shared_mutex mutex;
  std::unordered_map<std::size_t, ChunkId> by_size;  // guarded by mutex
};

IdHash::IdHash(IdHashKind kind, const Key256& id_key) : kind_(kind), key_(id_key), zeros_(std::make_unique<ZeroIds>()) {
  if (kind == IdHashKind::Sha256) hmac_ = std::make_unique<HmacSha256>(Bytes(key_));
}

IdHash::IdHash(IdHash&& other) noexcept
    : kind_(other.kind_), key_(other.key_), hmac_(std::move(other.hmac_)), zeros_(std::move(other.zeros_)) {
  OPENSSL_cleanse(other.key_.data(), other.key_.size());
}

IdHash& IdHash::operator=(IdHash&& other) noexcept {
  if (this == &other) return *this;
  kind_ = other.kind_;
  key_ = other.key_;
  hmac_ = std::move(other.hmac_);
  zeros_ = std::move(other.zeros_);
  OPENSSL_cleanse(other.key_.data(), other.key_.size());
  return *this;
}

IdHash::~IdHash() { OPENSSL_cleanse(key_.data(), key_.size()); }

ChunkId IdHash::operator()(Bytes plaintext, const exec::Spare& spare) const {
  if (kind_ == IdHashKind::Sha256) return ChunkId{(*hmac_)({plaintext}).raw};
  return ChunkId{blake3_keyed(key_, plaintext, spare).raw};
}

ChunkId IdHash::of_zeros(std::size_t size) const {
  {
    const std::shared_lock lock(zeros_->mutex);
    const auto found = zeros_->by_size.find(size);
    if (found != zeros_->by_size.end()) return found->second;
  }
  ChunkId id;
  if (kind_ == IdHashKind::Sha256) {
    std::vector<Bytes> pieces(size / kZeroPiece, Bytes(zero_piece));
    pieces.push_back(Bytes(zero_piece).first(size % kZeroPiece));
    id.raw = (*hmac_)(std::span<const Bytes>(pieces)).raw;
  } else {
    Blake3 running(key_);
    for (std::size_t left = size; left > 0;) {
      const std::size_t take = std::min(left, kZeroPiece);
      running.update(Bytes(zero_piece).first(take));
      left -= take;
    }
    id.raw = running.finish().raw;
  }
  const std::unique_lock lock(zeros_->mutex);
  if (zeros_->by_size.size() >= kMostRemembered) zeros_->by_size.clear();
  zeros_->by_size.emplace(size, id);
  return id;
}

}  // namespace cairn::hash

// The tree above the kernels: one-shot hashing by halves, splitting over idle workers, and the incremental form.
//
// A list of chaining values joined pair by pair, the odd one carried over, level after level, has the shape that BLAKE3
// asks for: every left subtree is a full one. Two lists may be joined the same way if the left one has a power of
// two entries and the right one has no more than that.
#include "hash/blake3.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <vector>

#include "base/check.h"
#include "cpu/features.h"
#include "hash/kernels/blake3_many.h"

namespace cairn::hash {
namespace {

constexpr std::size_t kChunk = kBlake3ChunkBytes;
constexpr std::size_t kBlock = kBlake3BlockBytes;
constexpr std::size_t kCv = kBlake3CvBytes;

// Longest list of chaining values that one call hands up; twice the widest kernel, so that joins fill its lanes.
constexpr std::size_t kListLength = 32;
// Smallest part worth another thread: some 10 microseconds of work, a few times the cost of waking a parked one.
constexpr std::size_t kLeastPart = 64 * 1024;
// Parts per thread, so that a thread that comes late or is slow costs a quarter of its share at most.
constexpr std::size_t kPartsPerThread = 4;

std::atomic<std::size_t> split_threshold{256 * 1024};

const Blake3Many& kernel() {
  static const Blake3Many& chosen = []() -> const Blake3Many& {
    const Result<const Blake3Many*> found = cpu::select(blake3_manys(), "blake3_many");
    CAIRN_CHECK(found, "no kernel for BLAKE3; check_kernels() reports this");
    return **found;
  }();
  return chosen;
}

struct Node {  // what makes the chaining values of one hash differ from another's
  const std::uint32_t* key;
  std::uint8_t flags;
};

void load_key(const Key256& key, std::uint32_t words[8]) {
  for (std::size_t i = 0; i < 8; ++i) words[i] = load_le<std::uint32_t>(key.data() + 4 * i);
}

Digest256 digest_of(const std::uint32_t cv[8]) {
  Digest256 digest;
  for (std::size_t i = 0; i < 8; ++i) store_le(digest.raw.data() + 4 * i, cv[i]);
  return digest;
}

// Joins pairs in place; returns how many remain.
std::size_t join_pairs(std::byte* cvs, std::size_t count, Node node) {
  kernel().parents(cvs, count / 2, node.key, node.flags, cvs);
  if (count % 2 != 0) std::memcpy(cvs + count / 2 * kCv, cvs + (count - 1) * kCv, kCv);
  return (count + 1) / 2;
}

void join_down_to(std::size_t wanted, std::byte* cvs, std::size_t count, Node node) {
  while (count > wanted) count = join_pairs(cvs, count, node);
}

Digest256 root_of(const std::byte* two_cvs, Node node) {
  std::uint32_t cv[8];
  std::memcpy(cv, node.key, sizeof cv);
  kernel().compress(cv, two_cvs, kBlock, 0, node.flags | kBlake3Parent | kBlake3Root);
  return digest_of(cv);
}

// The largest full subtree that leaves something to its right. length > kChunk.
std::size_t left_length(std::size_t length) { return std::bit_floor((length - 1) / kChunk) * kChunk; }

// Chaining values of the subtree over `input`, at most kListLength and, for more than one chunk, at least two of
// them; `out` has room for twice kListLength.
std::size_t subtree_list(Bytes input, std::uint64_t counter, Node node, std::byte* out) {
  if (input.size() <= kListLength * kChunk) {
    kernel().chunks(input.data(), input.size(), node.key, counter, node.flags, out);
    return (input.size() + kChunk - 1) / kChunk;
  }
  const std::size_t left = left_length(input.size());
  const std::size_t left_count = subtree_list(input.first(left), counter, node, out);
  std::byte right[2 * kListLength * kCv];
  const std::size_t right_count = subtree_list(input.subspan(left), counter + left / kChunk, node, right);
  std::memcpy(out + left_count * kCv, right, right_count * kCv);
  return join_pairs(out, left_count + right_count, node);
}

// The one chaining value of a subtree that is not the root.
void subtree_cv(Bytes input, std::uint64_t counter, Node node, std::byte* out) {
  std::byte list[2 * kListLength * kCv];
  const std::size_t count = subtree_list(input, counter, node, list);
  join_down_to(1, list, count, node);
  std::memcpy(out, list, kCv);
}

Digest256 single_chunk(Bytes input, Node node) {
  std::uint32_t cv[8];
  std::memcpy(cv, node.key, sizeof cv);
  std::uint8_t start = kBlake3ChunkStart;
  while (input.size() > kBlock) {
    kernel().compress(cv, input.data(), kBlock, 0, node.flags | start);
    input = input.subspan(kBlock);
    start = 0;
  }
  std::byte block[kBlock] = {};
  if (!input.empty()) std::memcpy(block, input.data(), input.size());
  kernel().compress(cv, block, static_cast<std::uint32_t>(input.size()), 0,
                    static_cast<std::uint8_t>(node.flags | start | kBlake3ChunkEnd | kBlake3Root));
  return digest_of(cv);
}

Digest256 split(Bytes input, Node node, const exec::Spare& spare, std::size_t part_bytes) {
  const std::size_t parts = (input.size() + part_bytes - 1) / part_bytes;
  std::vector<std::byte> cvs(parts * kCv);
  spare.run(parts, [&](std::size_t part) {
    const std::size_t from = part * part_bytes;
    subtree_cv(input.subspan(from, std::min(part_bytes, input.size() - from)), from / kChunk, node,
               cvs.data() + part * kCv);
  });
  join_down_to(2, cvs.data(), parts, node);
  return root_of(cvs.data(), node);
}

Digest256 one_shot(Bytes input, Node node, const exec::Spare& spare) {
  if (input.size() <= kChunk) return single_chunk(input, node);
  if (input.size() > kLeastPart && input.size() >= split_threshold.load(std::memory_order_relaxed)) {
    if (const std::size_t helpers = spare.helpers(); helpers > 0) {
      const std::size_t share = input.size() / ((helpers + 1) * kPartsPerThread);
      return split(input, node, spare, std::max(kLeastPart, std::bit_floor(share)));
    }
  }
  std::byte list[2 * kListLength * kCv];
  const std::size_t count = subtree_list(input, 0, node, list);
  join_down_to(2, list, count, node);
  return root_of(list, node);
}

}  // namespace

Status check_kernels() {
  const Result<const Blake3Many*> found = cpu::select(blake3_manys(), "blake3_many");
  if (!found) return fail(found.error().clone());
  return {};
}

void set_blake3_split_threshold(std::size_t bytes) { split_threshold.store(bytes, std::memory_order_relaxed); }

Digest256 blake3(Bytes input, const exec::Spare& spare) { return one_shot(input, Node{kBlake3Iv, 0}, spare); }

Digest256 blake3_keyed(const Key256& key, Bytes input, const exec::Spare& spare) {
  std::uint32_t words[8];
  load_key(key, words);
  const Digest256 digest = one_shot(input, Node{words, kBlake3Keyed}, spare);
  OPENSSL_cleanse(words, sizeof words);
  return digest;
}

Blake3::Blake3() : state_{} {
  std::memcpy(state_.key, kBlake3Iv, sizeof state_.key);
  std::memcpy(state_.cv, kBlake3Iv, sizeof state_.cv);
}

Blake3::Blake3(const Key256& key) : state_{} {
  load_key(key, state_.key);
  std::memcpy(state_.cv, state_.key, sizeof state_.cv);
  state_.flags = kBlake3Keyed;
}

Blake3::~Blake3() { OPENSSL_cleanse(&state_, sizeof state_); }

// Takes the chaining value of a finished subtree and joins what it completes. The caller has more input, so that none
// of these joins is the root's.
void Blake3::push(const std::byte* cv, std::uint64_t chunks) {
  std::memcpy(state_.stack[state_.stack_size++], cv, kCv);
  state_.chunk_counter += chunks;
  while (state_.stack_size > std::popcount(state_.chunk_counter)) {
    std::byte* const pair = state_.stack[state_.stack_size - 2];
    kernel().parents(pair, 1, state_.key, state_.flags, pair);
    --state_.stack_size;
  }
}

void Blake3::update(Bytes input) {
  // A full block or chunk is closed only when more input is there; finish() needs the last ones open.
  while (!input.empty()) {
    const std::size_t in_chunk = state_.blocks_compressed * kBlock + state_.block_length;
    if (in_chunk == 0 && input.size() > kChunk) {
      // Straight from the input: the largest full subtree that its length and the place in the tree allow.
      std::uint64_t chunks = left_length(input.size()) / kChunk;
      if (state_.chunk_counter != 0) {
        chunks = std::min(chunks, std::uint64_t{1} << static_cast<unsigned>(std::countr_zero(state_.chunk_counter)));
      }
      const Bytes subtree = input.first(static_cast<std::size_t>(chunks) * kChunk);
      std::byte cv[kCv];
      subtree_cv(subtree, state_.chunk_counter, Node{state_.key, state_.flags}, cv);
      push(cv, chunks);
      input = input.subspan(subtree.size());
      continue;
    }
    if (state_.block_length == kBlock) {
      const bool full_chunk = in_chunk == kChunk;
      const unsigned start = state_.blocks_compressed == 0 ? kBlake3ChunkStart : 0U;
      const unsigned end = full_chunk ? kBlake3ChunkEnd : 0U;
      kernel().compress(state_.cv, state_.block, kBlock, state_.chunk_counter,
                        static_cast<std::uint8_t>(state_.flags | start | end));
      state_.block_length = 0;
      ++state_.blocks_compressed;
      if (full_chunk) {
        const Digest256 cv = digest_of(state_.cv);
        push(cv.raw.data(), 1);
        std::memcpy(state_.cv, state_.key, sizeof state_.cv);
        state_.blocks_compressed = 0;
        continue;
      }
    }
    const std::size_t take = std::min(input.size(), kBlock - state_.block_length);
    std::memcpy(state_.block + state_.block_length, input.data(), take);
    state_.block_length = static_cast<std::uint8_t>(state_.block_length + take);
    input = input.subspan(take);
  }
}

Digest256 Blake3::finish() const {
  std::uint32_t cv[8];
  std::memcpy(cv, state_.cv, sizeof cv);
  std::byte block[kBlock] = {};
  std::memcpy(block, state_.block, state_.block_length);
  const unsigned start = state_.blocks_compressed == 0 ? kBlake3ChunkStart : 0U;
  const unsigned root = state_.stack_size == 0 ? kBlake3Root : 0U;
  kernel().compress(cv, block, state_.block_length, state_.chunk_counter,
                    static_cast<std::uint8_t>(state_.flags | start | kBlake3ChunkEnd | root));
  for (std::size_t i = state_.stack_size; i-- > 0;) {
    std::memcpy(block, state_.stack[i], kCv);
    for (std::size_t word = 0; word < 8; ++word) store_le(block + kCv + 4 * word, cv[word]);
    std::memcpy(cv, state_.key, sizeof cv);
    const unsigned last = i == 0 ? kBlake3Root : 0U;
    kernel().compress(cv, block, kBlock, 0, static_cast<std::uint8_t>(state_.flags | kBlake3Parent | last));
  }
  return digest_of(cv);
}

}  // namespace cairn::hash

// BLAKE3 of one block with the rows of the state as vectors of four words.
//
// A set offers L as for blake3_lanes.h with four lanes, and in it
//   turn<n>(a)      word i of the result is word (i + n) mod 4 of a
//   store(out, a)
// and a type Message with load(block) and take<round>(x, y, u, v): the words that the four columns (x, y) and the four
// diagonals (u, v) of that round take, rounds in order. u and v come turned by three places, because the diagonal step
// turns rows a, c and d and leaves b, which is ready last, where it is.
#pragma once

#include "hash/kernels/blake3_lanes.h"

namespace cairn::hash {
namespace {

template <class L, class W = typename L::Word>
CAIRN_INLINE void half_round(W& a, W& b, W& c, W& d, W first, W second) {
  a = L::add(L::add(a, first), b);
  d = L::rotr16(L::exclusive_or(d, a));
  c = L::add(c, d);
  b = L::rotr12(L::exclusive_or(b, c));
  a = L::add(L::add(a, second), b);
  d = L::rotr8(L::exclusive_or(d, a));
  c = L::add(c, d);
  b = L::rotr7(L::exclusive_or(b, c));
}

template <class L, class Message, int kRound, class W = typename L::Word>
CAIRN_INLINE void row_round(W& a, W& b, W& c, W& d, Message& message) {
  W x, y, u, v;
  message.template take<kRound>(x, y, u, v);
  half_round<L>(a, b, c, d, x, y);
  a = L::template turn<3>(a);
  c = L::template turn<1>(c);
  d = L::template turn<2>(d);
  half_round<L>(a, b, c, d, u, v);
  a = L::template turn<1>(a);
  c = L::template turn<3>(c);
  d = L::template turn<2>(d);
}

template <class L, class Message>
CAIRN_INLINE void compress_row(std::uint32_t* cv, const std::byte* block, std::uint32_t length, std::uint64_t counter,
                               std::uint8_t flags) {
  using W = typename L::Word;
  const std::uint32_t last_row[4] = {static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32U),
                                     length, flags};
  W a = L::load(cv);
  W b = L::load(cv + 4);
  W c = L::load(kBlake3Iv);
  W d = L::load(last_row);
  Message message = Message::load(block);
  row_round<L, Message, 0>(a, b, c, d, message);
  row_round<L, Message, 1>(a, b, c, d, message);
  row_round<L, Message, 2>(a, b, c, d, message);
  row_round<L, Message, 3>(a, b, c, d, message);
  row_round<L, Message, 4>(a, b, c, d, message);
  row_round<L, Message, 5>(a, b, c, d, message);
  row_round<L, Message, 6>(a, b, c, d, message);
  L::store(cv, L::exclusive_or(a, c));
  L::store(cv + 4, L::exclusive_or(b, d));
}

}  // namespace
}  // namespace cairn::hash

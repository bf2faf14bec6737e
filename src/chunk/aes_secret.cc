#include "chunk/aes_secret.h"

#include <openssl/crypto.h>

#include <utility>

#include "chunk/aes_key_schedule.h"
#include "chunk/kernels/aes_digest.h"
#include "chunk/key_stream.h"
#include "chunk/tables.h"

namespace cairn::chunk {
namespace {

using kernels::Wide;

// A chunker's secret numbers, after the AES key, which comes first.
template <class Digest>
class Stream {
 public:
  Stream(const Keys& keys, Algorithm algorithm, kernels::AesSecret<Digest>& secret)
      : key_(chunker_key(keys, algorithm)), stream_(key_) {
    AesKey aes_key;
    stream_.fill(aes_key);
    expand_aes_key(aes_key, secret.round_keys);
    OPENSSL_cleanse(aes_key.data(), aes_key.size());
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { OPENSSL_cleanse(key_.data(), key_.size()); }

  std::uint64_t next() { return stream_.next_u64(); }

 private:
  hash::Key256 key_;
  KeyStream stream_;
};

// Polynomials over GF(2): the bits of a number are the coefficients.
int degree(Wide a) {
  int result = -1;
  for (; a != 0; a >>= 1U) ++result;
  return result;
}

Wide remainder(Wide a, Wide by) {
  const int low = degree(by);
  for (int high = degree(a); high >= low; high = degree(a)) a ^= by << static_cast<unsigned>(high - low);
  return a;
}

std::uint64_t times_x(std::uint64_t a, std::uint64_t low) { return (a << 1U) ^ ((a >> 63U) != 0 ? low : 0); }

std::uint64_t times_power_of_x(std::uint64_t a, int power, std::uint64_t low) {
  for (int i = 0; i < power; ++i) a = times_x(a, low);
  return a;
}

// a * a modulo x^64 + low: the coefficients of `a` at even powers, from the top down.
std::uint64_t square(std::uint64_t a, std::uint64_t low) {
  std::uint64_t result = 0;
  for (unsigned bit = 64; bit-- > 0;) result = times_power_of_x(result, 2, low) ^ ((a >> bit) & 1U);
  return result;
}

}  // namespace

// By Rabin's test; 2 is the only prime factor of 64.
bool is_irreducible(std::uint64_t low) {
  constexpr std::uint64_t x = 2;
  std::uint64_t power = x;
  for (int i = 0; i < 32; ++i) power = square(power, low);
  Wide a = (Wide{1} << 64U) | low;
  Wide b = power ^ x;
  while (b != 0) a = std::exchange(b, remainder(a, b));
  if (a != 1) return false;
  for (int i = 0; i < 32; ++i) power = square(power, low);
  return power == x;
}

kernels::AesSecret<kernels::ToeplitzDigest> toeplitz_secret(const Keys& keys) {
  constexpr std::uint64_t public_polynomial = 0x1b;
  kernels::AesSecret<kernels::ToeplitzDigest> secret;
  Stream stream(keys, Algorithm::ToeplitzAes, secret);
  Table<std::uint64_t> table;
  for (std::uint64_t& entry : table) entry = stream.next();
  kernels::set_lookup_table(secret.digest.in, table.data());
  for (std::uint64_t& entry : table) entry = times_power_of_x(entry, 64, public_polynomial);
  kernels::set_lookup_table(secret.digest.out, table.data());
  OPENSSL_cleanse(table.data(), sizeof table);
  return secret;
}

kernels::AesSecret<kernels::RabinDigest> rabin_secret(const Keys& keys) {
  kernels::AesSecret<kernels::RabinDigest> secret;
  Stream stream(keys, Algorithm::RabinAes, secret);
  std::uint64_t low = stream.next() | 1U;
  while (!is_irreducible(low)) low = stream.next() | 1U;
  secret.digest.polynomial = low;
  for (std::size_t b = 0; b < 256; ++b) {
    secret.digest.top[b] = times_power_of_x(b, 64, low);
    secret.digest.out[b] = times_power_of_x(secret.digest.top[b], 512 - 64, low);
  }
  return secret;
}

kernels::AesSecret<kernels::GoldilocksDigest> goldilocks_secret(const Keys& keys) {
  kernels::AesSecret<kernels::GoldilocksDigest> secret;
  Stream stream(keys, Algorithm::GoldilocksAes, secret);
  std::uint64_t factor = stream.next();
  while (factor >= kernels::kGoldilocks) factor = stream.next();
  secret.digest.factor = factor;
  std::uint64_t power = 1;
  for (std::size_t i = 0; i < kernels::kAesWindow; ++i) {
    power = kernels::reduce_mod(kernels::multiply_mod(power, factor));
  }
  for (std::size_t b = 0; b < 256; ++b) {
    const std::uint64_t product = kernels::reduce_mod(kernels::multiply_mod(power, b));
    secret.digest.out[b] = product == 0 ? 0 : kernels::kGoldilocks - product;
  }
  return secret;
}

}  // namespace cairn::chunk

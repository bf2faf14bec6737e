// Digests by name: BLAKE3 is our own, all others are OpenSSL's.
#include "hash/digest.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/check.h"
#include "hash/blake3.h"

namespace cairn::hash {
namespace {

constexpr std::array<std::string_view, 13> kNames = {"blake2b",  "blake2s",  "blake3", "md5",      "sha1",
                                                     "sha224",   "sha256",   "sha384", "sha3_224", "sha3_256",
                                                     "sha3_384", "sha3_512", "sha512"};
// In the order of kNames; null is our own.
constexpr std::array<const char*, 13> kMethodNames = {"BLAKE2B-512", "BLAKE2S-256", nullptr,    "MD5",      "SHA1",
                                                      "SHA2-224",    "SHA2-256",    "SHA2-384", "SHA3-224", "SHA3-256",
                                                      "SHA3-384",    "SHA3-512",    "SHA2-512"};
static_assert(std::is_sorted(kNames.begin(), kNames.end()));

// Fetched once and kept: a fetch costs as much as hashing some kilobytes.
const std::array<EVP_MD*, kNames.size()>& methods() {
  static const std::array<EVP_MD*, kNames.size()> fetched = [] {
    std::array<EVP_MD*, kNames.size()> all{};
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (kMethodNames[i] != nullptr) all[i] = EVP_MD_fetch(nullptr, kMethodNames[i], nullptr);
    }
    return all;
  }();
  return fetched;
}

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

}  // namespace

// Exactly one of the two is there.
struct Digest::State {
  std::optional<Blake3> blake3;
  std::unique_ptr<EVP_MD_CTX, FreeContext> context;
};

std::span<const std::string_view> digest_names() { return kNames; }

Digest::Digest(std::unique_ptr<State> state) : state_(std::move(state)) {}
Digest::Digest(Digest&&) noexcept = default;
Digest& Digest::operator=(Digest&&) noexcept = default;
Digest::~Digest() = default;

Result<Digest> Digest::make(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return fail(Code::Usage, "unknown digest: " + std::string(name));
  auto state = std::make_unique<State>();
  if (name == "blake3") {
    state->blake3.emplace();
    return Digest(std::move(state));
  }
  const EVP_MD* const method = methods()[static_cast<std::size_t>(found - kNames.begin())];
  if (method == nullptr) {
    return fail(Code::Unsupported, "digest " + std::string(name) + ": this system's OpenSSL does not offer it");
  }
  state->context.reset(EVP_MD_CTX_new());
  CAIRN_CHECK(state->context != nullptr, "out of memory");
  CAIRN_CHECK(EVP_DigestInit_ex(state->context.get(), method, nullptr) == 1, "digest failed");
  return Digest(std::move(state));
}

void Digest::update(Bytes input) {
  if (input.empty()) return;
  if (state_->blake3) {
    state_->blake3->update(input);
  } else {
    CAIRN_CHECK(EVP_DigestUpdate(state_->context.get(), input.data(), input.size()) == 1, "digest failed");
  }
}

std::string Digest::finish() {
  if (state_->blake3) return std::string(text_of(state_->blake3->finish().bytes()));
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes;
  unsigned size = 0;
  CAIRN_CHECK(EVP_DigestFinal_ex(state_->context.get(), bytes.data(), &size) == 1, "digest failed");
  return {reinterpret_cast<const char*>(bytes.data()), size};
}

}  // namespace cairn::hash

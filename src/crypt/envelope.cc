// Sealing and opening envelopes: docs/format/crypto.md, section 4.
//
// AEAD: type(1) 0(1) iv(6) session(24) tag(16) ciphertext. MAC: type(1) 0(1) tag(32) payload.
#include "crypt/envelope.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/check.h"
#include "crypt/aead.h"
#include "crypt/envelope_mac.h"

namespace cairn::crypt {

namespace {

constexpr std::size_t kHeaderSize = 32;    // of an AEAD envelope, authenticated as the end of its additional data
constexpr std::size_t kAeadOverhead = 48;  // header and tag
constexpr std::size_t kMacHeaderSize = 2;
constexpr std::size_t kMacOverhead = 34;
constexpr std::uint64_t kMaxIv = (std::uint64_t{1} << 48U) - 1;

using SessionId = std::array<std::byte, 24>;
using Header = std::array<std::byte, kHeaderSize>;

std::string_view session_domain(Cipher cipher) {
  return cipher == Cipher::Aes256Ocb ? "borg-session-key-AES256_OCB" : "borg-session-key-CHACHA20_POLY1305";
}

bool set_session_key(Aead& aead, Cipher cipher, const KeyMaterial& material, const SessionId& session, bool sealing) {
  hash::Key256 key = derive_key(material.crypt_key, session, session_domain(cipher));
  const bool set = aead.set_key(key, sealing);
  wipe(key);
  return set;
}

// Six zero bytes, then the IV's six bytes as they stand in the header.
std::array<std::byte, Aead::kNonceSize> nonce_of(const std::byte* header) {
  std::array<std::byte, Aead::kNonceSize> nonce{};
  std::copy_n(header + 2, 6, nonce.data() + 6);
  return nonce;
}

void set_iv(Header& header, std::uint64_t iv) {
  std::byte whole[8];
  store_be(whole, iv);
  std::copy_n(whole + 2, 6, header.data() + 2);
}

// How many blocks of its key's allowance a message uses, as Borg counts them.
std::uint64_t cipher_blocks(std::size_t aad_size, std::size_t payload_size) {
  return (std::uint64_t{payload_size} + 15) / 16 + (std::uint64_t{aad_size} + kHeaderSize + 15) / 16 + 2;
}

}  // namespace

struct Sealer::State {
  Suite suite;
  const KeyMaterial* material;
  // Encrypting suites.
  std::optional<Aead> aead;
  Header header{};
  bool in_session = false;
  std::uint64_t next_iv = 1;
  std::uint64_t blocks_used = 0;
  std::uint64_t block_limit = std::uint64_t{1} << 37U;
  // The others.
  std::optional<EnvelopeMac> mac;

  State(const Suite& which, const KeyMaterial& secrets) : suite(which), material(&secrets) {
    header[0] = std::byte{suite.type_byte};
    if (suite.encrypts())
      aead.emplace(suite.cipher);
    else
      mac.emplace(suite.id_hash, secrets);
  }

  bool enter_session(const SessionId& id, std::uint64_t first_iv) {
    std::copy(id.begin(), id.end(), header.data() + 8);
    next_iv = first_iv;
    blocks_used = 0;
    in_session = set_session_key(*aead, suite.cipher, *material, id, /*sealing=*/true);
    return in_session;
  }

  bool enter_fresh_session(std::uint64_t first_iv) {
    SessionId id;
    random_bytes(id);
    return enter_session(id, first_iv);
  }

  // Makes sure that one more message of so many blocks may use the session.
  bool prepare(std::uint64_t blocks) {
    const bool limited = suite.cipher == Cipher::Aes256Ocb;
    const bool full = limited && blocks_used != 0 && (blocks_used >= block_limit || blocks > block_limit - blocks_used);
    if (in_session && !full && next_iv <= kMaxIv) return true;
    return enter_fresh_session(1);
  }

  Status seal(Bytes aad, Bytes payload, MutableBytes out) {
    CAIRN_CHECK(out.size() == payload.size() + suite.overhead(), "the output has the wrong size");
    return mac ? seal_mac(aad, payload, out) : seal_aead(aad, payload, out);
  }

  Status seal_aead(Bytes aad, Bytes payload, MutableBytes out) {
    const std::uint64_t blocks = cipher_blocks(aad.size(), payload.size());
    if (blocks > std::uint64_t{1} << 32U) return fail(Code::Internal, "message too large to be encrypted");
    if (!prepare(blocks)) return fail(Code::Internal, "the cipher is not available");
    // The IV counts as used whatever happens below.
    set_iv(header, next_iv++);
    blocks_used += blocks;
    std::copy(header.begin(), header.end(), out.begin());
    if (!aead->seal(nonce_of(header.data()), aad, header, payload, out.subspan(kAeadOverhead),
                    out.subspan(kHeaderSize, Aead::kTagSize)))
      return fail(Code::Internal, "encryption failed");
    return {};
  }

  Status seal_mac(Bytes aad, Bytes payload, MutableBytes out) {
    if (aad.size() > EnvelopeMac::kMaxAad) return fail(Code::Internal, "additional data too long");
    std::copy_n(header.begin(), kMacHeaderSize, out.begin());
    if (!payload.empty()) std::memcpy(out.data() + kMacOverhead, payload.data(), payload.size());
    const Digest256 tag = mac->tag(out.first(kMacHeaderSize), aad, payload);
    std::copy(tag.raw.begin(), tag.raw.end(), out.begin() + kMacHeaderSize);
    return {};
  }
};

Sealer::Sealer(const Suite& suite, const KeyMaterial& material) : state_(std::make_unique<State>(suite, material)) {}
Sealer::Sealer(Sealer&&) noexcept = default;
Sealer& Sealer::operator=(Sealer&&) noexcept = default;
Sealer::~Sealer() = default;

Status Sealer::seal(Bytes aad, Bytes payload, MutableBytes out) { return state_->seal(aad, payload, out); }

Status Sealer::seal_once(const Suite& suite, const KeyMaterial& material, Bytes aad, Bytes payload, MutableBytes out) {
  State state(suite, material);
  if (suite.encrypts() && !state.enter_fresh_session(0)) return fail(Code::Internal, "the cipher is not available");
  return state.seal(aad, payload, out);
}

void Sealer::use_session(const Session& session) {
  if (!state_->suite.encrypts()) return;
  state_->block_limit = session.block_limit;
  CAIRN_CHECK(state_->enter_session(session.id, session.next_iv), "the cipher is not available");
}

namespace {

// Keyed contexts of the sessions seen last. Packs written by several workers interleave as many sessions, so keeping
// one would derive a key for nearly every object there.
class SessionCache {
 public:
  SessionCache(Cipher cipher, const KeyMaterial& material) : cipher_(cipher), material_(&material) {}

  // Null if the cipher is not available.
  Aead* find_or_derive(const std::byte* id) {
    for (Entry& entry : entries_) {
      if (entry.aead && std::memcmp(entry.id.data(), id, entry.id.size()) == 0) {
        entry.last_use = ++uses_;
        return &*entry.aead;
      }
    }
    Entry& oldest = *std::min_element(entries_.begin(), entries_.end(),
                                      [](const Entry& a, const Entry& b) { return a.last_use < b.last_use; });
    std::copy_n(id, oldest.id.size(), oldest.id.data());
    if (!oldest.aead) oldest.aead.emplace(cipher_);
    if (!set_session_key(*oldest.aead, cipher_, *material_, oldest.id, /*sealing=*/false)) {
      oldest = {};
      return nullptr;
    }
    oldest.last_use = ++uses_;
    return &*oldest.aead;
  }

 private:
  struct Entry {
    SessionId id{};
    std::uint64_t last_use = 0;
    std::optional<Aead> aead;
  };
  Cipher cipher_;
  const KeyMaterial* material_;
  std::uint64_t uses_ = 0;
  std::array<Entry, 16> entries_;
};

}  // namespace

struct Opener::State {
  Suite suite;
  bool verifies = true;
  std::optional<SessionCache> sessions;  // encrypting suites
  std::optional<EnvelopeMac> mac;        // the others

  State(const Suite& which, const KeyMaterial& material) : suite(which) {
    if (suite.encrypts())
      sessions.emplace(suite.cipher, material);
    else
      mac.emplace(suite.id_hash, material);
  }

  Status open(Bytes aad, Bytes envelope, Buffer& payload) {
    payload.clear();
    if (envelope.size() < suite.overhead()) return fail(Code::Integrity, "truncated envelope");
    if (envelope[0] != std::byte{suite.type_byte}) return fail(Code::Integrity, "Invalid encryption envelope");
    return mac ? open_mac(aad, envelope, payload) : open_aead(aad, envelope, payload);
  }

  Status open_aead(Bytes aad, Bytes envelope, Buffer& payload) {
    const Bytes header = envelope.first(kHeaderSize);
    const Bytes cipher_text = envelope.subspan(kAeadOverhead);
    Aead* const aead = sessions->find_or_derive(header.data() + 8);
    if (aead == nullptr) return fail(Code::Internal, "the cipher is not available");
    payload.resize(cipher_text.size());
    if (!aead->open(nonce_of(header.data()), aad, header, cipher_text, envelope.subspan(kHeaderSize, Aead::kTagSize),
                    payload.span())) {
      payload.clear();
      return fail(Code::Integrity, "Could not decrypt [Authentication / EVP_DecryptFinal_ex failed]");
    }
    return {};
  }

  Status open_mac(Bytes aad, Bytes envelope, Buffer& payload) {
    const Bytes content = envelope.subspan(kMacOverhead);
    if (verifies) {
      if (aad.size() > EnvelopeMac::kMaxAad) return fail(Code::Internal, "additional data too long");
      const Digest256 tag = mac->tag(envelope.first(kMacHeaderSize), aad, content);
      if (CRYPTO_memcmp(tag.raw.data(), envelope.data() + kMacHeaderSize, tag.raw.size()) != 0)
        return fail(Code::Integrity, "envelope tag verification failed");
    }
    payload.append(content);
    return {};
  }
};

Opener::Opener(const Suite& suite, const KeyMaterial& material) : state_(std::make_unique<State>(suite, material)) {}
Opener::Opener(Opener&&) noexcept = default;
Opener& Opener::operator=(Opener&&) noexcept = default;
Opener::~Opener() = default;

Status Opener::open(Bytes aad, Bytes envelope, Buffer& payload) { return state_->open(aad, envelope, payload); }
void Opener::trust_unverified() { state_->verifies = false; }

}  // namespace cairn::crypt

// Tags of authenticated envelopes; see the header.
#include "crypt/envelope_mac.h"

#include "base/check.h"

namespace cairn::crypt {

EnvelopeMac::EnvelopeMac(hash::IdHashKind kind, const KeyMaterial& material) {
  const bool sha256 = kind == hash::IdHashKind::Sha256;
  hash::Key256 key =
      derive_key(material.crypt_key, {}, sha256 ? "borg-repoobj-mac-hmac-sha256" : "borg-repoobj-mac-blake3");
  if (sha256)
    hmac_ = std::make_unique<hash::HmacSha256>(key);
  else
    blake3_ = std::make_unique<hash::Blake3>(key);
  wipe(key);
}

Digest256 EnvelopeMac::tag(Bytes header, Bytes aad, Bytes payload) const {
  CAIRN_CHECK(aad.size() <= kMaxAad, "additional data too long");
  std::byte size[2];
  store_be(size, static_cast<std::uint16_t>(aad.size()));
  if (hmac_) return (*hmac_)({header, size, aad, payload});
  hash::Blake3 state(*blake3_);
  state.update(header);
  state.update(size);
  state.update(aad);
  state.update(payload);
  return state.finish();
}

}  // namespace cairn::crypt

#include "repo/store_object.h"

#include <fmt/format.h>

#include "hash/blake3.h"

namespace cairn::repo {

StoreObjects::StoreObjects(const crypt::Suite& suite, const crypt::KeyMaterial& material,
                           const RepositoryId& repository)
    : suite_(suite), material_(material), repository_(repository) {}

Buffer StoreObjects::aad(char tag, std::string_view name) const {
  Buffer out;
  out.append(bytes_of(std::string_view("borg-store-object\0", 18)));
  out.append(repository_.raw);
  out.push_back(static_cast<std::byte>(tag));
  out.append(bytes_of(name));
  return out;
}

// Every store object gets a session of its own: they are few, and background threads (lock refresh) make them too.
Result<Buffer> StoreObjects::seal_named(std::string_view name, Bytes payload) {
  Buffer envelope(payload.size() + suite_.overhead());
  CAIRN_CHECKED(crypt::Sealer::seal_once(suite_, material_, aad('n', name), payload, envelope));
  return envelope;
}

Result<StoreObjects::Hashed> StoreObjects::seal_hashed(std::string_view space, Bytes payload) {
  Hashed hashed;
  hashed.envelope.resize(payload.size() + suite_.overhead());
  CAIRN_CHECKED(crypt::Sealer::seal_once(suite_, material_, aad('h', space), payload, hashed.envelope));
  hashed.name = fmt::format("{}/{}", space, hash::blake3(hashed.envelope).hex());
  return hashed;
}

Status StoreObjects::open(char tag, std::string_view bound, std::string_view name, Bytes envelope, Buffer& payload) {
  crypt::Opener opener(suite_, material_);
  if (trust_unverified_) opener.trust_unverified();
  if (auto status = opener.open(aad(tag, bound), envelope, payload); !status) {
    return std::unexpected<Error>(Error(Code::Integrity, fmt::format("Store object {}: authentication failed", name))
                                      .at(status.error().message()));
  }
  return {};
}

Status StoreObjects::open_named(std::string_view name, Bytes envelope, Buffer& payload) {
  return open('n', name, name, envelope, payload);
}

Status StoreObjects::open_hashed(std::string_view space, std::string_view name, Bytes envelope, Buffer& payload) {
  return open('h', space, name, envelope, payload);
}

void StoreObjects::trust_unverified() { trust_unverified_ = true; }

}  // namespace cairn::repo

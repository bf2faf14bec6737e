// What the room's tests share: the vector file and the key material that its objects use.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/check.h"
#include "crypt/key_material.h"
#include "crypt/suite.h"

namespace cairn::crypt::testing {

inline const nlohmann::json& vectors() {
  static const nlohmann::json all =
      nlohmann::json::parse(std::ifstream(std::string(CAIRN_TEST_DATA) + "/vectors/crypto.json"));
  return all;
}

inline Buffer bytes_from_hex(const std::string& hex) {
  Buffer out(hex.size() / 2);
  CAIRN_CHECK(from_hex(hex, out.span()), "bad hex in the vectors");
  return out;
}

template <std::size_t N>
std::array<std::byte, N> array_from_hex(const std::string& hex) {
  std::array<std::byte, N> out;
  CAIRN_CHECK(from_hex(hex, out), "bad hex in the vectors");
  return out;
}

inline KeyMaterial vector_material() {
  const auto& from = vectors().at("key_material");
  KeyMaterial material;
  material.crypt_key = array_from_hex<64>(from.at("crypt_key"));
  material.id_key = array_from_hex<32>(from.at("id_key"));
  material.chunk_seed = from.at("chunk_seed");
  material.repository_id.raw = array_from_hex<32>(from.at("repository_id"));
  return material;
}

inline Suite suite_of(const nlohmann::json& vector) {
  return find_suite(vector.at("encryption").get<std::string>(), vector.at("id_hash").get<std::string>()).value();
}

}  // namespace cairn::crypt::testing

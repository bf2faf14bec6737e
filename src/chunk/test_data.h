// What the tests of this room share: the inputs and keys of tests/data/vectors/chunkers.json, and a driver that feeds a
// cutter piece by piece. For tests only.
#pragma once

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/bytes.h"
#include "base/check.h"
#include "chunk/cutter.h"

namespace cairn::chunk::test_data {

using Data = std::vector<std::byte>;

// The SplitMix64 generator of the vectors' notes.
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }

 private:
  std::uint64_t state_;
};

inline Data random_bytes(std::uint64_t seed, std::size_t size, unsigned mask = 0xff) {
  Data data(size);
  SplitMix stream(seed);
  for (std::size_t i = 0; i < size; i += 8) {
    std::array<std::byte, 8> word;
    store_le(word.data(), stream.next());
    for (std::size_t k = 0; k < 8 && i + k < size; ++k) data[i + k] = word[k] & std::byte(mask);
  }
  return data;
}

inline const nlohmann::json& vectors() {
  static const nlohmann::json file = [] {
    std::ifstream in(CAIRN_TEST_DATA "/vectors/chunkers.json");
    CAIRN_CHECK(in.good(), "the chunkers' vectors are missing");
    return nlohmann::json::parse(in);
  }();
  return file;
}

inline const Data& input(const std::string& name) {
  static std::map<std::string, Data> made;
  const auto [place, fresh] = made.try_emplace(name);
  if (!fresh) return place->second;
  Data& data = place->second;
  for (const nlohmann::json& piece : vectors()["inputs"][name]["pieces"]) {
    const std::string kind = piece[0];
    if (kind == "zeros") {
      data.resize(data.size() + piece[1].get<std::size_t>());
    } else if (kind == "repeat") {
      const std::string hex = piece[1];
      Data pattern(hex.size() / 2);
      CAIRN_CHECK(from_hex(hex, pattern), "pattern");
      const std::size_t size = piece[2];
      for (std::size_t i = 0; i < size; ++i) data.push_back(pattern[i % pattern.size()]);
    } else {
      const unsigned mask = kind == "mask" ? piece[3].get<unsigned>() : 0xffU;
      const Data bytes = random_bytes(std::stoull(piece[1].get<std::string>(), nullptr, 16), piece[2], mask);
      data.insert(data.end(), bytes.begin(), bytes.end());
    }
  }
  return data;
}

inline Keys keys(const std::string& name) {
  const nlohmann::json& entry = vectors()["keys"][name];
  Keys keys;
  keys.without_repository = entry["id_key"].is_null();
  if (!keys.without_repository) CAIRN_CHECK(from_hex(entry["id_key"].get<std::string>(), keys.id_key), "key");
  keys.chunk_seed = entry["chunk_seed"];
  return keys;
}

inline std::unique_ptr<Cutter> cutter(const std::string& params, const Keys& with) {
  Result<Params> parsed = parse_params(params);
  CAIRN_CHECK(parsed.has_value(), "parameters");
  Result<std::unique_ptr<Cutter>> made = make_cutter(*parsed, with);
  CAIRN_CHECK(made.has_value(), "cutter");
  return std::move(*made);
}

// Sets a variable for the length of a scope.
class Setting {
 public:
  Setting(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;
  ~Setting() { ::unsetenv(name_); }

 private:
  const char* name_;
};

// The chunk lengths of `data` when everything is at hand at once.
inline std::vector<std::size_t> cut_all(const Cutter& cutter, Bytes data) {
  std::vector<std::size_t> lengths;
  while (!data.empty()) {
    Scan scan;
    const std::size_t length = cutter.cut(data, true, lengths.empty(), scan);
    CAIRN_CHECK(length > 0 && length <= data.size(), "a cut outside the data");
    lengths.push_back(length);
    data = data.subspan(length);
  }
  return lengths;
}

// The same when the data arrives in pieces; `next_piece` gives the size of each. `moving` copies the window before
// every call, so that stale addresses would be seen.
template <class NextPiece>
std::vector<std::size_t> cut_in_pieces(const Cutter& cutter, Bytes data, NextPiece next_piece, bool moving = false) {
  std::vector<std::size_t> lengths;
  std::size_t begin = 0;
  std::size_t at_hand = 0;
  Scan scan;
  while (begin < data.size()) {
    const bool final = at_hand == data.size();
    const Bytes window = data.subspan(begin, at_hand - begin);
    const Data copy = moving ? Data(window.begin(), window.end()) : Data();
    const std::size_t length = cutter.cut(moving ? Bytes(copy) : window, final, lengths.empty(), scan);
    if (length == 0) {
      CAIRN_CHECK(!final, "undecided at the end");
      at_hand = std::min(data.size(), at_hand + next_piece());
      continue;
    }
    CAIRN_CHECK(length <= window.size(), "a cut outside the window");
    lengths.push_back(length);
    begin += length;
    scan = {};
  }
  return lengths;
}

}  // namespace cairn::chunk::test_data

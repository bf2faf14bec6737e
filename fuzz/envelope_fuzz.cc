// Envelopes from a hostile repository, in all six suites. The first byte chooses the suite, the second the length of
// the additional data. What is sealed must open again, and no envelope may open that the sealer did not make.
#include <algorithm>
#include <array>

#include "base/check.h"
#include "crypt/envelope.h"

namespace {

using namespace cairn;         // NOLINT(google-build-using-namespace): one small program
using namespace cairn::crypt;  // NOLINT(google-build-using-namespace)

const std::array kSuites = {
    *find_suite("aes256-ocb", "sha256"),           *find_suite("chacha20-poly1305", "sha256"),
    *find_suite("aes256-ocb", "blake3"),           *find_suite("chacha20-poly1305", "blake3"),
    *find_suite("authenticated-sha256", "sha256"), *find_suite("authenticated-blake3", "blake3"),
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  static const KeyMaterial material = make_key_material({});
  const Suite& suite = kSuites[data[0] % kSuites.size()];
  const Bytes input = std::as_bytes(std::span(data, size)).subspan(2);
  const Bytes aad = input.first(std::min<std::size_t>(data[1], input.size()));
  const Bytes rest = input.subspan(aad.size());

  Opener opener(suite, material);
  Buffer payload;
  // The key is random: opening can only succeed by breaking the cipher.
  CAIRN_CHECK(!opener.open(aad, rest, payload) && payload.empty(), "a forgery was accepted");

  Sealer sealer(suite, material);
  Buffer envelope(rest.size() + suite.overhead());
  CAIRN_CHECK(sealer.seal(aad, rest, envelope).has_value(), "sealing failed");
  CAIRN_CHECK(opener.open(aad, envelope, payload).has_value(), "an own envelope was refused");
  CAIRN_CHECK(std::ranges::equal(payload.view(), rest), "other bytes came back");
  envelope.data()[size % envelope.size()] ^= std::byte{1};
  CAIRN_CHECK(!opener.open(aad, envelope, payload), "a changed envelope was accepted");
  return 0;
}

// Borg keys from a hostile repository: the text form, the EncryptedKey map, the Key map inside, and the paper form.
// The first byte chooses the parser. Whatever parses must survive being written and parsed again.
#include <algorithm>
#include <cstdlib>

#include "base/check.h"
#include "crypt/key_blob.h"
#include "crypt/paper_key.h"

namespace {

using namespace cairn;         // NOLINT(google-build-using-namespace): one small program
using namespace cairn::crypt;  // NOLINT(google-build-using-namespace)

const RepositoryId kRepository{};  // 64 zeros in hex

void text_form(Bytes input) {
  const auto blob = parse_key_blob(text_of(input), kRepository);
  if (!blob) return;
  Buffer map;
  write_encrypted_key(blob->encrypted, map);
  const auto again = parse_key_blob(key_blob_text(map, kRepository), kRepository);
  CAIRN_CHECK(again && again->encrypted.data == blob->encrypted.data && again->label == blob->label, "changed");
  static_cast<void>(unlock(*blob, "passphrase", kRepository, 1));
}

void inner_map(Bytes input) {
  const auto material = parse_key(input, kRepository);
  if (!material) return;
  Buffer map;
  write_key(*material, map);
  const auto again = parse_key(map, kRepository);
  CAIRN_CHECK(again && again->crypt_key == material->crypt_key && again->chunk_seed == material->chunk_seed, "changed");
}

void paper_form(std::string_view input) {
  PaperKeyReader reader(kRepository);
  while (!input.empty() && !reader.done()) {
    const std::size_t end = std::min(input.find('\n'), input.size());
    static_cast<void>(reader.take_line(input.substr(0, end)));
    input.remove_prefix(std::min(end + 1, input.size()));
  }
  if (reader.done()) static_cast<void>(parse_key_blob(reader.text(), kRepository));
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*count*/, char*** /*arguments*/) {
  ::setenv("BORG_TESTONLY_WEAKEN_KDF", "1", 1);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Bytes input = std::as_bytes(std::span(data, size)).subspan(1);
  switch (data[0] % 4) {
    case 0:
      text_form(input);
      break;
    case 1:
      text_form(bytes_of(key_blob_text(input, kRepository)));
      break;
    case 2:
      inner_map(input);
      break;
    default:
      paper_form(text_of(input));
  }
  return 0;
}

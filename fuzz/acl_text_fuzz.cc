// ACL text of archives and binary ACLs of file systems: neither may crash, and what one direction accepts the other
// keeps.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "fs/acl_text.h"

using cairn::fs::acl_from_text;
using cairn::fs::acl_to_text;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);  // NOLINT: bytes as text
  // Numeric, because the answer must not hang on the users of this machine.
  if (const auto binary = acl_from_text(input, true)) {
    const auto text = acl_to_text(cairn::bytes_of(*binary), true);
    if (!text || acl_from_text(*text, true) != binary) std::abort();
  }
  if (const auto text = acl_to_text(cairn::bytes_of(input), true)) {
    // The id that means "none" is legal in binary, never in text.
    if (const auto binary = acl_from_text(*text, true); binary && acl_to_text(cairn::bytes_of(*binary), true) != text) {
      std::abort();
    }
  }
  return 0;
}

// Anything as a tar archive, strict and with --ignore-zeros: every member and its content is read.
#include <cstring>

#include "tar/reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn;
  constexpr std::uint64_t kMostContent = std::uint64_t{1} << 20U;  // a sparse file may claim any size
  for (const bool ignore_zeros : {false, true}) {
    Bytes rest = std::as_bytes(std::span(data, size));
    tar::Reader reader(
        [&](MutableBytes out) -> Result<std::size_t> {
          const std::size_t count = std::min(out.size(), rest.size());
          if (count > 0) std::memcpy(out.data(), rest.data(), count);
          rest = rest.subspan(count);
          return count;
        },
        ignore_zeros);
    tar::Member member;
    Buffer buffer(1000);
    while (reader.next(member).value_or(false)) {
      std::uint64_t read = 0;
      while (read < kMostContent) {
        const auto count = reader.read(buffer.span());
        if (!count || *count == 0) break;
        read += *count;
      }
      if (read > member.size) __builtin_trap();
    }
  }
  return 0;
}

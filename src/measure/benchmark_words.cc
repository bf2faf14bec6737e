#include "measure/benchmark_words.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace cairn::measure {
namespace {

constexpr std::uint64_t kStart = 0x2545F4914F6CDD1D;
constexpr std::array<std::string_view, 38> kWords = {
    "backup",  "archive",   "chunk", "repository", "compress", "encrypt", "index", "cache",  "manifest", "the",
    "and",     "of",        "a",     "to",         "in",       "is",      "it",    "for",    "with",     "data",
    "borg",    "file",      "path",  "size",       "key",      "id",      "hash",  "item",   "repo",     "object",
    "segment", "directory", "user",  "group",      "mtime",    "mode",    "owner", "content"};

std::uint64_t step(std::uint64_t& state) {
  state ^= state << 13U;
  state ^= state >> 7U;
  state ^= state << 17U;
  return state;
}

}  // namespace

void fill_with_words(MutableBytes to) {
  std::uint64_t state = kStart;
  std::size_t at = 0;
  const auto put = [&](std::string_view text) {
    const std::size_t count = std::min(text.size(), to.size() - at);
    if (count > 0) std::memcpy(to.data() + at, text.data(), count);
    at += count;
  };
  while (at < to.size()) {
    const std::uint64_t number = step(state);
    put(kWords.at(number % kWords.size()));
    put((number & 15U) == 0 ? "\n" : " ");
  }
}

void fill_with_noise(MutableBytes to, std::uint64_t seed) {
  std::uint64_t state = kStart ^ seed * 0x9e3779b97f4a7c15U;
  if (state == 0) state = kStart;
  while (!to.empty()) {
    const std::uint64_t number = step(state);
    const std::size_t count = std::min(to.size(), sizeof number);
    std::memcpy(to.data(), &number, count);
    to = to.subspan(count);
  }
}

}  // namespace cairn::measure

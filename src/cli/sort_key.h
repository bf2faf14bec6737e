// Keys for --sort-by: bytes that sort as the fields do, the first one added being the most significant. No encoded
// field is the beginning of another one, so that fields can follow each other, and be turned round by inverting their
// bits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cairn::cli {

class SortKey {
 public:
  // What is added from now on sorts from the largest to the smallest.
  void descending(bool wanted) { invert_ = wanted ? 0xffU : 0U; }
  void number(std::int64_t value);
  void text(std::string_view value);  // by code points, as Python does
  const std::string& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  void put(std::uint32_t byte) { bytes_.push_back(static_cast<char>(static_cast<std::uint8_t>(byte ^ invert_))); }

  std::string bytes_;
  std::uint32_t invert_ = 0;
};

// "size" and "<size" ascend, ">size" descends.
struct SortField {
  std::string_view name;
  bool is_descending = false;
};
SortField sort_field(std::string_view word);

}  // namespace cairn::cli

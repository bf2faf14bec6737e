// A passphrase, or anything else short that must not stay in memory: move-only, wiped when it goes.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace cairn::crypt {

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string_view text);
  Secret(Secret&& other) noexcept;
  Secret& operator=(Secret&& other) noexcept;
  ~Secret();
  static Secret take(std::string& text);  // wipes `text`

  std::string_view view() const { return {data_.get(), size_}; }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  // For reading from a descriptor or a terminal: earlier copies are wiped as the text grows.
  void append(std::string_view text);
  // As a text stream is read: CR LF and CR become LF; then all line feeds at the end go.
  void strip_line_ends();

  // In constant time for equal lengths.
  friend bool operator==(const Secret& a, const Secret& b);

 private:
  void clear();

  std::unique_ptr<char[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace cairn::crypt

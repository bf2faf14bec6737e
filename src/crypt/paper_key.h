// A borg key on paper: numbered lines of hex digits with a checksum each.
// Source: docs/format/crypto.md, section 3.7.
#pragma once

#include <string>
#include <string_view>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"

namespace cairn::crypt {

// The paper form of a key's text. Errors: those of key_blob_body().
Result<std::string> paper_key(std::string_view text, const RepositoryId& repository);

// Reads the lines back as a person types them. Ask with prompt() and hand over what was typed until done().
class PaperKeyReader {
 public:
  explicit PaperKeyReader(const RepositoryId& repository) : repository_(repository) {}

  std::string prompt() const;  // "id: ", " 1: ", " 2: " ...
  // Blanks do not count. What cannot be right is Error with a sentence for the person, and prompt() then says what to
  // type again; RepoIdMismatch means that it makes no sense to go on. An empty line is the caller's matter ("abort?").
  Status take_line(std::string_view line);
  bool done() const { return done_; }
  std::string text() const;  // the key's text, once done

 private:
  Status take_id_line(std::string_view line);
  Status take_body_line(std::string_view line);

  RepositoryId repository_;
  std::size_t lines_ = 0;  // 0 until the id line is known
  std::size_t taken_ = 0;
  std::string checksum_;
  Buffer body_;
  bool done_ = false;
};

}  // namespace cairn::crypt

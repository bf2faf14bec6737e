// Reading a tar archive in one pass: v7, ustar, GNU, pax, and sparse files in all of their forms.
//
// Use       next() gives a member and passes what is left of the one before; read() gives its content, holes filled in.
// Memory    one input block of 256 KiB; of headers what is really there, a gigabyte of them at most.
// Errors    Integrity: a header that is none, a record that cannot be understood, an archive that ends too early. The
//           end of the input between two members counts as the end of the archive. After an error the reader must not
//           be used further.
// Threads   one at a time.
// Source    POSIX.1-2024 pax; GNU tar manual, appendix "Tar Internals"; docs/format (archive, section 15.2).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/buffer.h"
#include "base/error.h"
#include "tar/member.h"
#include "tar/sparse_map.h"

namespace cairn::tar {

// Fills `out` from its start; 0 means the end. Fewer bytes than asked for are no end.
using ReadBytes = std::function<Result<std::size_t>(MutableBytes out)>;

class Reader {
 public:
  // With `ignore_zeros` blocks of zeros do not end the archive, and blocks that are no header are passed over.
  explicit Reader(ReadBytes source, bool ignore_zeros = false);

  // False at the end. `member.size` is the size of the content as read() gives it.
  Result<bool> next(Member& member);
  // At most `out`'s size; 0 at the end of the content.
  Result<std::size_t> read(MutableBytes out);
  // How many zero bytes come next that are a hole; skip_hole() passes some of them.
  std::uint64_t hole_ahead() const;
  void skip_hole(std::uint64_t count) { position_ += count; }

  // Reads what follows the archive, so that a program that writes it can end in peace.
  Status drain();

 private:
  Result<Bytes> block();                       // the next one; empty at the end of the input
  Result<std::size_t> some(MutableBytes out);  // of the input
  Status exactly(MutableBytes out);            // Integrity if the input ends
  Status pass(std::uint64_t count);
  Result<Buffer> extra(std::uint64_t size);  // content of a member that is about the next one
  Result<std::string> long_name(std::uint64_t size);
  Status fill(Bytes header, std::uint64_t size, Member& member);
  Status prepare(Bytes header, Member& member);
  static Status apply_records(Member& member, std::uint64_t& stored);
  Status old_sparse(Bytes header);
  Status text_sparse(std::string_view text);
  Status pairs_sparse(const std::vector<Record>& records);
  Status stored_sparse();
  std::string where() const;

  ReadBytes source_;
  const bool ignore_zeros_;
  Buffer input_;
  std::size_t input_at_ = 0, input_end_ = 0;
  std::uint64_t offset_ = 0;  // of the input, for messages
  std::uint64_t header_at_ = 0;
  Buffer block_;

  std::vector<Record> global_;
  bool any_ = false, ended_ = false;
  // Of the current member.
  std::uint64_t stored_left_ = 0;  // bytes of the input
  std::size_t padding_ = 0;
  std::uint64_t position_ = 0, size_ = 0;  // of the content
  bool sparse_ = false;
  SparseMap map_;
  std::size_t range_ = 0;
};

}  // namespace cairn::tar

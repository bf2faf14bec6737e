// Files of a directory store: the temporary file that becomes an object, whole and ranged reads, directory entries.
//
// Paths are relative to the descriptor `base`; `shown` is the full path for messages. EINTR and short transfers are
// handled here.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/fd.h"

namespace cairn::store {

// An exclusively created file "tmp????????.tmp", mode 0600; removed on destruction unless renamed.
class TemporaryFile {
 public:
  static Result<TemporaryFile> make(int base, const std::string& directory, const std::string& shown);
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  int fd() const { return file_.get(); }
  // Starts write-back of what is written so far, if `early`.
  Status write(Bytes value, bool early, const std::string& shown);
  // Gives it its name and returns the file, open for a later fdatasync.
  Result<Fd> rename_to(const std::string& path, const std::string& shown);

 private:
  TemporaryFile(int base, std::string path, Fd file) : base_(base), path_(std::move(path)), file_(std::move(file)) {}
  int base_;
  std::string path_;  // empty once renamed
  Fd file_;
};

// mkdir -p below `base`; calls made(directory) for each directory that got a new entry.
Status make_directories(int base, const std::string& directory, const std::string& shown,
                        const std::function<void(const std::string&)>& made);

// Replaces `out` by what exists of [offset, offset + size) of a file of `file_size` bytes.
Status read_range(int fd, std::uint64_t file_size, std::uint64_t offset, std::uint64_t size, Buffer& out,
                  const std::string& shown);

// Calls visit(name, d_type) for every entry but "." and ".."; the first error of visit ends it.
Status visit_directory(int base, const std::string& directory, const std::string& shown,
                       const std::function<Status(const char* name, unsigned char type, int directory_fd)>& visit);

// Removes what is in a directory, recursively, never following symbolic links out of it.
Status remove_contents(int base, const std::string& directory, const std::string& shown);

}  // namespace cairn::store

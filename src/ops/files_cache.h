// What the last backup of a series knew of each file, so that an unchanged file need not be read again.
//
// The file is Cairn's own (see repository_cache.h), laid out as a hash table that is mapped
// and used in place: loading costs no parsing, whatever the number of files. A BLAKE3 keyed with the repository's
// secret guards it, so that lengths inside can be trusted; a damaged, foreign or missing file counts as no cache.
//
// Threads   find() is const and safe from any thread; remember() by one thread at a time.
// Source    docs/format (archive, section 5).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "archive/item.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "hash/blake3.h"

namespace cairn::ops {

// --files-cache.
struct FilesCacheMode {
  bool enabled = true;
  bool rechunk = false;  // entries are updated, but nothing counts as unchanged
  bool by_ctime = true;  // else by mtime
  bool by_size = true;
  bool by_inode = true;
};
// Errors are Usage, in Borg's words.
Result<FilesCacheMode> parse_files_cache_mode(std::string_view text);

using PathKey = std::array<std::byte, 16>;
PathKey path_key(const hash::Key256& secret, std::string_view stored_path);
// Files with several names are known by what they are, so that it does not matter which name is met first.
PathKey link_key(const hash::Key256& secret, const Digest256& hardlink_id);

struct FileFacts {
  std::uint64_t inode = 0, size = 0;
  Nanoseconds ctime = 0, mtime = 0;
  std::uint32_t bsdflags = 0;
};

struct CachedFile {
  FileFacts facts;
  std::vector<archive::ChunkRef> chunks;
  std::vector<std::pair<std::string, std::string>> digests;
};

class FilesCache {
 public:
  // Nothing if there is no usable file.
  static std::optional<FilesCache> load(const std::string& path, const hash::Key256& secret);
  FilesCache();
  FilesCache(FilesCache&&) noexcept;
  FilesCache& operator=(FilesCache&&) noexcept;
  ~FilesCache();

  // Marks the entry as seen, so that its old form is not kept beside the new one.
  std::optional<CachedFile> find(const PathKey& key) const;
  // An entry for the next run: of a file that this run has read, or of one whose entry was found to be true.
  enum class Origin { Read, Known };
  void remember(const PathKey& key, const CachedFile& file, Origin origin);
  // Makes the remembered entries findable, as if they had been loaded (for rebuilding from an archive).
  void adopt_remembered();

  std::size_t size() const;
  // Files that were read and whose time is not before `limit` are left out: they could change unseen within the same
  // tick. Only the time that `mode` looks at counts; the other one is forgotten if it is too new, so that a run of
  // another mode does not rely on it. Entries that were not seen stay for `keep_runs` runs.
  Status save(const std::string& path, const hash::Key256& secret, const FilesCacheMode& mode, Nanoseconds limit,
              unsigned keep_runs) const;

  static bool unchanged(const FilesCacheMode& mode, const FileFacts& then, const FileFacts& now);

 private:
  struct Table;
  std::unique_ptr<Table> table_;
  Buffer remembered_;
};

}  // namespace cairn::ops

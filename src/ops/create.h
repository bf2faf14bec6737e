// Making an archive of file system trees, standard input or a command's output.
//
// The walk numbers everything in walk order; workers do the rest of each object (stat, attributes, reading, storing);
// what they found is committed in walk order, so that the archive does not depend on the number of threads.
//
// Threads   create() runs on the pool's owner. The observer is called by one thread at a time, in walk order.
// Errors    a file's own problems are warnings to the observer; repository errors end the run without an archive.
// Source    docs/format (archive, section 4).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/metadata.h"
#include "archive/time.h"
#include "base/error.h"
#include "chunk/params.h"
#include "compress/spec.h"
#include "exec/pool.h"
#include "fs/node.h"
#include "match/patterns.h"
#include "ops/files_cache.h"
#include "ops/input_map.h"
#include "repo/repository.h"

namespace cairn::ops {

enum class ChangeDetection { Ctime, Mtime, Disabled };  // --files-changed

struct CreateRequest {
  std::string name;
  std::string command_line;
  std::string hostname, username;
  std::string comment;
  std::vector<std::string> tags;
  std::optional<archive::Timestamp> timestamp;
  compress::Spec compression;
  chunk::Params chunker;

  // What to back up: roots in order ("-" is standard input), or one of the two others.
  std::vector<std::string> roots;
  std::vector<std::string> content_command;                       // its output becomes the content of stdin_name
  std::function<Result<std::optional<std::string>>()> next_path;  // --paths-from-*: paths without recursion
  const match::Matcher* matcher = nullptr;

  std::string stdin_name = "stdin";
  std::optional<std::string> stdin_user, stdin_group;
  std::uint32_t stdin_mode = 0660;

  // --map and --reuse-from, for a root that is a file or block device; nothing else is read by it.
  std::optional<InputMap> map;
  std::vector<archive::ChunkRef> reference;  // of reference_content()

  bool dry_run = false;
  bool one_file_system = false;
  bool numeric_ids = false;
  bool atime = false, ctime = true, flags = true, acls = true, xattrs = true;
  bool sparse = false;
  bool read_special = false;
  std::uint64_t read_special_timeout = 1800;  // seconds; 0 = for ever
  bool exclude_caches = false, keep_exclude_tags = false;
  std::vector<std::string> exclude_if_present;
  std::optional<unsigned> readers;   // workers that read files at once; CAIRN_READERS wins; nothing: all of them
  std::vector<std::string> digests;  // algorithm names
  FilesCacheMode files_cache;
  std::vector<std::string> group_by = {"name", "host"};
  ChangeDetection change_detection = ChangeDetection::Ctime;

  bool want_status = false;                        // the observer wants every status letter
  const std::atomic<bool>* interrupted = nullptr;  // Ctrl-C
};

struct CreateProgress {
  std::uint64_t original_size = 0, deduplicated_size = 0, files = 0;
  double hashing_seconds = 0, chunking_seconds = 0;
  std::map<char, std::uint64_t> files_stats;
  std::string path;
  std::uint64_t excluded_size = 0, excluded_files = 0;  // recreate: content that the new archive leaves out
};

class CreateObserver {
 public:
  virtual ~CreateObserver() = default;
  virtual void status(char letter, const std::string& path) = 0;  // only with want_status
  virtual void warning(const std::string& path, const Error& error) = 0;
  // A warning without a code of its own: the words, and a reason for the summary.
  virtual void complaint(const std::string& path, const std::string& message, std::string_view reason) = 0;
  virtual void progress(const CreateProgress& progress) = 0;
};

struct CreateResult {
  ChunkId id;
  archive::Metadata metadata;
  Nanoseconds start = 0, end = 0;
  CreateProgress totals;  // as --stats shows them
};

// The chunks of the one file that an archive has, or of the one at `path`. The index must be loaded.
// Errors: Command if that is not one file; Integrity if its size and its chunks contradict each other.
Result<std::vector<archive::ChunkRef>> reference_content(repo::Repository& repository, exec::Pool& pool,
                                                         const archive::Metadata& metadata,
                                                         const std::optional<std::string>& path);

Result<CreateResult> create(repo::Repository& repository, exec::Pool& pool, const CreateRequest& request,
                            CreateObserver& observer);

}  // namespace cairn::ops

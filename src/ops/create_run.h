// The inside of create(): what walking, reading and committing share. Not for other files than ops/create*.cc.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "exec/budget.h"
#include "exec/ordered.h"
#include "exec/stop.h"
#include "ops/archive_writer.h"
#include "ops/content.h"
#include "ops/create.h"
#include "ops/failing_reads.h"

namespace cairn::ops {

// An open directory of the walk; its files are processed relative to it.
struct Directory {
  Fd fd;
  std::string shown;   // path as the user knows it
  std::string stored;  // path in the archive; "." is the root
  // Of the root "." the entries are "name", as for patterns; not "./name".
  std::string shown_child(const std::string& name) const {
    if (shown == ".") return name;
    return shown == "/" ? shown + name : shown + "/" + name;
  }
  std::string stored_child(const std::string& name) const { return stored == "." ? name : stored + "/" + name; }
};

// One inode with several names: whoever comes first reads it, the others wait for the chunks.
struct LinkGroup {
  std::mutex mutex;
  enum class State { Reading, Done } state = State::Reading;
  std::vector<archive::ChunkRef> chunks;
  std::vector<std::pair<std::string, std::string>> digests;
  char letter = 'A';
  std::uint64_t new_bytes = 0;
  std::vector<std::move_only_function<void(bool read, exec::Worker&)>> waiting;
  bool committed = false;  // in walk order: the first name has gone by; touched by the committer only
};

// What one step of the walk comes to. Committed in walk order.
struct Outcome {
  char letter = 0;  // for --list; 0 = no line
  std::string shown;
  std::optional<Error> warning;
  Buffer item;  // encoded; empty = nothing is stored
  std::uint64_t content_size = 0;
  std::uint64_t new_bytes = 0;
  bool is_file = false;  // counts into the number of files
  std::shared_ptr<LinkGroup> group;
  std::optional<std::pair<PathKey, CachedFile>> remember;
  std::optional<Nanoseconds> newest;  // of a file that was read: the time that the files cache looks at
};

// One object of the walk, to be processed by a worker.
struct Work {
  std::uint64_t number = 0;
  std::shared_ptr<const Directory> directory;  // or null: `name` is a path
  std::string name;
  std::string shown, stored;
};

struct DeviceInode {
  std::uint64_t device = 0, inode = 0;
  friend bool operator==(const DeviceInode&, const DeviceInode&) = default;
};
struct DeviceInodeHash {
  std::size_t operator()(const DeviceInode& key) const {
    return (key.inode * 0x9E3779B97F4A7C15ULL) ^ (key.device * 0xC2B2AE3D27D4EB4FULL);
  }
};

class CreateRun {
 public:
  CreateRun(repo::Repository& repository, exec::Pool& pool, const CreateRequest& request, CreateObserver& observer)
      : repository_(repository),
        pool_(pool),
        request_(request),
        observer_(observer),
        main_(pool.main_worker()),
        ordered_(pool, kWindow,
                 [this](Outcome&& outcome, exec::Worker& worker) { commit(std::move(outcome), worker); }),
        budget_(pool, exec::default_budget(pool.threads())),
        scratch_(pool, [] { return std::make_unique<Scratch>(); }) {}

  Result<CreateResult> run();

 private:
  static constexpr std::size_t kWindow = 32768;

  struct Scratch {
    Buffer small;  // a whole small file
    exec::StageClock cutting;
  };

  // create.cc: set-up, committing in order, the end.
  Status prepare();
  void commit(Outcome&& outcome, exec::Worker& worker);
  void report_progress(const std::string& path, bool force);
  Status load_files_cache();
  Status rebuild_files_cache();
  Status save_files_cache();
  Result<CreateResult> finish(Nanoseconds start);
  CreateProgress totals() const;

  // create_walk.cc
  struct Walk;
  void walk_roots();
  void walk_root(const std::string& text);
  void walk_tree(std::shared_ptr<const Directory> directory, const fs::Stat& stat, bool stored);
  bool is_tagged(const Directory& directory, std::vector<std::string>& tags) const;
  void store_directory(const Directory& directory, const fs::Stat& stat, const fs::Attributes& attributes);
  void excluded(const std::string& shown);
  void submit(Work work);
  void flush_batch();
  void put(Outcome outcome);
  void warn(Error error, const std::string& shown, bool with_letter);
  bool skipped(const fs::Stat& stat, const std::string& stored) const;
  void read_listed_paths();

  // create_file.cc
  void process(Work work, exec::Worker& worker);
  // Done: `outcome` is complete. Pending: a continuation completes it.
  enum class Step { Done, Pending };
  Result<Step> try_object(Work& work, exec::Worker& worker, bool last_try, Outcome& outcome);
  Result<Step> regular_file(Work& work, exec::Worker& worker, const fs::Stat& stat, bool last_try, Outcome& outcome);
  Result<Step> read_file(Work& work, exec::Worker& worker, const fs::Stat& stat, bool last_try, char letter,
                         const std::shared_ptr<LinkGroup>& group, const std::optional<PathKey>& key, Outcome& outcome);
  Result<Step> special_file(Work& work, const fs::Stat& stat, Outcome& outcome);
  std::optional<CachedFile> unchanged_file(const PathKey& key, const FileFacts& facts, char& letter) const;
  bool join_group(Work& work, exec::Worker& worker, const fs::Stat& stat, std::shared_ptr<LinkGroup>& group,
                  Outcome& outcome, Result<Step>& step);
  void leave_group(const std::shared_ptr<LinkGroup>& group, const fs::Stat& stat, bool read, exec::Worker& worker);
  void complete(std::uint64_t number, Outcome outcome, exec::Worker& worker);
  archive::Item item_from(const fs::Stat& stat, const fs::Attributes& attributes, const std::string& stored) const;
  bool excluded_by_attribute(const fs::Attributes& attributes) const;
  fs::AttributeOptions attribute_options() const;
  Result<std::vector<hash::Digest>> start_digests() const;
  // Of a file that has been read: size, chunks and digests go into the item, and that into the outcome.
  void take_content(Content& content, std::vector<hash::Digest>& digests, archive::Item& item, Outcome& outcome) const;

  // create_map.cc
  bool mapped(const Work& work) const { return request_.map && !work.directory; }
  Status read_mapped(int fd, const std::string& shown, std::uint64_t size, exec::Worker& worker,
                     const std::shared_ptr<Content>& content, std::vector<hash::Digest>& digests);

  // create_stream.cc
  void standard_input();
  Status command_output();
  archive::Item stream_item() const;
  // Reads into the content; may clear the digests.
  using Read = std::function<Status(const std::shared_ptr<Content>&, std::vector<hash::Digest>&)>;
  Status read_stream(const Read& read, archive::Item item, char letter, const std::string& shown, std::uint64_t number,
                     exec::Worker& worker);
  Read reading(Source& source, exec::Worker& worker);
  Result<Step> read_special(Work& work, exec::Worker& worker, const fs::Stat& stat);

  repo::Repository& repository_;
  exec::Pool& pool_;
  const CreateRequest& request_;
  CreateObserver& observer_;
  exec::Worker& main_;
  exec::Stop stop_{request_.interrupted};
  exec::Ordered<Outcome> ordered_;
  exec::Budget budget_;
  exec::PerWorker<Scratch> scratch_;
  std::unique_ptr<chunk::Cutter> cutter_;
  std::optional<FailingReads> failing_reads_;
  std::unique_ptr<ArchiveWriter> archive_;
  std::unique_ptr<ContentContext> content_;
  FilesCache files_cache_;
  std::string files_cache_path_;
  Nanoseconds start_ = 0;

  // The walk's own.
  std::vector<Work> batch_;
  std::vector<DeviceInode> skip_;  // cache directory, the repository itself
  struct FinishedRoot {
    DeviceInode node;
    std::string stored;     // what the archive calls it
    bool followed = false;  // a symbolic link led to it
  };
  std::vector<FinishedRoot> finished_roots_;

  std::mutex links_mutex_;
  std::unordered_map<DeviceInode, std::shared_ptr<LinkGroup>, DeviceInodeHash> links_;

  // The committer's own.
  CreateProgress counted_;
  Nanoseconds last_progress_ = 0;
  std::optional<Nanoseconds> newest_read_;
};

}  // namespace cairn::ops

// --progress: a rewritten line on a terminal, plain lines elsewhere, JSON records with --log-json.
//
// Rate      archive progress: at most BORG_PROGRESS_FPS updates a second (5). Percentages: when the next multiple of
//           their step is reached; on a terminal at most that often too.
// Threads   every class may be used from any thread.
// Source    docs/format (cli, section 6).
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/units.h"
#include "cli/output.h"

namespace cairn::cli {

struct ProgressSettings {
  bool enabled = false;
  bool json = false;
  double updates_per_second = 5;
  Units units = Units::Si;
};
double progress_rate_from_environment();

// One per process: knows the streams and numbers the indicators.
class ProgressOutput {
 public:
  ProgressOutput(Output& output, ProgressSettings settings, const Clock& clock = system_clock())
      : output_(output), settings_(settings), clock_(clock) {}

  bool enabled() const { return settings_.enabled; }
  bool json() const { return settings_.json; }
  bool on_terminal() const { return output_.error_is_terminal(); }
  const ProgressSettings& settings() const { return settings_; }
  Output& output() { return output_; }
  int next_operation() { return ++operations_; }
  double time() const { return static_cast<double>(clock_.now()) / 1e9; }
  double seconds() const { return static_cast<double>(clock_.monotonic()) / 1e9; }
  // A line in its place: rewritten on a terminal, or written below the others. `tail` stays when the line is shortened.
  void show(std::string_view line, std::string_view tail = {});
  void end();  // wipes the line on a terminal, else writes an empty one

 private:
  Output& output_;
  ProgressSettings settings_;
  const Clock& clock_;
  std::atomic<int> operations_{0};
};

struct ArchiveCounts {
  std::uint64_t original_size = 0, deduplicated_size = 0, nfiles = 0;
  std::uint64_t excluded_size = 0, excluded_files = 0;  // passed over, for the percentage
  double hashing_time = 0, chunking_time = 0;
  std::map<char, std::uint64_t> files_stats{};  // by status letter
  std::string path{};
};

// What there is to do, as an archive's metadata tell it; nothing where it is not known.
struct ArchiveTotal {
  std::uint64_t size = 0, nfiles = 0;
};

// create, import-tar, recreate, transfer. With a total, a line on a terminal ends with "25%, 123.4 MB/s, 1:20 left".
class ArchiveProgress {
 public:
  explicit ArchiveProgress(ProgressOutput& output, ArchiveTotal total = {})
      : output_(output), total_(total), started_(output.seconds()) {}
  bool due();  // whether show() would show something: ask before counts are put together
  void show(const ArchiveCounts& counts);
  void finish();

 private:
  std::string tail(const ArchiveCounts& counts, double elapsed) const;

  ProgressOutput& output_;
  const ArchiveTotal total_;
  double started_;
  std::mutex mutex_;
  std::optional<double> last_;
};

// The percentages that Borg has. `text` takes the percentage and, if it has a second field, the detail. On a terminal a
// line ends with how fast and how long still: "123.4 MB/s, 1:20 left".
struct PercentKind {
  const char* message_id;
  const char* text;
  double step;
  const char* things;  // what is counted; "" for bytes
};
inline constexpr PercentKind kExtractPercent{"extract", "{:5.1f}% Extracting: {}", 0.1, ""};
inline constexpr PercentKind kExportPercent{"extract", "{:5.1f}% Processing: {}", 0.1, ""};
inline constexpr PercentKind kPermissionsPercent{"extract.permissions", "Setting directory permissions {:3.0f}%", 5,
                                                 "directories"};
inline constexpr PercentKind kPrunePercent{"prune", "Pruning archives {:3.0f}%", 5, "archives"};
inline constexpr PercentKind kCheckIndexPercent{"check.index", "Checking index {:3.0f}%", 1, "fragments"};
inline constexpr PercentKind kCheckPacksPercent{"check.packs", "Checking packs {:3.0f}%", 1, "packs"};
inline constexpr PercentKind kBuildIndexPercent{"cache.build_chunkindex_from_repo", "Building the chunk index {:3.0f}%",
                                                1, "packs"};
inline constexpr PercentKind kVerifyDataPercent{"check.verify_data", "Verifying data {:6.2f}%", 0.01, "chunks"};
inline constexpr PercentKind kCheckArchivesPercent{"check.rebuild_archives", "Checking archives {:3.1f}%", 0.1,
                                                   "archives"};
inline constexpr PercentKind kCompactAnalyzePercent{"compact.analyze_archives", "Computing used chunks {:3.1f}%", 0.1,
                                                    "archives"};
inline constexpr PercentKind kCompactPacksPercent{"compact.compact_packs", "Compacting packs {:3.1f}%", 0.1, "packs"};
inline constexpr PercentKind kReferencedChunksPercent{"analyze.dedup_size", "Computing referenced chunks {:3.1f}%", 0.1,
                                                      "archives"};
inline constexpr PercentKind kAnalyzeArchivesPercent{"analyze.analyze_archives", "Analyzing archives {:3.1f}%", 0.1,
                                                     "archives"};
inline constexpr PercentKind kRecompressPercent{"repo_compress.recompress", "Recompressing {:3.1f}%", 0.1, "packs"};

class PercentProgress {
 public:
  PercentProgress(ProgressOutput& output, const PercentKind& kind, std::uint64_t total = 0);
  void announce(std::string_view text);  // a first record, while the total is still being computed
  void set_total(std::uint64_t total);
  // Shows the state before the step, then counts it, as Borg does. `detail` is usually a path.
  void advance(std::uint64_t step = 1, std::optional<std::string_view> detail = std::nullopt);
  void finish();

 private:
  void record(std::string_view message, std::optional<std::string_view> detail);
  std::string pace(double elapsed, std::uint64_t done) const;

  ProgressOutput& output_;
  const PercentKind kind_;
  int operation_;
  std::mutex mutex_;
  std::uint64_t total_, current_ = 0;
  double next_percent_ = 0, started_;
  std::optional<double> last_;
};

// Steps that have no size: "Saving files cache".
class MessageProgress {
 public:
  MessageProgress(ProgressOutput& output, std::string message_id);
  void show(std::string_view message, std::string_view tail = {});  // the tail only on a terminal
  void finish();

 private:
  void record(std::string_view message, bool finished);

  ProgressOutput& output_;
  std::string message_id_;
  int operation_;
};

// Lists of items whose number is not known: "Searching a (3/12): 51200 items", on a terminal with "25000 items/s".
class ItemProgress {
 public:
  ItemProgress(ProgressOutput& output, std::string message_id);
  void begin(std::string what);  // counts from zero; shown at once
  void count();
  void finish();

 private:
  void show(double now);

  ProgressOutput& output_;
  MessageProgress message_;
  std::mutex mutex_;
  std::string what_;
  std::uint64_t items_ = 0;
  double started_ = 0, last_ = 0;
};

}  // namespace cairn::cli

#include "cli/progress.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "base/env.h"
#include "base/units.h"
#include "cli/display_text.h"
#include "cli/json_text.h"

namespace cairn::cli {
namespace {

std::string remaining_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::min(seconds, 359999.0));
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02} left", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02} left", whole / 60, whole % 60);
}

std::int64_t as_signed(std::uint64_t value) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(value, INT64_MAX));
}

}  // namespace

double progress_rate_from_environment() {
  constexpr double kDefault = 5;
  const auto setting = env_nonempty("BORG_PROGRESS_FPS");
  if (!setting) return kDefault;
  char* end = nullptr;
  const double rate = std::strtod(setting->c_str(), &end);
  return *end == 0 && std::isfinite(rate) && rate > 0 ? rate : kDefault;
}

void ProgressOutput::show(std::string_view line, std::string_view tail) {
  if (!on_terminal()) {
    output_.error_line(output_.error_display(line));
    return;
  }
  // The last column stays free: some terminals wrap when it is written.
  const std::size_t columns = std::max<std::size_t>(output_.error_columns(), 2) - 1;
  std::string text = output_.error_display(line);
  std::ranges::replace(text, '\n', ' ');
  const std::size_t tail_width = tail.empty() ? 0 : display_width(tail) + 2;
  if (tail_width == 0 || tail_width >= columns / 2) {
    output_.show_transient(middle_shortened(text, columns));
    return;
  }
  output_.show_transient(middle_shortened(text, columns - tail_width) + "  " + std::string(tail));
}

void ProgressOutput::end() {
  if (on_terminal())
    output_.show_transient("");
  else
    output_.error_line("");
}

bool ArchiveProgress::due() {
  if (!output_.enabled()) return false;
  const std::lock_guard lock(mutex_);
  return !last_ || output_.seconds() - *last_ >= 1 / output_.settings().updates_per_second;
}

void ArchiveProgress::show(const ArchiveCounts& counts) {
  if (!due()) return;
  const std::lock_guard lock(mutex_);
  last_ = output_.seconds();
  if (output_.json()) {
    JsonLine stats, line;
    for (const auto& [letter, count] : counts.files_stats) stats.unsigned_integer(std::string_view(&letter, 1), count);
    line.unsigned_integer("original_size", counts.original_size)
        .unsigned_integer("deduplicated_size", counts.deduplicated_size)
        .unsigned_integer("nfiles", counts.nfiles)
        .real("hashing_time", counts.hashing_time)
        .real("chunking_time", counts.chunking_time)
        .json("files_stats", stats.str())
        .json("store_stats", "{}")
        .text("path", counts.path)
        .real("time", output_.time())
        .raw_text("type", "archive_progress")
        .boolean("finished", false);
    output_.output().error_line(line.str());
    return;
  }
  constexpr std::size_t kWide = 110;
  const Units units = output_.settings().units;
  const bool fine = !output_.on_terminal() || output_.output().error_columns() >= kWide;
  const auto size = [&](std::uint64_t bytes) {
    return fine ? format_size(as_signed(bytes), {.fine = true, .units = units})
                : format_size(as_signed(bytes), {.units = units});
  };
  output_.show(fmt::format("{} O {} U {} N {}", size(counts.original_size), size(counts.deduplicated_size),
                           counts.nfiles, counts.path),
               output_.on_terminal() ? tail(counts, *last_ - started_) : "");
}

std::string ArchiveProgress::tail(const ArchiveCounts& counts, double elapsed) const {
  if (elapsed <= 1) return "";  // the first moments say little
  std::string text = format_size(static_cast<std::int64_t>(static_cast<double>(counts.original_size) / elapsed),
                                 {.units = output_.settings().units}) +
                     "/s";
  if (total_.size == 0 && total_.nfiles == 0) return text;
  // An archive of many small files takes as long as its files are many. The size counts the list of files too, which is
  // little beside that.
  constexpr double kBytesPerFile = 16384;
  const auto work = [](std::uint64_t bytes, std::uint64_t files) {
    return static_cast<double>(bytes) + kBytesPerFile * static_cast<double>(files);
  };
  const double all = work(total_.size, total_.nfiles);
  const double done = work(counts.original_size + counts.excluded_size, counts.nfiles + counts.excluded_files);
  if (done >= all) return text;
  text = fmt::format("{:.0f}%, {}", std::floor(done / all * 100), text);
  constexpr double kEnoughToTell = 0.01;
  if (elapsed <= 2 || done < all * kEnoughToTell) return text;
  return fmt::format("{}, {}", text, remaining_text((all - done) * elapsed / done));
}

void ArchiveProgress::finish() {
  if (!output_.enabled()) return;
  if (!output_.json()) {
    output_.end();
    return;
  }
  JsonLine line;
  line.real("time", output_.time()).raw_text("type", "archive_progress").boolean("finished", true);
  output_.output().error_line(line.str());
}

PercentProgress::PercentProgress(ProgressOutput& output, const PercentKind& kind, std::uint64_t total)
    : output_(output), kind_(kind), operation_(output.next_operation()), total_(total), started_(output.seconds()) {}

void PercentProgress::record(std::string_view message, std::optional<std::string_view> detail) {
  JsonLine line;
  line.raw_text("message", replaced(message)).unsigned_integer("current", current_).unsigned_integer("total", total_);
  if (detail) {
    std::string list = "[";
    append_json_string(list, replaced(*detail));
    line.json("info", list + "]");
  } else {
    line.null("info");
  }
  line.integer("operation", operation_)
      .raw_text("msgid", kind_.message_id)
      .raw_text("type", "progress_percent")
      .boolean("finished", false)
      .real("time", output_.time());
  output_.output().error_line(line.str());
}

void PercentProgress::announce(std::string_view text) {
  if (!output_.enabled()) return;
  const std::lock_guard lock(mutex_);
  if (output_.json())
    record(text, std::nullopt);
  else
    output_.show(text);
}

void PercentProgress::set_total(std::uint64_t total) {
  const std::lock_guard lock(mutex_);
  total_ = total;
  started_ = output_.seconds();
}

// "123.4 MB/s, 1:20 left"
std::string PercentProgress::pace(double elapsed, std::uint64_t done) const {
  const double rate = static_cast<double>(done) / elapsed;
  const std::string speed =
      *kind_.things == 0 ? format_size(static_cast<std::int64_t>(rate), {.units = output_.settings().units}) + "/s"
                         : fmt::format("{:.{}f} {}/s", rate, rate < 10 ? 1 : 0, kind_.things);
  return fmt::format("{}, {}", speed, remaining_text(static_cast<double>(total_ - done) / rate));
}

void PercentProgress::advance(std::uint64_t step, std::optional<std::string_view> detail) {
  if (!output_.enabled()) return;
  const std::lock_guard lock(mutex_);
  const std::uint64_t done = current_;
  const double percent = total_ == 0 ? 100 : static_cast<double>(done) * 100 / static_cast<double>(total_);
  current_ += step;
  if (percent < next_percent_) return;
  const bool terminal = !output_.json() && output_.on_terminal();
  const double now = output_.seconds();
  if (terminal && last_ && now - *last_ < 1 / output_.settings().updates_per_second) return;
  last_ = now;
  next_percent_ = (std::floor(percent / kind_.step) + 1) * kind_.step;
  const std::string message = fmt::format(fmt::runtime(kind_.text), percent, detail.value_or(""));
  if (output_.json()) {
    record(message, detail);
    return;
  }
  std::string tail;
  // The first moments say little.
  if (terminal && percent > 1 && done < total_ && now - started_ > 2) tail = pace(now - started_, done);
  output_.show(message, tail);
}

void PercentProgress::finish() {
  if (!output_.enabled()) return;
  if (!output_.json()) {
    output_.end();
    return;
  }
  JsonLine line;
  line.raw_text("message", "")
      .integer("operation", operation_)
      .raw_text("msgid", kind_.message_id)
      .raw_text("type", "progress_percent")
      .boolean("finished", true)
      .real("time", output_.time());
  output_.output().error_line(line.str());
}

MessageProgress::MessageProgress(ProgressOutput& output, std::string message_id)
    : output_(output), message_id_(std::move(message_id)), operation_(output.next_operation()) {}

void MessageProgress::record(std::string_view message, bool finished) {
  JsonLine line;
  line.raw_text("message", replaced(message))
      .integer("operation", operation_)
      .raw_text("msgid", message_id_)
      .raw_text("type", "progress_message")
      .boolean("finished", finished)
      .real("time", output_.time());
  output_.output().error_line(line.str());
}

void MessageProgress::show(std::string_view message, std::string_view tail) {
  if (!output_.enabled()) return;
  if (output_.json())
    record(message, false);
  else
    output_.show(message, tail);
}

void MessageProgress::finish() {
  if (!output_.enabled()) return;
  if (output_.json())
    record("", true);
  else
    output_.end();
}

ItemProgress::ItemProgress(ProgressOutput& output, std::string message_id)
    : output_(output), message_(output, std::move(message_id)) {}

void ItemProgress::begin(std::string what) {
  if (!output_.enabled()) return;
  const std::lock_guard lock(mutex_);
  what_ = std::move(what);
  items_ = 0;
  started_ = output_.seconds();
  show(started_);
}

void ItemProgress::count() {
  constexpr std::uint64_t kItemsPerLook = 64;  // the clock costs more than an item
  if (!output_.enabled()) return;
  const std::lock_guard lock(mutex_);
  if (++items_ % kItemsPerLook != 0) return;
  if (const double now = output_.seconds(); now - last_ >= 1 / output_.settings().updates_per_second) show(now);
}

void ItemProgress::show(double now) {
  last_ = now;
  std::string tail;
  if (const double elapsed = now - started_; elapsed > 1)
    tail = fmt::format("{:.0f} items/s", static_cast<double>(items_) / elapsed);
  message_.show(fmt::format("{}: {} items", what_, items_), tail);
}

void ItemProgress::finish() { message_.finish(); }

}  // namespace cairn::cli

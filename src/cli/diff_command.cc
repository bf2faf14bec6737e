#include "cli/diff_command.h"

#include <algorithm>
#include <compare>
#include <numeric>

#include <fmt/format.h>

#include "archive/python_text.h"
#include "base/env.h"
#include "base/log.h"
#include "base/units.h"
#include "cli/diff_format.h"
#include "cli/item_format.h"
#include "cli/json_text.h"
#include "cli/session.h"
#include "cli/signals.h"
#include "ops/archives.h"
#include "ops/diff.h"

namespace cairn::cli {
namespace {

constexpr std::string_view kDefaultFormat = "{change} {path}{NL}";
constexpr std::string_view kContentOnlyFormat = "{content}{link}{directory}{blkdev}{chrdev}{fifo} {path}{NL}";

struct Totals {
  std::uint64_t added_items = 0, removed_items = 0, changed_items = 0;
  std::uint64_t added_bytes = 0, removed_bytes = 0, unknown_sizes = 0;

  void count(const ops::ItemChanges& changes) {
    if (changes.presence == ops::Presence::Added) ++added_items;
    if (changes.presence == ops::Presence::Removed) ++removed_items;
    if (changes.presence == ops::Presence::Changed && changes.any()) ++changed_items;
    if (!changes.content) return;
    added_bytes += changes.content->added;
    removed_bytes += changes.content->removed;
    if (!changes.content->known) ++unknown_sizes;
  }
};

// A difference that waits for being sorted, with what it is sorted by. What is gone has no owner, size or times.
struct Row {
  ops::ItemChanges changes;
  std::string user{}, group{};
  std::int64_t uid = -1, gid = -1, size = 0;
  Nanoseconds ctime = 0, mtime = 0, ctime_before = 0, mtime_before = 0;

  std::int64_t added() const { return changes.content ? static_cast<std::int64_t>(changes.content->added) : 0; }
  std::int64_t removed() const { return changes.content ? static_cast<std::int64_t>(changes.content->removed) : 0; }
};

Row make_row(const ops::ItemChanges& changes, const archive::Item* before, const archive::Item* after) {
  Row row{.changes = changes};
  if (before != nullptr) {
    row.ctime_before = before->ctime.value_or(0);
    row.mtime_before = before->mtime;
  }
  if (after != nullptr) {
    row.user = after->user.value_or("");
    row.group = after->group.value_or("");
    row.uid = after->uid.value_or(-1);
    row.gid = after->gid.value_or(-1);
    row.size = shown_size(*after);
    row.ctime = after->ctime.value_or(0);
    row.mtime = after->mtime;
  }
  return row;
}

std::strong_ordering compare(const Row& a, const Row& b, std::string_view field) {
  if (field == "path") return archive::compare_code_points(a.changes.path, b.changes.path);
  if (field == "size_added") return a.added() <=> b.added();
  if (field == "size_removed") return a.removed() <=> b.removed();
  if (field == "size_diff") return a.added() - a.removed() <=> b.added() - b.removed();
  if (field == "size") return a.size <=> b.size;
  if (field == "user") return archive::compare_code_points(a.user, b.user);
  if (field == "group") return archive::compare_code_points(a.group, b.group);
  if (field == "uid") return a.uid <=> b.uid;
  if (field == "gid") return a.gid <=> b.gid;
  if (field == "ctime") return a.ctime <=> b.ctime;
  if (field == "mtime") return a.mtime <=> b.mtime;
  if (field == "ctime_diff") return a.ctime - a.ctime_before <=> b.ctime - b.ctime_before;
  return a.mtime - a.mtime_before <=> b.mtime - b.mtime_before;
}

// The places of the rows in the wanted order. Rows that no field tells apart keep theirs.
std::vector<std::size_t> sorted(const std::vector<Row>& rows, const std::vector<std::string>& fields) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t left, std::size_t right) {
    for (const std::string& field : fields) {
      const bool marked = field.starts_with('>') || field.starts_with('<');
      const auto result = compare(rows[left], rows[right], std::string_view(field).substr(marked ? 1 : 0));
      if (result != 0) return field.starts_with('>') ? result > 0 : result < 0;
    }
    return left < right;
  });
  return order;
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos; }

void show_totals(const Totals& totals, const DiffOptions& options, Context& context) {
  if (options.json_lines) {
    const std::string stats = JsonLine()
                                  .unsigned_integer("added_items", totals.added_items)
                                  .unsigned_integer("changed_items", totals.changed_items)
                                  .unsigned_integer("removed_items", totals.removed_items)
                                  .unsigned_integer("size_added", totals.added_bytes)
                                  .unsigned_integer("size_removed", totals.removed_bytes)
                                  .unsigned_integer("unknown_size_items", totals.unknown_sizes)
                                  .str();
    context.output.write(JsonLine().json("stats", stats).str() + "\n");
    return;
  }
  const auto line = [](const std::string& text) { log(Level::Info, "borg.output.stats", text); };
  const auto size = [&](std::uint64_t bytes) {
    return format_size(static_cast<std::int64_t>(bytes), {.units = context.units});
  };
  line(fmt::format("Added items: {}", totals.added_items));
  line(fmt::format("Removed items: {}", totals.removed_items));
  line(fmt::format("Changed items: {}", totals.changed_items));
  line(fmt::format("Added size: {}", size(totals.added_bytes)));
  line(fmt::format("Removed size: {}", size(totals.removed_bytes)));
  if (totals.unknown_sizes > 0) line(fmt::format("Items with unknown size changes: {}", totals.unknown_sizes));
}

}  // namespace

Status run_diff(const DiffOptions& options, Context& context) {
  context.log.enable(false, options.stats && !options.json_lines);
  std::string text(options.content_only ? kContentOnlyFormat : kDefaultFormat);
  text = options.format.value_or(env_nonempty("BORG_DIFF_FORMAT").value_or(text));
  CAIRN_TRY(const DiffFormat format, DiffFormat::compile(text));
  CAIRN_TRY(const match::Matcher matcher, build_matcher(options.patterns, options.paths));
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Shared));
  CAIRN_TRY(const auto archives, find_each_archive(session, {options.archive1, options.archive2}));
  CAIRN_TRY(const archive::Metadata before, ops::load_metadata(*session.repository, archives[0].id));
  CAIRN_TRY(const archive::Metadata after, ops::load_metadata(*session.repository, archives[1].id));

  ops::DiffRequest request{.compare = {.numeric_ids = options.numeric_ids, .content_only = options.content_only}};
  request.comparable_ids = options.same_chunker_params || before.chunker_params == after.chunker_params;
  if (!request.comparable_ids) {
    log(Level::Warning, "borg.archiver",
        "--chunker-params might be different between archives, diff will be slow.\n"
        "If you know for certain that they are the same, pass --same-chunker-params to override this check.");
  }
  request.wanted = [&](const std::string& path) { return matcher.match(path).include; };
  request.interrupted = &interrupted();

  Totals totals;
  std::vector<Row> rows;  // only for sorting
  std::string line;
  const bool one_line_names = context.output.out_is_terminal();
  const auto show = [&](const ops::ItemChanges& changes) -> Status {
    if (options.json_lines) {
      context.output.write(diff_json(changes, options.numeric_ids));
      return {};
    }
    line.clear();
    CAIRN_CHECKED(format.render(changes, context.units, one_line_names, line));
    if (!is_blank(line)) context.output.write(context.output.out_text(line));
    return {};
  };
  CAIRN_CHECKED(ops::diff(
      *session.repository, *session.pool, before, after, request,
      [&](const ops::ItemChanges& changes, const archive::Item* first, const archive::Item* second) -> Status {
        totals.count(changes);
        if (options.sort_by.empty()) return show(changes);
        rows.push_back(make_row(changes, first, second));
        return {};
      }));
  for (const std::size_t place : sorted(rows, options.sort_by)) CAIRN_CHECKED(show(rows[place].changes));
  if (options.stats) show_totals(totals, options, context);
  warn_unmatched_paths(matcher);
  return session.repository->close();
}

}  // namespace cairn::cli

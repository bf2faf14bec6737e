#include "cli/diff_command.h"

#include <fmt/format.h>

#include "base/env.h"
#include "base/log.h"
#include "base/units.h"
#include "cli/diff_format.h"
#include "cli/item_format.h"
#include "cli/json_text.h"
#include "cli/session.h"
#include "cli/signals.h"
#include "cli/sort_key.h"
#include "fs/text_sorter.h"
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

// By what a difference is sorted. What is gone has no owner, size or times.
SortKey key_of(const ops::ItemChanges& changes, const archive::Item* before, const archive::Item* after,
               const std::vector<std::string>& fields) {
  static const archive::Item kGone;
  const archive::Item& now = after != nullptr ? *after : kGone;
  const archive::Item& then = before != nullptr ? *before : kGone;
  const auto added = static_cast<std::int64_t>(changes.content ? changes.content->added : 0);
  const auto removed = static_cast<std::int64_t>(changes.content ? changes.content->removed : 0);
  SortKey key;
  for (const std::string& word : fields) {
    const auto [name, is_descending] = sort_field(word);
    key.descending(is_descending);
    if (name == "path")
      key.text(changes.path);
    else if (name == "size_added")
      key.number(added);
    else if (name == "size_removed")
      key.number(removed);
    else if (name == "size_diff")
      key.number(added - removed);
    else if (name == "size")
      key.number(shown_size(now));
    else if (name == "user")
      key.text(now.user.value_or(""));
    else if (name == "group")
      key.text(now.group.value_or(""));
    else if (name == "uid")
      key.number(now.uid.value_or(-1));
    else if (name == "gid")
      key.number(now.gid.value_or(-1));
    else if (name == "ctime")
      key.number(now.ctime.value_or(0));
    else if (name == "mtime")
      key.number(now.mtime);
    else if (name == "ctime_diff")
      key.number(now.ctime.value_or(0) - then.ctime.value_or(0));
    else
      key.number(now.mtime - then.mtime);
  }
  return key;
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
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Reading));
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
  ItemProgress progress(context.progress, "diff");
  request.wanted = [&](const std::string& path) {
    progress.count();  // asked for each item of both
    return matcher.match(path).include;
  };
  request.interrupted = &interrupted();

  Totals totals;
  fs::TextSorter sorter;
  std::string line;
  const bool one_line_names = context.output.out_is_terminal();
  const auto render = [&](const ops::ItemChanges& changes) -> Status {
    line.clear();
    if (options.json_lines) {
      line = diff_json(changes, options.numeric_ids);
      return {};
    }
    CAIRN_CHECKED(format.render(changes, context.units, one_line_names, line));
    line = is_blank(line) ? std::string() : context.output.out_text(line);
    return {};
  };
  const auto show = [&](const ops::ItemChanges& changes, const archive::Item* first,
                        const archive::Item* second) -> Status {
    totals.count(changes);
    CAIRN_CHECKED(render(changes));
    if (!options.sort_by.empty()) return sorter.add(key_of(changes, first, second, options.sort_by).bytes(), line);
    context.output.write(line);
    return {};
  };
  progress.begin(fmt::format("Comparing {} and {}", archives[0].name, archives[1].name));
  CAIRN_CHECKED(ops::diff(*session.repository, *session.pool, before, after, request, show));
  progress.finish();
  CAIRN_CHECKED(sorter.finish([&](std::string_view shown) -> Status {
    context.output.write(shown);
    return {};
  }));
  if (options.stats) show_totals(totals, options, context);
  warn_unmatched_paths(matcher);
  return session.repository->close();
}

}  // namespace cairn::cli

// list: the items of an archive.
#include "cli/list_command.h"

#include <algorithm>
#include <compare>
#include <numeric>
#include <utility>

#include "archive/python_text.h"
#include "base/env.h"
#include "cli/item_listing.h"
#include "cli/session.h"
#include "cli/signals.h"
#include "ops/archives.h"

namespace cairn::cli {
namespace {

constexpr std::string_view kDefaultFormat = "{mode} {user:6} {group:6} {size:8} {mtime} {path}{extra}{NL}";

// "size", "<size" ascending; ">size" descending. The first field is the most significant.
void sort_items(std::vector<archive::Item>& items, const std::vector<std::string>& fields) {
  auto compare = [](const archive::Item& a, const archive::Item& b, std::string_view field) -> std::strong_ordering {
    auto text = [](const std::optional<std::string>& value) { return value.value_or(""); };
    if (field == "path") return archive::compare_code_points(a.path, b.path);
    if (field == "type") return mode_text(a.mode)[0] <=> mode_text(b.mode)[0];
    if (field == "mode") return mode_text(a.mode) <=> mode_text(b.mode);
    if (field == "user") return archive::compare_code_points(text(a.user), text(b.user));
    if (field == "group") return archive::compare_code_points(text(a.group), text(b.group));
    if (field == "uid") return a.uid.value_or(-1) <=> b.uid.value_or(-1);
    if (field == "gid") return a.gid.value_or(-1) <=> b.gid.value_or(-1);
    if (field == "size") return shown_size(a) <=> shown_size(b);
    if (field == "mtime") return a.mtime <=> b.mtime;
    if (field == "ctime") return a.ctime.value_or(a.mtime) <=> b.ctime.value_or(b.mtime);
    return a.atime.value_or(a.mtime) <=> b.atime.value_or(b.mtime);
  };
  // Items that no field tells apart keep the archive's order. (std::stable_sort of this library uses a function that
  // Clang 19 warns of, hence positions.)
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t left, std::size_t right) {
    for (const std::string& field : fields) {
      const bool marked = field.starts_with('>') || field.starts_with('<');
      const std::string_view name = std::string_view(field).substr(marked ? 1 : 0);
      const auto result = compare(items[left], items[right], name);
      if (result != 0) return field.starts_with('>') ? result > 0 : result < 0;
    }
    return left < right;
  });
  std::vector<archive::Item> sorted;
  sorted.reserve(items.size());
  for (const std::size_t position : order) sorted.push_back(std::move(items[position]));
  items = std::move(sorted);
}

}  // namespace

Status run_list(const ListOptions& options, Context& context) {
  std::string text(kDefaultFormat);
  if (options.short_form) text = "{path}{NL}";
  if (!options.short_form && !options.format) text = env_nonempty("BORG_LIST_FORMAT").value_or(text);
  if (options.format) text = *options.format;
  CAIRN_TRY(const ItemFormat format, ItemFormat::compile(text));
  CAIRN_TRY(const match::Matcher matcher, build_matcher(options.patterns, options.paths));
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Shared));
  CAIRN_TRY(const archive::ArchiveSummary archive, find_archive(session, options.name));
  CAIRN_TRY(const archive::Metadata metadata, ops::load_metadata(*session.repository, archive.id));

  ItemListing listing(session, context, format, options.json_lines);
  listing.begin_archive(archive, metadata);
  std::vector<archive::Item> kept;  // only for sorting
  CAIRN_CHECKED(ops::for_each_item(*session.repository, *session.pool, metadata, [&](archive::Item&& item) -> Status {
    if (interrupted()) return fail(Code::Interrupted, "Got Ctrl-C / SIGINT.");
    if (context.output.reader_gone()) return {};
    if (!matcher.match(item.path).include) return {};
    if (options.depth && std::ranges::count(item.path, '/') > *options.depth) return {};
    if (!options.sort_by.empty()) {
      kept.push_back(std::move(item));
      return {};
    }
    return listing.show(item);
  }));
  sort_items(kept, options.sort_by);
  for (const auto& item : kept) CAIRN_CHECKED(listing.show(item));
  return session.repository->close();
}

}  // namespace cairn::cli

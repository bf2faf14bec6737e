// list: the items of an archive.
#include "cli/list_command.h"

#include <algorithm>

#include "base/env.h"
#include "cli/item_listing.h"
#include "cli/session.h"
#include "cli/signals.h"
#include "cli/sort_key.h"
#include "fs/text_sorter.h"
#include "ops/archives.h"

namespace cairn::cli {
namespace {

constexpr std::string_view kDefaultFormat = "{mode} {user:6} {group:6} {size:8} {mtime} {path}{extra}{NL}";

SortKey key_of(const archive::Item& item, const std::vector<std::string>& fields) {
  SortKey key;
  for (const std::string& word : fields) {
    const auto [name, is_descending] = sort_field(word);
    key.descending(is_descending);
    if (name == "path")
      key.text(item.path);
    else if (name == "type")
      key.text(mode_text(item.mode).substr(0, 1));
    else if (name == "mode")
      key.text(mode_text(item.mode));
    else if (name == "user")
      key.text(item.user.value_or(""));
    else if (name == "group")
      key.text(item.group.value_or(""));
    else if (name == "uid")
      key.number(item.uid.value_or(-1));
    else if (name == "gid")
      key.number(item.gid.value_or(-1));
    else if (name == "size")
      key.number(shown_size(item));
    else if (name == "mtime")
      key.number(item.mtime);
    else if (name == "ctime")
      key.number(item.ctime.value_or(item.mtime));
    else
      key.number(item.atime.value_or(item.mtime));
  }
  return key;
}

}  // namespace

Status run_list(const ListOptions& options, Context& context) {
  std::string text(kDefaultFormat);
  if (options.short_form) text = "{path}{NL}";
  if (!options.short_form && !options.format) text = env_nonempty("BORG_LIST_FORMAT").value_or(text);
  if (options.format) text = *options.format;
  CAIRN_TRY(const ItemFormat format, ItemFormat::compile(text));
  CAIRN_TRY(const match::Matcher matcher, build_matcher(options.patterns, options.paths));
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Reading));
  CAIRN_TRY(const archive::ArchiveSummary archive, find_archive(session, options.name));
  CAIRN_TRY(const archive::Metadata metadata, ops::load_metadata(*session.repository, archive.id));

  ItemListing listing(session, context, format, options.json_lines);
  listing.begin_archive(archive, metadata);
  fs::TextSorter sorter;
  CAIRN_CHECKED(ops::for_each_item(*session.repository, *session.pool, metadata, [&](archive::Item&& item) -> Status {
    if (interrupted()) return fail(Code::Interrupted, "Got Ctrl-C / SIGINT.");
    if (context.output.reader_gone()) return {};
    if (!matcher.match(item.path).include) return {};
    if (options.depth && std::ranges::count(item.path, '/') > *options.depth) return {};
    if (options.sort_by.empty()) return listing.show(item);
    CAIRN_TRY(const std::string_view shown, listing.render(item));
    return sorter.add(key_of(item, options.sort_by).bytes(), shown);
  }));
  CAIRN_CHECKED(sorter.finish([&](std::string_view shown) -> Status {
    if (interrupted()) return fail(Code::Interrupted, "Got Ctrl-C / SIGINT.");
    if (!context.output.reader_gone()) context.output.write(shown);
    return {};
  }));
  return session.repository->close();
}

}  // namespace cairn::cli

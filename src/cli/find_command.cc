#include "cli/find_command.h"

#include <algorithm>

#include <fmt/format.h>

#include "archive/time.h"
#include "base/env.h"
#include "base/log.h"
#include "cli/archive_choice.h"
#include "cli/item_listing.h"
#include "cli/signals.h"
#include "ops/archives.h"

namespace cairn::cli {
namespace {

constexpr std::string_view kDefaultFormat =
    "{archiveid:.8} {archivename} {mode} {user:6} {group:6} {size:8} {mtime} {path}{extra}{NL}";

}  // namespace

Status run_find(const FindOptions& options, Context& context) {
  CAIRN_TRY(const ItemFormat format, ItemFormat::compile(options.format.value_or(
                                         env_nonempty("BORG_FIND_FORMAT").value_or(std::string(kDefaultFormat)))));
  CAIRN_TRY(const match::Matcher matcher, build_matcher(options.patterns, options.paths));
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Reading));
  CAIRN_TRY(auto archives, find_archives(session, "", options.filters));
  std::ranges::reverse(archives);
  ItemListing listing(session, context, format, options.json_lines);
  ItemProgress progress(context.progress, "find");
  std::size_t number = 0;
  for (const archive::ArchiveSummary& archive : archives) {
    ++number;
    if (context.output.reader_gone()) break;
    if (is_unreadable(archive)) continue;
    log(Level::Info, "borg.archiver.find_cmd",
        fmt::format("Searching archive {} {} ({}/{})", archive.name, archive::plain_local(archive.time), number,
                    archives.size()));
    CAIRN_TRY(const archive::Metadata metadata, ops::load_metadata(*session.repository, archive.id));
    listing.begin_archive(archive, metadata);
    progress.begin(
        fmt::format("Searching {} {} ({}/{})", archive.name, archive::human(archive.time), number, archives.size()));
    CAIRN_CHECKED(ops::for_each_item(*session.repository, *session.pool, metadata, [&](archive::Item&& item) -> Status {
      if (interrupted()) return fail(Code::Interrupted, "");
      progress.count();
      if (context.output.reader_gone() || !matcher.match(item.path).include) return {};
      return listing.show(item);
    }));
  }
  progress.finish();
  return session.repository->close();
}

}  // namespace cairn::cli

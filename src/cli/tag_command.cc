#include "cli/tag_command.h"

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/log.h"
#include "cli/archive_choice.h"
#include "cli/signals.h"
#include "ops/archives.h"
#include "ops/change_archive.h"

namespace cairn::cli {
namespace {

using Tags = std::set<std::string>;

// The tags that an archive shall have. --set takes no special tag away by accident: then it does nothing.
Tags changed_tags(const TagOptions& options, const archive::ArchiveSummary& archive, Context& context) {
  Tags tags(archive.tags.begin(), archive.tags.end());
  Tags special;
  std::ranges::copy_if(tags, std::inserter(special, special.end()),
                       [](const std::string& tag) { return tag.starts_with('@'); });
  if (options.clear) tags = special;
  if (!options.set_tags.empty()) {
    const Tags wanted(options.set_tags.begin(), options.set_tags.end());
    Tags lost;
    std::ranges::set_difference(special, wanted, std::inserter(lost, lost.end()));
    if (lost.empty()) {
      tags = wanted;
    } else {
      log(Level::Warning, "borg.archiver",
          fmt::format("Archive {} {:.8}: not setting tags, this would remove special tags {}. Also give them to --set "
                      "or use --add / --remove.",
                      archive.name, archive.id.hex(), fmt::join(lost, ",")));
      context.exit.note(1);
    }
  }
  tags.insert(options.add.begin(), options.add.end());
  for (const std::string& tag : options.remove) tags.erase(tag);
  return tags;
}

// The id that the archive has with these tags.
Result<ChunkId> set_tags(Session& session, const archive::ArchiveSummary& archive, const Tags& tags) {
  if (std::ranges::equal(tags, archive.tags)) return archive.id;
  CAIRN_TRY(archive::Metadata metadata, ops::load_metadata(*session.repository, archive.id));
  metadata.tags.assign(tags.begin(), tags.end());
  return ops::change_archive(*session.repository, *session.pool, archive.id, metadata, ops::OldArchive::Delete);
}

}  // namespace

Status run_tag(const TagOptions& options, Context& context) {
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Shared));
  CAIRN_TRY(const auto archives, choose_archives(session, options.name, options.filters));
  if (options.changes() && !options.name && !options.filters.any()) {
    return fail(Code::Command,
                "Aborting: if you really want to change the tags of all archives, please use -a 'sh:*'.");
  }
  for (const archive::ArchiveSummary& archive : archives) {
    if (interrupted()) return fail(Code::Interrupted, "");
    if (is_unreadable(archive)) continue;
    const Tags tags = changed_tags(options, archive, context);
    CAIRN_TRY(const ChunkId id, set_tags(session, archive, tags));
    context.output.write(
        fmt::format("id: {:.8} -> {:.8}, tags: {}.\n", archive.id.hex(), id.hex(), fmt::join(tags, ",")));
  }
  return session.repository->close();
}

}  // namespace cairn::cli

#include "cli/rename_command.h"

#include <fmt/format.h>

#include "archive/placeholders.h"
#include "base/clock.h"
#include "base/log.h"
#include "cli/session.h"
#include "ops/archives.h"
#include "ops/change_archive.h"

namespace cairn::cli {

Status run_rename(const RenameOptions& options, Context& context) {
  CAIRN_TRY(const std::string name, archive::replace_placeholders(options.new_name, {.now = system_clock().now()}));
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Shared));
  CAIRN_TRY(const archive::ArchiveSummary old, find_archive(session, options.old_name));
  // Borg deletes an archive that is renamed to the name that it has.
  if (name != old.name) {
    CAIRN_TRY(archive::Metadata metadata, ops::load_metadata(*session.repository, old.id));
    metadata.name = name;
    CAIRN_TRY([[maybe_unused]] const ChunkId id,
              ops::change_archive(*session.repository, *session.pool, old.id, metadata, ops::OldArchive::Delete));
  }
  return session.repository->close();
}

Status run_copy(const CopyOptions& options, Context& context) {
  CAIRN_TRY(const std::string name, archive::replace_placeholders(options.new_name, {.now = system_clock().now()}));
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Shared));
  CAIRN_TRY(const archive::ArchiveSummary old, find_archive(session, options.old_name));
  if (name == old.name)
    return fail(Code::Error, fmt::format("Archive {} can not be copied to the same name.", old.name));
  CAIRN_TRY(archive::Metadata metadata, ops::load_metadata(*session.repository, old.id));
  metadata.name = name;
  CAIRN_TRY(const ChunkId id,
            ops::change_archive(*session.repository, *session.pool, old.id, metadata, ops::OldArchive::Keep));
  log(Level::Info, "borg.archiver.copy_cmd",
      fmt::format("id: {:.8} -> {:.8}, name: {}.", old.id.hex(), id.hex(), name));
  return session.repository->close();
}

}  // namespace cairn::cli

#include "ops/delete_archives.h"

#include <fmt/format.h>

#include "base/log.h"

namespace cairn::ops {
namespace {

Status mark_one(repo::Repository& repository, const archive::ArchiveSummary& archive, Mark mark) {
  return mark == Mark::Deleted ? repository.delete_archive(archive.id) : repository.undelete_archive(archive.id);
}

}  // namespace

Status mark_archives(repo::Repository& repository, const std::vector<archive::ArchiveSummary>& archives, Mark mark,
                     const std::function<Status(std::size_t index)>& on_marked, const std::atomic<bool>& stop) {
  Status result;
  for (std::size_t i = 0; i < archives.size() && result; ++i) {
    if (stop.load()) {
      result = fail(Code::Interrupted, "");
      break;
    }
    auto status = mark_one(repository, archives[i], mark);
    if (status) {
      result = on_marked(i);
    } else if (status.error().code() == Code::NotFound) {
      const Code code = Code::ArchiveDoesNotExist;
      log({.level = Level::Warning,
           .logger = "borg.archiver",
           .message = fmt::format("Archive {} [{}] has gone in the meantime.", archives[i].name, archives[i].id.hex()),
           .code = &code});
    } else {
      result = std::move(status);
    }
  }
  auto synced = repository.store().sync();
  return result ? std::move(synced) : std::move(result);
}

}  // namespace cairn::ops

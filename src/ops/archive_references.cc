#include "ops/archive_references.h"

#include <string>

#include <fmt/format.h>

#include "base/log.h"
#include "ops/archive_scan.h"

namespace cairn::ops {
namespace {

std::string describe(const ScanProblem& problem) {
  using Where = ScanProblem::Where;
  const std::string state = problem.missing ? "is missing" : fmt::format("is damaged: {}", problem.text);
  switch (problem.where) {
    case Where::Metadata:
      return fmt::format("its metadata {}", state);
    case Where::Pointers:
      return fmt::format("item pointers chunk {} {}", problem.id.hex(), state);
    case Where::Stream:
      return fmt::format("item metadata chunk {} {}", problem.id.hex(), state);
    case Where::Item:
      break;
  }
  return fmt::format("an item {}", state);
}

}  // namespace

Result<KnownReferences> find_references(repo::Repository& repository, exec::Pool& pool, const ChunkId& archive,
                                        bool save, const std::atomic<bool>* interrupted) {
  KnownReferences known;
  CAIRN_TRY(auto cached, repo::load_references(repository.store(), repository.objects(), archive));
  if (cached) {
    known.references = std::move(*cached);
    return known;
  }
  const ScanCallbacks callbacks{.structure = [&](const ChunkId& id) { known.references.add(id, 0); },
                                .item = [&](archive::Item&& item) -> Status {
                                  known.references.count_item();
                                  if (!item.chunks) return {};
                                  for (const archive::ChunkRef& chunk : *item.chunks) {
                                    known.references.add(chunk.id, chunk.size);
                                    known.references.count_content(chunk.size);
                                  }
                                  return {};
                                },
                                .problem =
                                    [&](const ScanProblem& problem) {
                                      if (known.complete) known.problem = describe(problem);
                                      known.complete = false;
                                    }};
  CAIRN_CHECKED(scan_archive(repository, pool, archive, callbacks, interrupted));
  if (save && known.complete) {
    if (auto status = repo::save_references(repository.store(), repository.objects(), archive, known.references);
        !status) {
      log(Level::Warning, "borg.cache",
          fmt::format("Saving the references of archive {}: {}", archive.hex(), status.error().text()));
    }
  }
  return known;
}

}  // namespace cairn::ops

// import-tar: a new archive from a tar file.
#include "cli/import_tar_command.h"

#include <nlohmann/json.hpp>

#include "archive/placeholders.h"
#include "archive/time.h"
#include "base/host.h"
#include "cli/archive_observer.h"
#include "cli/archive_statistics.h"
#include "cli/json_output.h"
#include "cli/methods.h"
#include "cli/repository_json.h"
#include "cli/session.h"
#include "cli/signals.h"
#include "ops/import_tar.h"
#include "ops/tar_file.h"

namespace cairn::cli {
namespace {

Result<ops::ImportTarRequest> make_request(const ImportTarOptions& options, Context& context) {
  ops::ImportTarRequest request;
  archive::PlaceholderContext placeholders{.now = system_clock().now()};
  if (options.timestamp) {
    CAIRN_TRY(request.timestamp, archive::parse_timestamp_option(*options.timestamp));
    placeholders.now = request.timestamp->time;
  }
  CAIRN_TRY(request.name, archive::replace_placeholders(options.name, placeholders));
  CAIRN_TRY(request.comment, archive::replace_placeholders(options.comment, placeholders));
  request.command_line = joined_command_line(context.words);
  request.hostname = hostname();
  request.username = username();
  request.strip_components = static_cast<std::size_t>(options.strip_components);
  request.ignore_zeros = options.ignore_zeros;
  if (options.digests) request.digests = *options.digests;
  request.want_status = options.list;
  request.interrupted = &interrupted();
  return request;
}

}  // namespace

Status run_import_tar(const ImportTarOptions& options, Context& context) {
  context.log.enable(options.list, options.stats && !options.json);
  CAIRN_TRY(ops::ImportTarRequest request, make_request(options, context));
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Shared));
  CAIRN_TRY(request.compression, choose_compression(options.compression, *session.repository));
  CAIRN_TRY(request.chunker, choose_chunker(options.chunker_params, *session.repository));
  const ops::TarFilter filter = ops::choose_tar_filter(options.tar_filter, options.file, ops::TarDirection::Read);
  CAIRN_TRY(ops::TarInput input, ops::TarInput::open(options.file, filter, &interrupted()));
  bool ended = false;
  request.source = [&](MutableBytes out) -> Result<std::size_t> {
    if (ended) return 0;
    CAIRN_TRY(const std::size_t count, input.read(out));
    if (count > 0) return count;
    // A filter that failed says so in the end; no archive must be made then.
    ended = true;
    CAIRN_CHECKED(input.close());
    return 0;
  };
  ArchiveObserver observer(context, options.filter);
  auto result = ops::import_tar(*session.repository, *session.pool, request, observer);
  observer.finish();
  if (!result) return std::unexpected<Error>(std::move(result).error());
  if (options.json) {
    nlohmann::json document;
    add_archive_json(*result, nlohmann::json::object(), document);
    add_repository_json(*session.repository, WithCache::Yes, document);
    write_json(context.output, document);
  } else if (options.stats) {
    log_archive_statistics(*result, session.location(), context.units);
  }
  if (context.progress.enabled()) {
    MessageProgress saving(context.progress, "cache.close");
    for (const char* step : {"Saving index", "Saving cache config"}) saving.show(step);
    saving.finish();
  }
  return session.repository->close();
}

}  // namespace cairn::cli

#include "cli/debug_command.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/fd.h"
#include "fs/node.h"
#include "ops/chunk_listing.h"

namespace cairn::cli {
namespace {

chunk::Keys keys_of(const DebugChunkOptions& options) {
  chunk::Keys keys;
  keys.without_repository = options.id_key.empty();
  if (!options.id_key.empty()) {
    std::copy_n(options.id_key.begin(), keys.id_key.size(), keys.id_key.begin());
    keys.id_key_rest.assign(options.id_key.begin() + static_cast<std::ptrdiff_t>(keys.id_key.size()),
                            options.id_key.end());
  }
  if (options.chunk_seed) {
    keys.chunk_seed = *options.chunk_seed;
    // All that buzhash takes from a key; what a key without its seed would mean to the others is the same as before.
    if (options.chunker.algorithm == chunk::Algorithm::Buzhash) keys.without_repository = false;
  }
  return keys;
}

}  // namespace

Status run_debug_chunk(const DebugChunkOptions& options, Context& context) {
  CAIRN_TRY(const std::unique_ptr<chunk::Cutter> cutter, chunk::make_cutter(options.chunker, keys_of(options)));
  const auto print = [&](const ops::ListedChunk& found) {
    context.output.write(fmt::format("{}{}\n", found.size, found.is_zero ? " zero" : ""));
    return !context.output.reader_gone();
  };
  if (!options.path || *options.path == "-") {
    ops::PipeSource source(STDIN_FILENO, "standard input");
    return ops::list_chunks(source, *cutter, print);
  }
  const std::string& path = *options.path;
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return fail(os_error(errno, path));
  CAIRN_TRY(const fs::Stat stat, fs::stat_of(fd.get(), path));
  if (!stat.is_regular()) {
    ops::PipeSource source(fd.get(), path);
    return ops::list_chunks(source, *cutter, print);
  }
  ops::FileSource source(fd.get(), path, stat.size, true);
  return ops::list_chunks(source, *cutter, print);
}

}  // namespace cairn::cli

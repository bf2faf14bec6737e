// list: the items of an archive.
#include "cli/list_command.h"

#include <algorithm>
#include <compare>
#include <cstring>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/env.h"
#include "cli/item_format.h"
#include "cli/session.h"
#include "cli/signals.h"
#include "hash/digest.h"
#include "hash/sha256.h"
#include "ops/archives.h"
#include "ops/chunk_stream.h"

namespace cairn::cli {
namespace {

constexpr std::string_view kDefaultFormat = "{mode} {user:6} {group:6} {size:8} {mtime} {path}{extra}{NL}";

// What content ids depend on, so that fingerprints of different repositories are not compared by mistake.
std::string id_conditions(const repo::Repository& repository, const archive::Metadata& metadata) {
  const std::string params = metadata.chunker_params ? metadata.chunker_params->text() : "";
  const std::string seed = std::to_string(repository.material().chunk_seed);
  const std::byte type{repository.suite().type_byte};
  return hash::sha256({Bytes(&type, 1), Bytes(repository.material().id_key), bytes_of(seed), bytes_of(params)})
      .hex()
      .substr(0, 16);
}

Result<std::string> content_digest(Session& session, ops::Fetchers& fetchers, const archive::Item& item,
                                   const std::string& algorithm) {
  CAIRN_TRY(hash::Digest digest, hash::Digest::make(algorithm));
  std::size_t next = 0;
  const auto& chunks = *item.chunks;
  ops::ChunkStream stream(*session.repository, *session.pool, session.pool->main_worker(), fetchers, 'F',
                          repo::Verify::Envelope, [&]() -> std::optional<ops::ChunkStream::Wanted> {
                            if (next == chunks.size()) return std::nullopt;
                            const auto& chunk = chunks[next++];
                            return ops::ChunkStream::Wanted{chunk.id, chunk.size};
                          });
  while (auto chunk = stream.next()) {
    if (!chunk->plain) {
      if (chunk->plain.error().code() != Code::ObjectNotFound)
        return std::unexpected<Error>(std::move(chunk->plain).error());
      log(Level::Error, "borg.archive",
          fmt::format("repository object {} missing, returning {} zero bytes.", chunk->wanted.id.hex(),
                      *chunk->wanted.size));
      chunk->plain = Buffer(*chunk->wanted.size);
      std::memset(chunk->plain->data(), 0, chunk->plain->size());
    }
    digest.update(*chunk->plain);
  }
  return digest.finish();
}

// "size", "<size" ascending; ">size" descending. The first field is the most significant.
void sort_items(std::vector<archive::Item>& items, const std::vector<std::string>& fields) {
  auto compare = [](const archive::Item& a, const archive::Item& b, std::string_view field) -> std::strong_ordering {
    auto text = [](const std::optional<std::string>& value) { return value.value_or(""); };
    if (field == "path") return a.path <=> b.path;
    if (field == "type") return mode_text(a.mode)[0] <=> mode_text(b.mode)[0];
    if (field == "mode") return a.mode <=> b.mode;
    if (field == "user") return text(a.user) <=> text(b.user);
    if (field == "group") return text(a.group) <=> text(b.group);
    if (field == "uid") return a.uid.value_or(-1) <=> b.uid.value_or(-1);
    if (field == "gid") return a.gid.value_or(-1) <=> b.gid.value_or(-1);
    if (field == "size") return a.size.value_or(0) <=> b.size.value_or(0);
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

  ops::Fetchers fetchers = ops::make_fetchers(*session.repository, *session.pool);
  const ItemFormat::Context item_context{.archive_id = archive.id.hex(),
                                         .archive_name = archive.name,
                                         .one_line_names = context.output.out_is_terminal(),
                                         .conditions = id_conditions(*session.repository, metadata),
                                         .digest = [&](const archive::Item& item, const std::string& algorithm) {
                                           return content_digest(session, fetchers, item, algorithm);
                                         }};
  std::string line;
  auto show = [&](const archive::Item& item) -> Status {
    line.clear();
    if (options.json_lines) {
      CAIRN_CHECKED(format.render_json(item, item_context, line));
      context.output.write(line);
    } else {
      CAIRN_CHECKED(format.render(item, item_context, line));
      context.output.write(context.output.out_text(line));
    }
    return {};
  };
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
    return show(item);
  }));
  sort_items(kept, options.sort_by);
  for (const auto& item : kept) CAIRN_CHECKED(show(item));
  return session.repository->close();
}

}  // namespace cairn::cli

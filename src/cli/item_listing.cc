#include "cli/item_listing.h"

#include <cstring>

#include <fmt/format.h>

#include "base/log.h"
#include "hash/digest.h"
#include "hash/sha256.h"

namespace cairn::cli {
namespace {

// What content ids depend on, so that fingerprints of different repositories are not compared by mistake.
std::string id_conditions(const repo::Repository& repository, const archive::Metadata& metadata) {
  const std::string params = metadata.chunker_params ? metadata.chunker_params->text() : "";
  const std::string seed = std::to_string(repository.material().chunk_seed);
  const std::byte type{repository.suite().type_byte};
  return hash::sha256({Bytes(&type, 1), Bytes(repository.material().id_key), bytes_of(seed), bytes_of(params)})
      .hex()
      .substr(0, 16);
}

}  // namespace

ItemListing::ItemListing(Session& session, Context& context, const ItemFormat& format, bool json_lines)
    : session_(session),
      context_(context),
      format_(format),
      json_lines_(json_lines),
      fetchers_(ops::make_fetchers(*session.repository, *session.pool)) {
  item_context_.one_line_names = context.output.out_is_terminal();
  item_context_.digest = [this](const archive::Item& item, const std::string& algorithm) {
    return content_digest(item, algorithm);
  };
}

void ItemListing::begin_archive(const archive::ArchiveSummary& archive, const archive::Metadata& metadata) {
  item_context_.archive_id = archive.id.hex();
  item_context_.archive_name = archive.name;
  item_context_.conditions = id_conditions(*session_.repository, metadata);
}

Result<std::string_view> ItemListing::render(const archive::Item& item) {
  line_.clear();
  if (json_lines_) {
    CAIRN_CHECKED(format_.render_json(item, item_context_, line_));
  } else {
    CAIRN_CHECKED(format_.render(item, item_context_, line_));
    line_ = context_.output.out_text(line_);
  }
  return line_;
}

Status ItemListing::show(const archive::Item& item) {
  CAIRN_TRY(const std::string_view shown, render(item));
  context_.output.write(shown);
  return {};
}

Result<std::string> ItemListing::content_digest(const archive::Item& item, const std::string& algorithm) {
  CAIRN_TRY(hash::Digest digest, hash::Digest::make(algorithm));
  std::size_t next = 0;
  const auto& chunks = *item.chunks;
  ops::ChunkStream stream(*session_.repository, *session_.pool, session_.pool->main_worker(), fetchers_, 'F',
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

}  // namespace cairn::cli

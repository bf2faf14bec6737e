// Printing the items of archives, as list and find do: one line or one JSON object each.
// Errors: those of rendering; a reader of standard output that is gone is none.
#pragma once

#include <string>
#include <string_view>

#include "archive/item.h"
#include "archive/metadata.h"
#include "archive/summary.h"
#include "cli/context.h"
#include "cli/item_format.h"
#include "cli/session.h"
#include "ops/chunk_stream.h"

namespace cairn::cli {

class ItemListing {
 public:
  // `format` and the others must outlive it.
  ItemListing(Session& session, Context& context, const ItemFormat& format, bool json_lines);

  void begin_archive(const archive::ArchiveSummary& archive, const archive::Metadata& metadata);
  Status show(const archive::Item& item);
  // What show() prints; valid until the next call.
  Result<std::string_view> render(const archive::Item& item);

 private:
  Result<std::string> content_digest(const archive::Item& item, const std::string& algorithm);

  Session& session_;
  Context& context_;
  const ItemFormat& format_;
  const bool json_lines_;
  ops::Fetchers fetchers_;
  ItemFormat::Context item_context_;
  std::string line_;
};

}  // namespace cairn::cli

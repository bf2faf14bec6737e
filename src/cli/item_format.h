// Format keys of items ({mode}, {path}, {size} ...), for list and find, as text and as JSON lines.
// Source: docs/format (cli, section 8.3; archive, section 10).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/format.h"
#include "archive/item.h"
#include "archive/summary.h"
#include "base/error.h"

namespace cairn::cli {

class ItemFormat {
 public:
  static Result<ItemFormat> compile(std::string_view text);

  struct Context {
    std::string archive_id, archive_name;
    bool one_line_names = false;  // for a terminal: a name cannot pass for another line
    std::string conditions;       // what ids depend on, for {fingerprint}
    // The raw digest of an item's content; called for the hash keys only.
    std::function<Result<std::string>(const archive::Item&, const std::string& algorithm)> digest;
  };
  Status render(const archive::Item& item, const Context& context, std::string& out) const;
  // One JSON object on a line, with the keys that are always there and those that the format names.
  Status render_json(const archive::Item& item, const Context& context, std::string& out) const;

 private:
  explicit ItemFormat(archive::FormatTemplate compiled) : template_(std::move(compiled)) {}
  archive::FormatTemplate template_;
};

// Of content; of a symbolic link, the length of its target.
std::int64_t shown_size(const archive::Item& item);
std::string mode_text(std::uint32_t mode);  // "-rw-r--r--"

}  // namespace cairn::cli

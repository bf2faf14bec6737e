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
  enum class Key {
    Type,
    Mode,
    Uid,
    Gid,
    User,
    Group,
    Path,
    Target,
    Hlid,
    Inode,
    Flags,
    Size,
    NumChunks,
    Mtime,
    Ctime,
    Atime,
    IsoMtime,
    IsoCtime,
    IsoAtime,
    Fingerprint,
    ArchiveId,
    ArchiveName,
    Extra,
    Digest
  };

  static Result<ItemFormat> compile(std::string_view text);

  struct Context {
    std::string archive_id, archive_name;
    bool one_line_names = false;  // for a terminal: a name cannot pass for another line
    std::string conditions;       // what ids depend on, for {fingerprint}
    // The raw digest of an item's content; called for the hash keys only.
    std::function<Result<std::string>(const archive::Item&, const std::string& algorithm)> digest;
  };
  Status render(const archive::Item& item, const Context& context, std::string& out) const;
  // One JSON object on a line, with the keys that are always there and those that the format names, sorted.
  Status render_json(const archive::Item& item, const Context& context, std::string& out) const;

 private:
  struct NamedKey {
    std::string name;
    Key key;
  };

  explicit ItemFormat(archive::FormatTemplate compiled);
  static Result<archive::FormatValue> value_of(const archive::Item& item, const Context& context, const NamedKey& key);

  archive::FormatTemplate template_;
  std::vector<NamedKey> keys_;       // of the template
  std::vector<NamedKey> json_keys_;  // sorted
};

// Of content; of a symbolic link, the length of its target.
std::int64_t shown_size(const archive::Item& item);
std::string mode_text(std::uint32_t mode);  // "-rw-r--r--"

}  // namespace cairn::cli

// A difference between two archives as a line of text or of JSON.
// Source: docs/format (cli, sections 8.3 and 10.11).
#pragma once

#include <string>
#include <string_view>

#include "archive/format.h"
#include "base/error.h"
#include "base/units.h"
#include "ops/item_changes.h"

namespace cairn::cli {

class DiffFormat {
 public:
  static Result<DiffFormat> compile(std::string_view text);

  // Appends to `out`. With `one_line_name` a path cannot pass for another line.
  Status render(const ops::ItemChanges& changes, Units units, bool one_line_name, std::string& out) const;

 private:
  explicit DiffFormat(archive::FormatTemplate compiled) : template_(std::move(compiled)) {}
  archive::FormatTemplate template_;
};

// One JSON object and a line feed. `numeric_ids`: owners are numbers.
std::string diff_json(const ops::ItemChanges& changes, bool numeric_ids);

}  // namespace cairn::cli

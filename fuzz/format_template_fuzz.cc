// Compiles the input as a format template and renders it, and reads it as each of the other texts that users give:
// placeholders, timestamps, spans, date patterns, prune limits.
#include <cstdint>
#include <string>

#include "archive/date_pattern.h"
#include "archive/format.h"
#include "archive/names.h"
#include "archive/placeholders.h"
#include "archive/prune.h"
#include "archive/selection.h"
#include "archive/time.h"

namespace archive = cairn::archive;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 300) return 0;
  const std::string text(reinterpret_cast<const char*>(data), size);
  constexpr std::string_view kKeys[] = {"name", "size", "time"};
  if (const auto compiled = archive::FormatTemplate::compile(text, kKeys)) {
    std::string out;
    (void)compiled->render(
        [&](std::size_t index) -> archive::FormatValue {
          const std::string& key = compiled->keys()[index];
          if (key == "size") return std::int64_t{-12345};
          if (key == "time") return archive::TimeValue{1'577'930'645 * cairn::kSecond};
          return std::string("n\xc3\xa4me\xff");
        },
        out);
  }
  (void)archive::replace_placeholders(text, {.now = 1'577'930'645 * cairn::kSecond});
  (void)archive::parse_iso(text, true);
  (void)archive::add_span(0, text);
  (void)archive::parse_date_pattern(text);
  (void)archive::parse_prune_limit(text);
  (void)archive::parse_group_by(text);
  (void)archive::parse_sort_by(text);
  (void)archive::check_archive_name(text);
  (void)archive::check_tag(text);
  return 0;
}

#include "cli/spec_values.h"

#include <fmt/format.h>

#include "archive/names.h"
#include "archive/time.h"
#include "chunk/params.h"
#include "cli/option_values.h"
#include "compress/spec.h"
#include "match/patterns.h"
#include "store/location.h"

namespace cairn::cli {

Result<std::string> parse_archive_name(std::string_view value) {
  CAIRN_CHECKED(archive::check_archive_name(value));
  return std::string(value);
}

Result<std::string> parse_tag(std::string_view value) {
  CAIRN_CHECKED(archive::check_tag(value));
  return std::string(value);
}

Result<std::string> parse_comment(std::string_view value) {
  CAIRN_CHECKED(archive::check_comment(value));
  return std::string(value);
}

Result<std::string> parse_location(std::string_view value) {
  // With placeholders it can be judged only when they are expanded.
  if (!value.empty() && value.find('{') == std::string_view::npos) {
    if (auto location = store::parse_location(value); !location && location.error().code() == Code::Usage)
      return std::unexpected(std::move(location).error());
  }
  return std::string(value);
}

Result<std::string> parse_compression(std::string_view value) {
  CAIRN_TRY([[maybe_unused]] const compress::Spec spec, compress::parse_spec(value));
  return std::string(value);
}

Result<std::string> parse_chunker_params(std::string_view value) {
  if (value == "default") return std::string(value);
  CAIRN_TRY([[maybe_unused]] const chunk::Params params, chunk::parse_params(value));
  return std::string(value);
}

Result<std::string> parse_timestamp(std::string_view value) {
  if (!archive::parse_timestamp_option(std::string(value)))
    return fail(Code::Usage, fmt::format("invalid timestamp value: {}", quoted(value)));
  return std::string(value);
}

Result<std::string> parse_exclude_pattern(std::string_view value) {
  match::Matcher matcher;
  if (Status status = matcher.add_exclude(value); !status) {
    if (status.error().code() == Code::Usage)
      return fail(Code::Usage, fmt::format("invalid parse_exclude_pattern value: {}", quoted(value)));
    return fail(std::move(status).error());
  }
  return std::string(value);
}

}  // namespace cairn::cli

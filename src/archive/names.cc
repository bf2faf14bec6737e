#include "archive/names.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "archive/python_text.h"
#include "archive/summary.h"

namespace cairn::archive {
namespace {

struct Rules {
  std::string_view kind;
  std::size_t min_length;
  std::size_t max_length;
  std::string_view forbidden;
  bool all_control_characters;  // else only NUL
  bool trimmed;                 // no blank at either end
};

bool not_unicode(char32_t point) { return point >= 0xdc80 && point <= 0xdcff; }

Status check(std::string_view text, const Rules& rules) {
  const std::u32string points = code_points(text);
  const auto bad = [&](std::string_view reason) {
    return fail(Code::Usage, fmt::format("Invalid {}: \"{}\" [{}]", rules.kind, text, reason));
  };
  if (points.size() < rules.min_length) return bad(fmt::format("length < {}", rules.min_length));
  if (points.size() > rules.max_length) return bad(fmt::format("length > {}", rules.max_length));
  const auto is_control = [&](char32_t point) { return point == 0 || (rules.all_control_characters && point < 0x20); };
  if (std::any_of(points.begin(), points.end(), is_control)) return bad("invalid control chars detected");
  if (text.find_first_of(rules.forbidden) != std::string_view::npos) {
    return bad(fmt::format("invalid chars detected matching \"{}\"", rules.forbidden));
  }
  if (std::any_of(points.begin(), points.end(), not_unicode)) return bad("contains non-unicode characters");
  if (rules.trimmed && !text.empty() && (text.front() == ' ' || text.back() == ' ')) {
    return bad("leading or trailing blanks detected");
  }
  return {};
}

}  // namespace

Status check_archive_name(std::string_view name) {
  return check(name, {.kind = "archive name",
                      .min_length = 1,
                      .max_length = 200,
                      .forbidden = "/\\\"<|>?*",
                      .all_control_characters = true,
                      .trimmed = true});
}

Status check_comment(std::string_view comment) {
  return check(comment, {.kind = "comment",
                         .min_length = 0,
                         .max_length = 10'000,
                         .forbidden = "",
                         .all_control_characters = false,
                         .trimmed = false});
}

Status check_tag(std::string_view tag) {
  CAIRN_CHECKED(check(tag, {.kind = "tag",
                            .min_length = 1,
                            .max_length = 10,
                            .forbidden = " ,$",
                            .all_control_characters = false,
                            .trimmed = false}));
  if (tag.starts_with('@') && tag != kProtectedTag) return fail(Code::Usage, "Unknown special tags given.");
  return {};
}

}  // namespace cairn::archive

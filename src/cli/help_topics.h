// The texts of `help TOPIC`: patterns, match-archives, placeholders, compression, environment.
//
// A text is paragraphs separated by empty lines. A paragraph that starts with a blank is shown as it stands (examples,
// tables); the others are wrapped.
#pragma once

#include <span>
#include <string_view>

namespace cairn::cli {

struct Topic {
  const char* name;
  const char* summary;
  const char* text;
};

std::span<const Topic> topics();
const Topic* find_topic(std::string_view name);  // "env" is "environment"

}  // namespace cairn::cli

// What to do about an error, said below it to people who sit at a terminal. Logs and scripts see Borg's texts alone.
#pragma once

#include <optional>
#include <string_view>

#include "base/error.h"
#include "cli/context.h"

namespace cairn::cli {

// One or two sentences, or nothing.
std::optional<std::string_view> tip_for(const Error& error);

// "tip: TEXT", if standard error is a terminal and nobody asked for JSON there.
void say_tip(Context& context, std::string_view text);

}  // namespace cairn::cli

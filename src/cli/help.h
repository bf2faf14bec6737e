// Usage lines and help texts, made from the option tables.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cairn::cli {

// "usage: cairn create [options] NAME [PATH ...]" and a newline. `command` may be a group or empty.
std::string usage_line(const std::string& program, std::string_view command);

enum class HelpPart { Everything, UsageAndOptions, Explanation };

// Help of the program (""), a group, a command or a topic, wrapped to `columns`; nothing for an unknown name.
std::optional<std::string> help_text(const std::string& program, std::string_view topic, std::size_t columns,
                                     HelpPart part = HelpPart::Everything);

// Borg's message for a name that is neither command nor topic.
std::string unknown_topic_message(std::string_view topic);

}  // namespace cairn::cli

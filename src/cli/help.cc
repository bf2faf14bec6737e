#include "cli/help.h"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/help_topics.h"

namespace cairn::cli {
namespace {

constexpr std::size_t kHelpColumn = 28;  // where explanations of options start

std::string wrapped(std::string_view paragraph, std::size_t indent, std::size_t columns) {
  std::string out, line;
  for (const auto word : split_words(paragraph, ' ')) {
    if (!line.empty() && indent + line.size() + 1 + word.size() > columns) {
      out += std::string(indent, ' ') + line + "\n";
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  if (!line.empty()) out += std::string(indent, ' ') + line + "\n";
  return out;
}

std::string paragraphs(std::string_view text, std::size_t columns) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("\n\n"), text.size());
    const std::string_view paragraph = text.substr(0, end);
    if (!out.empty()) out += "\n";
    if (paragraph.starts_with(' '))
      out += std::string(paragraph) + "\n";
    else
      out += wrapped(paragraph, 0, columns);
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return out;
}

std::string entry(const std::string& left, std::string_view explanation, std::size_t columns) {
  std::string text = wrapped(explanation, kHelpColumn, std::max(columns, kHelpColumn + 30));
  const std::string head = "  " + left;
  if (head.size() + 2 > kHelpColumn) return head + "\n" + text;
  return text.empty() ? head + "\n" : head + text.substr(head.size());
}

std::string option_entries(std::string_view title, std::span<const Option> options, std::size_t columns) {
  std::string out = fmt::format("\n{}:\n", title);
  for (const Option& option : options) {
    if (option.is_hidden) continue;
    std::string left = option.names;
    if (*option.metavar != 0)
      left += option.option_kind == OptionKind::OptionalValue ? fmt::format(" [{}]", option.metavar)
                                                              : fmt::format(" {}", option.metavar);
    std::string explanation = option.help;
    if (*option.choice_list != 0)
      explanation += fmt::format(": {}", fmt::join(split_words(option.choice_list, '|'), ", "));
    if (option.is_required) explanation += " (required)";
    if (*option.default_text != 0) explanation += fmt::format(" (default: {})", option.default_text);
    out += entry(left, explanation, columns);
  }
  return out;
}

std::string command_help(const std::string& program, const Command& command, std::size_t columns, HelpPart part) {
  if (!command.built) return fmt::format("{} is not there yet.\n", command.name);
  std::string out;
  if (part != HelpPart::Explanation) {
    out = usage_line(program, command.name);
    if (part == HelpPart::Everything) out += "\n" + paragraphs(command.description, columns);
    if (!command.positionals.empty()) out += "\narguments:\n";
    for (const Positional& positional : command.positionals) {
      std::string explanation = positional.help;
      if (*positional.choice_list != 0)
        explanation += fmt::format(": {}", fmt::join(split_words(positional.choice_list, '|'), ", "));
      out += entry(positional.name, explanation, columns);
    }
    for (const OptionSet& set : command.sets) out += option_entries(set.title, set.options, columns);
    out += option_entries("common options", common_options(), columns);
  } else {
    out = paragraphs(command.description, columns);
  }
  return out;
}

std::string group_help(const std::string& program, const Group& group, std::size_t columns) {
  std::string out = usage_line(program, group.name) + fmt::format("\n{}\n\ncommands:\n", group.summary);
  for (const Command* command : commands()) {
    const std::string_view name = command->name;
    if (name.starts_with(std::string(group.name) + " "))
      out += entry(std::string(name.substr(name.find(' ') + 1)), command->summary, columns);
  }
  return out + option_entries("common options", common_options(), columns);
}

std::string program_help(const std::string& program, std::size_t columns) {
  std::string out = usage_line(program, "");
  out +=
      "\n" + wrapped("Cairn keeps deduplicated, encrypted backups in repositories that Borg 2 can read and write too.",
                     0, columns);
  out += "\ncommands:\n";
  std::vector<std::string_view> words(command_words().begin(), command_words().end());
  words.insert(words.end(), own_words().begin(), own_words().end());
  for (const auto word : words) {
    if (const Group* group = find_group(word))
      out += entry(std::string(word), group->summary, columns);
    else if (const Command* command = find_command(word); command != nullptr && command->built)
      out += entry(std::string(word), command->summary, columns);
  }
  out += "\ntopics (see \"help TOPIC\"):\n";
  for (const Topic& topic : topics()) out += entry(topic.name, topic.summary, columns);
  out += option_entries("common options", common_options(), columns);
  out += option_entries("program options", program_options(), columns);
  return out;
}

}  // namespace

std::string usage_line(const std::string& program, std::string_view name) {
  if (const Command* command = find_command(name); command != nullptr && command->built) {
    std::string out = fmt::format("usage: {} {} [options]", program, name);
    for (const OptionSet& set : command->sets)
      for (const Option& option : set.options)
        if (option.is_required) out += fmt::format(" {} {}", long_name(option), option.metavar);
    for (const Positional& positional : command->positionals) {
      switch (positional.kind) {
        case PositionalKind::Required:
          out += fmt::format(" {}", positional.name);
          break;
        case PositionalKind::Optional:
          out += fmt::format(" [{}]", positional.name);
          break;
        case PositionalKind::Repeated:
        case PositionalKind::Remaining:
          out += fmt::format(" [{} ...]", positional.name);
      }
    }
    return out + "\n";
  }
  if (find_group(name) != nullptr) return fmt::format("usage: {} {} [common options] COMMAND ...\n", program, name);
  return fmt::format("usage: {} [common options] COMMAND ...\n", program);
}

std::optional<std::string> help_text(const std::string& program, std::string_view topic, std::size_t columns,
                                     HelpPart part) {
  if (topic.empty()) return program_help(program, columns);
  if (const Command* command = find_command(topic)) return command_help(program, *command, columns, part);
  if (const Group* group = find_group(topic)) return group_help(program, *group, columns);
  if (const Topic* found = find_topic(topic)) return paragraphs(found->text, columns);
  return std::nullopt;
}

std::string unknown_topic_message(std::string_view topic) {
  std::set<std::string_view> names(command_words().begin(), command_words().end());
  std::set<std::string_view> topic_names;
  for (const Topic& known : topics()) topic_names.insert(known.name);
  return fmt::format("No help available on {}.\nTry one of the following:\n    Commands: {}\n    Topics: {}", topic,
                     fmt::join(names, ", "), fmt::join(topic_names, ", "));
}

}  // namespace cairn::cli

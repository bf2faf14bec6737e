// Command lines of any words, variables and configuration: none may crash, and what is accepted can be rendered.
//
// Input: words separated by NUL. After an empty word follow NAME=VALUE variables; after another the text of the
// configuration file /f.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/command_line.h"
#include "cli/help.h"

namespace {

// Up to the next NUL; the separator is dropped.
std::string next_word(std::string_view& input) {
  const std::size_t end = std::min(input.find('\0'), input.size());
  std::string word(input.substr(0, end));
  input.remove_prefix(std::min(end + 1, input.size()));
  return word;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn::cli;
  std::string_view input(reinterpret_cast<const char*>(data), size);  // NOLINT: bytes as text
  std::vector<std::string> words;
  while (!input.empty()) {
    std::string word = next_word(input);
    if (word.empty()) break;
    words.push_back(std::move(word));
  }
  std::map<std::string, std::string> variables;
  while (!input.empty()) {
    const std::string word = next_word(input);
    if (word.empty()) break;
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos) variables[word.substr(0, equals)] = word.substr(equals + 1);
  }
  const std::string configuration(input);
  const Surroundings around{.variable = [&](const std::string& name) -> std::optional<std::string> {
                              const auto found = variables.find(name);
                              return found == variables.end() ? std::nullopt : std::optional(found->second);
                            },
                            .read_file = [&](const std::string& path) -> cairn::Result<std::optional<std::string>> {
                              if (path != "/f") return std::nullopt;
                              return configuration;
                            }};
  const Parsed parsed = parse_command_line(words, around);
  if (const auto* usage = std::get_if<UsageError>(&parsed)) {
    if (!usage_error_text("cairn", *usage).ends_with('\n')) std::abort();
  } else if (const auto* invocation = std::get_if<Invocation>(&parsed)) {
    if (invocation->action == Invocation::Action::Run &&
        (invocation->command == nullptr || (invocation->command->built && !invocation->options)))
      std::abort();
    if (invocation->action == Invocation::Action::Help && !help_text("cairn", invocation->topic, 80)) std::abort();
  }
  return 0;
}

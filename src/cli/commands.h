// All commands by name, in the order in which messages list them.
#pragma once

#include <span>
#include <string_view>

#include "cli/option_table.h"

namespace cairn::cli {

struct Group {
  const char* name;  // "key"
  const char* summary;
};

std::span<const Command* const> commands();         // two-level names included: "key export"
std::span<const Group> groups();                    // groups with commands that are built
std::span<const std::string_view> command_words();  // the first words, in Borg's order
std::span<const std::string_view> own_words();      // of commands that Borg lacks: its messages do not list them

const Command* find_command(std::string_view name);
const Group* find_group(std::string_view name);

}  // namespace cairn::cli

#include "cli/completion.h"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands.h"
#include "cli/completion_model.h"

namespace cairn::cli {
namespace {

// ---- PowerShell

std::string powershell_script(std::string_view program) {
  const auto quoted = [](std::string_view text) { return "'" + replaced_all(std::string(text), "'", "''") + "'"; };
  std::string table;
  const std::vector<Entry> all = completion_entries();
  for (const Entry& entry : all) {
    std::vector<std::string> words;
    for (const Option* option : entry.options) words.push_back(quoted(long_name(*option)));
    if (!entry.name.empty()) {
      for (const Option* option : all.front().options) words.push_back(quoted(long_name(*option)));
    } else {
      for (const std::string& word : first_words()) words.push_back(quoted(word));
    }
    for (const Place& place : entry.places) {
      for (const std::string& word : place.offer.words) words.push_back(quoted(word));
    }
    table += fmt::format("    {} = @({})\n", quoted(entry.name), fmt::join(words, ", "));
  }
  for (const Group& group : groups()) {
    std::vector<std::string> words;
    for (const std::string& word : words_of(group)) words.push_back(quoted(word));
    table += fmt::format("    {} = @({})\n", quoted(group.name), fmt::join(words, ", "));
  }
  return fmt::format(
      "Register-ArgumentCompleter -Native -CommandName {0} -ScriptBlock {{\n"
      "  param($word, $line, $position)\n"
      "  $table = @{{\n{1}  }}\n"
      "  $command = ''\n"
      "  foreach ($element in $line.CommandElements | Select-Object -Skip 1) {{\n"
      "    $text = $element.ToString()\n"
      "    if ($element.Extent.EndOffset -ge $position -or $text.StartsWith('-')) {{ continue }}\n"
      "    $longer = \"$command $text\".Trim()\n"
      "    if ($table.ContainsKey($longer)) {{ $command = $longer }}\n"
      "  }}\n"
      "  $table[$command] | Where-Object {{ $_ -like \"$word*\" }} | ForEach-Object {{\n"
      "    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)\n"
      "  }}\n"
      "}}\n",
      quoted(program), table);
}

}  // namespace

std::string completed_program(std::string_view invoked_as) {
  if (invoked_as.ends_with(".exe")) invoked_as.remove_suffix(4);
  const bool usable = invoked_as.starts_with("borg") || invoked_as.starts_with("cairn");
  return std::string(usable ? invoked_as : "cairn");
}

std::string completion_script(std::string_view shell, std::string_view program) {
  if (shell == "bash") return bash_script(program);
  if (shell == "zsh") return zsh_script(program);
  if (shell == "fish") return fish_script(program);
  if (shell == "tcsh") return tcsh_script(program);
  return powershell_script(program);
}

}  // namespace cairn::cli

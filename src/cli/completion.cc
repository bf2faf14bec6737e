#include "cli/completion.h"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/option_table.h"

namespace cairn::cli {
namespace {

// What may stand at a place.
struct Offer {
  enum class Kind { Nothing, Files, Folders, Archives, Words } kind = Kind::Nothing;
  std::vector<std::string> words{};

  // For the scripts: "files", "words:a b".
  std::string text() const {
    constexpr std::string_view kNames[] = {"nothing", "files", "folders", "archives", "words:"};
    return fmt::format("{}{}", kNames[static_cast<std::size_t>(kind)], fmt::join(words, " "));
  }
};

struct Place {
  std::string name;
  Offer offer;
  bool repeated = false;
};

struct Entry {
  std::string name;  // "create", "key export"; empty for the program
  std::string summary;
  std::vector<const Option*> options{};
  std::vector<Place> places{};
};

std::vector<std::string> strings(std::string_view list, char separator) {
  std::vector<std::string> all;
  for (const auto word : split_words(list, separator)) all.emplace_back(word);
  return all;
}

bool takes_value(const Option& option) { return option.option_kind == OptionKind::Value; }

Offer offer_of(const Option& option) {
  using Kind = Offer::Kind;
  if (*option.choice_list != 0) return {.kind = Kind::Words, .words = strings(option.choice_list, '|')};
  const std::string_view metavar = option.metavar;
  if (metavar == "FILE" || metavar == "PATH" || metavar == "MAPFILE" || metavar == "CONFIG")
    return {.kind = Kind::Files};
  if (metavar == "REPO" || metavar == "SRC_REPOSITORY" || metavar == "DIRECTORY") return {.kind = Kind::Folders};
  if (metavar == "ARCHIVE") return {.kind = Kind::Archives};
  return {};
}

Offer offer_of(const Command& command, const Positional& positional) {
  using Kind = Offer::Kind;
  if (*positional.choice_list != 0) return {.kind = Kind::Words, .words = strings(positional.choice_list, '|')};
  const std::string_view name = positional.name;
  const std::string_view of = command.name;
  const bool makes_archive = of == "create" || of == "import-tar";
  if (name == "NAME" || name == "OLDNAME" || name == "ARCHIVE1" || name == "ARCHIVE2")
    return {.kind = makes_archive ? Kind::Nothing : Kind::Archives};
  if (name == "PATH" || name == "FILE" || name == "TARFILE" || name == "ARGS") return {.kind = Kind::Files};
  if (name == "MOUNTPOINT") return {.kind = Kind::Folders};
  if (name == "TOPIC") {
    Offer words{.kind = Kind::Words};
    for (const auto word : command_words()) words.words.emplace_back(word);
    return words;
  }
  return {};
}

void add_options(Entry& entry, std::span<const Option> options) {
  for (const Option& option : options) {
    if (!option.is_hidden) entry.options.push_back(&option);
  }
}

// The program itself first, then every command.
std::vector<Entry> entries() {
  std::vector<Entry> all;
  Entry& program = all.emplace_back();
  add_options(program, common_options());
  add_options(program, program_options());
  for (const Command* command : commands()) {
    if (!command->built) continue;
    Entry entry{.name = command->name, .summary = command->summary};
    for (const OptionSet& set : command->sets) add_options(entry, set.options);
    add_options(entry, common_options());
    for (const Positional& positional : command->positionals) {
      const bool repeated = positional.kind == PositionalKind::Repeated || positional.kind == PositionalKind::Remaining;
      entry.places.push_back({.name = positional.name, .offer = offer_of(*command, positional), .repeated = repeated});
    }
    all.push_back(std::move(entry));
  }
  return all;
}

// First words, and the words that may follow a group's name.
std::vector<std::string> first_words() {
  std::vector<std::string> words;
  for (const auto word : command_words()) {
    const Command* command = find_command(word);
    if (find_group(word) != nullptr || (command != nullptr && command->built)) words.emplace_back(word);
  }
  return words;
}
std::vector<std::string> words_of(const Group& group) {
  std::vector<std::string> words;
  const std::string prefix = std::string(group.name) + " ";
  for (const Command* command : commands()) {
    const std::string_view name = command->name;
    if (command->built && name.starts_with(prefix)) words.emplace_back(name.substr(prefix.size()));
  }
  return words;
}

std::string all_names(const Entry& entry, bool with_value_only) {
  std::vector<std::string_view> names;
  for (const Option* option : entry.options) {
    if (with_value_only && !takes_value(*option)) continue;
    for (const auto name : names_of(*option)) names.push_back(name);
  }
  return fmt::format("{}", fmt::join(names, " "));
}

std::string replaced_all(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

// 'text' for a POSIX shell.
std::string in_quotes(std::string_view text) { return "'" + replaced_all(std::string(text), "'", "'\\''") + "'"; }

// A name that a shell function may have.
std::string identifier(std::string_view program) {
  std::string out = "_";
  for (const char c : program) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    out += plain ? c : '_';
  }
  return out;
}

// ---- bash

constexpr std::string_view kBash = R"bash(
%F() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= repo= position=0
  local i word options valued places offer
  [[ $cur == = ]] && cur=
  [[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD-2]}
  %F_table ''
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    [[ $word == -r || $word == --repo ]] && repo=${COMP_WORDS[i+1]#=}
    if [[ $word == -* ]]; then
      if [[ " $valued " == *" $word "* ]]; then
        ((i++))
        [[ ${COMP_WORDS[i]} == = ]] && ((i++))
      fi
    elif [[ -z $command ]]; then
      command=$word
      %F_table "$command"
    elif [[ " %G " == *" $command "* ]]; then
      command="$command $word"
      %F_table "$command"
    else
      ((position++))
    fi
  done
  if [[ " $valued " == *" $prev "* ]]; then
    %F_value "$command" "$prev"
  elif [[ $cur == -* ]]; then
    offer="words:$options"
  else
    set -- $places
    while ((position > 0 && $# > 1)); do shift; ((position--)); done
    offer=$1
    [[ $offer == *+ ]] || ((position == 0)) || offer=nothing
    offer=${offer%+}
    [[ $offer == words:* ]] && offer=${offer//,/ }
  fi
  COMPREPLY=()
  local IFS=$'\n'
  case $offer in
    words:*) COMPREPLY=($(IFS=' '; compgen -W "${offer#words:}" -- "$cur")) ;;
    files) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")) ;;
    folders) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")) ;;
    archives)
      word=$("${COMP_WORDS[0]}" ${repo:+-r} ${repo:+"$repo"} repo-list \
        --format '{archive}{NL}' 2>/dev/null </dev/null | sort -u)
      COMPREPLY=($(compgen -W "$word" -- "$cur")) ;;
  esac
}
complete -F %F %P
)bash";

std::string bash_script(std::string_view program) {
  const std::string function = identifier(program);
  std::string table = fmt::format("{}_table() {{\n  case $1 in\n", function);
  std::string values = fmt::format("{}_value() {{\n  offer=nothing\n  case \"$1 $2\" in\n", function);
  const auto add = [&](const std::string& name, const std::string& options, const std::string& valued,
                       const std::string& places) {
    table += fmt::format("    {}) options={} valued={} places={} ;;\n", in_quotes(name), in_quotes(options),
                         in_quotes(valued), in_quotes(places));
  };
  for (const Entry& entry : entries()) {
    std::vector<std::string> places;
    if (entry.name.empty()) places.push_back(fmt::format("words:{}", fmt::join(first_words(), ",")));
    for (const Place& place : entry.places)
      places.push_back(replaced_all(place.offer.text(), " ", ",") + (place.repeated ? "+" : ""));
    add(entry.name, all_names(entry, false), all_names(entry, true), fmt::format("{}", fmt::join(places, " ")));
    for (const Option* option : entry.options) {
      const Offer offer = offer_of(*option);
      if (!takes_value(*option) || offer.kind == Offer::Kind::Nothing) continue;
      std::vector<std::string> keys;
      for (const auto name : names_of(*option)) keys.push_back(in_quotes(fmt::format("{} {}", entry.name, name)));
      values += fmt::format("    {}) offer={} ;;\n", fmt::join(keys, "|"), in_quotes(offer.text()));
    }
  }
  std::vector<std::string_view> group_names;
  for (const Group& group : groups()) {
    group_names.emplace_back(group.name);
    add(group.name, "--help", "", fmt::format("words:{}", fmt::join(words_of(group), ",")));
  }
  table += "    *) options=--help valued= places=nothing ;;\n  esac\n}\n";
  values += "  esac\n}\n";
  std::string script = replaced_all(std::string(kBash), "%F", function);
  script = replaced_all(std::move(script), "%G", fmt::format("{}", fmt::join(group_names, " ")));
  script = replaced_all(std::move(script), "%P", program);
  return fmt::format("# bash completion for {}\n{}{}{}", program, table, values, script);
}

// ---- zsh

// For the text between brackets of an _arguments specification.
std::string zsh_escaped(std::string_view text) {
  std::string out(text);
  for (const std::string_view special : {"\\", "[", "]", ":"})
    out = replaced_all(std::move(out), special, "\\" + std::string(special));
  return out;
}

std::string zsh_action(const Offer& offer, const std::string& function) {
  switch (offer.kind) {
    case Offer::Kind::Files:
      return "_files";
    case Offer::Kind::Folders:
      return "_files -/";
    case Offer::Kind::Archives:
      return function + "_archives";
    case Offer::Kind::Words:
      return fmt::format("({})", fmt::join(offer.words, " "));
    case Offer::Kind::Nothing:
      break;
  }
  return " ";
}

std::string zsh_script(std::string_view program) {
  const std::string function = identifier(program);
  std::string script = fmt::format(
      "#compdef {0}\n"
      "{1}_archives() {{\n"
      "  local -a names\n"
      "  local repo=${{opt_args[-r]:-${{opt_args[--repo]:-$before}}}}\n"
      "  names=(${{(f)\"$({0} ${{repo:+-r}} ${{repo:+${{(Q)repo}}}} repo-list --format '{{archive}}{{NL}}' 2>/dev/null "
      "</dev/null)\"}})\n"
      "  compadd -a names\n"
      "}}\n",
      program, function);
  const auto specs = [&](const Entry& entry) {
    std::string text;
    for (const Option* option : entry.options) {
      const auto names = names_of(*option);
      std::string value;
      if (takes_value(*option))
        value = fmt::format(":{}:{}", zsh_escaped(option->metavar), zsh_action(offer_of(*option), function));
      for (const auto name : names) {
        const std::string exclude = option->is_repeatable ? "*" : fmt::format("({})", fmt::join(names, " "));
        text += fmt::format("      {} \\\n",
                            in_quotes(fmt::format("{}{}[{}]{}", exclude, name, zsh_escaped(option->help), value)));
      }
    }
    return text;
  };
  const std::vector<Entry> all = entries();
  const auto described = [&](const std::string& prefix, const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
      std::string_view summary;
      for (const Entry& entry : all) {
        if (entry.name == prefix + word) summary = entry.summary;
      }
      text += fmt::format("        {}\n", in_quotes(word + ":" + replaced_all(std::string(summary), ":", "\\:")));
    }
    return text;
  };
  script += fmt::format(
      "{}() {{\n  local curcontext=$curcontext state line\n  local -a words_\n  typeset -A opt_args\n", function);
  script += fmt::format("  _arguments -C \\\n{}      '(-): :->command' '(-)*:: :->rest'\n", specs(all.front()));
  // What follows reads the words behind the command alone.
  script += "  local before=${opt_args[-r]:-${opt_args[--repo]}}\n";
  script +=
      fmt::format("  case $state in\n    command)\n      words_=(\n{}      )\n      _describe command words_ ;;\n",
                  described("", first_words()));
  script += "    rest)\n      local command=$words[1]\n";
  for (const Group& group : groups()) {
    script += fmt::format(
        "      if [[ $command == {0} ]]; then\n"
        "        if ((CURRENT == 2)); then\n          words_=(\n{1}          )\n          _describe command words_\n"
        "          return\n        fi\n"
        "        shift words\n        ((CURRENT--))\n        command=\"{0} $words[1]\"\n      fi\n",
        group.name, described(std::string(group.name) + " ", words_of(group)));
  }
  script += "      case $command in\n";
  for (const Entry& entry : all) {
    if (entry.name.empty()) continue;
    script += fmt::format("    {})\n      _arguments \\\n{}", in_quotes(entry.name), specs(entry));
    std::size_t number = 0;
    for (const Place& place : entry.places) {
      ++number;
      // A message for free text would keep options from being completed there, if it were shown for them too.
      const std::string action = place.offer.kind == Offer::Kind::Nothing ? fmt::format("_guard \"^-*\" {}", place.name)
                                                                          : zsh_action(place.offer, function);
      script +=
          fmt::format("      {} \\\n", in_quotes(fmt::format("{}:{}:{}", place.repeated ? "*" : std::to_string(number),
                                                             zsh_escaped(place.name), action)));
    }
    script += "      && return ;;\n";
  }
  // As a file in fpath the script is the function that is called first, or else it is sourced.
  return script + fmt::format(
                      "      esac ;;\n  esac\n}}\n"
                      "if [[ $funcstack[1] == {0} ]]; then\n  {0} \"$@\"\nelse\n  compdef {0} {1}\nfi\n",
                      function, program);
}

// ---- fish

std::string fish_script(std::string_view program) {
  const std::string function = "_" + identifier(program);
  std::string script = fmt::format(
      "# fish completion for {0}\n"
      "function {1}_archives\n"
      "    set -l repo\n"
      "    set -l words (commandline -opc)\n"
      "    while set -q words[1]\n"
      "        switch $words[1]\n"
      "            case -r --repo\n"
      "                set repo -r $words[2]\n"
      "            case '--repo=*'\n"
      "                set repo $words[1]\n"
      "        end\n"
      "        set -e words[1]\n"
      "    end\n"
      "    {0} $repo repo-list --format '{{archive}}{{NL}}' 2>/dev/null </dev/null\n"
      "end\n"
      "complete -c {0} -f\n",
      program, function);
  const auto arguments = [&](const Offer& offer) -> std::string {
    switch (offer.kind) {
      case Offer::Kind::Files:
        return " -F";
      case Offer::Kind::Folders:
        return " -a '(__fish_complete_directories)'";
      case Offer::Kind::Archives:
        return fmt::format(" -a '({}_archives)'", function);
      case Offer::Kind::Words:
        return fmt::format(" -a '{}'", fmt::join(offer.words, " "));
      case Offer::Kind::Nothing:
        break;
    }
    return "";
  };
  const auto quoted = [](std::string_view text) {
    return "'" + replaced_all(replaced_all(std::string(text), "\\", "\\\\"), "'", "\\'") + "'";
  };
  for (const Entry& entry : entries()) {
    std::string condition = "__fish_use_subcommand";
    if (!entry.name.empty()) {
      std::vector<std::string> seen;
      for (const auto word : split_words(entry.name, ' '))
        seen.push_back(fmt::format("__fish_seen_subcommand_from {}", word));
      condition = fmt::format("{}", fmt::join(seen, "; and "));
      const std::size_t blank = entry.name.find(' ');
      const std::string first = entry.name.substr(0, blank);
      const std::string before =
          blank == std::string::npos ? "__fish_use_subcommand" : fmt::format("__fish_seen_subcommand_from {}", first);
      script += fmt::format("complete -c {} -n {} -a {} -d {}\n", program, quoted(before),
                            quoted(blank == std::string::npos ? entry.name : entry.name.substr(blank + 1)),
                            quoted(entry.summary));
      for (const Place& place : entry.places) {
        if (place.offer.kind != Offer::Kind::Nothing)
          script += fmt::format("complete -c {} -n {}{}\n", program, quoted(condition), arguments(place.offer));
      }
    }
    for (const Option* option : entry.options) {
      std::string names;
      for (const auto name : names_of(*option))
        names += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2)) : fmt::format(" -s {}", name.substr(1));
      std::string value;
      if (takes_value(*option)) {
        const Offer offer = offer_of(*option);
        value = (offer.kind == Offer::Kind::Files ? " -r" : " -x") + arguments(offer);
      }
      script += fmt::format("complete -c {} -n {}{} -d {}{}\n", program, quoted(condition), names, quoted(option->help),
                            value);
    }
  }
  for (const Group& group : groups()) {
    script += fmt::format("complete -c {} -n __fish_use_subcommand -a {} -d {}\n", program, group.name,
                          quoted(group.summary));
  }
  return script;
}

// ---- tcsh: by the word before, else by the place; options of all commands together

std::string tcsh_script(std::string_view program) {
  std::set<std::string> long_names;
  std::vector<std::string> rules;
  std::set<std::string> ruled;
  const std::string archives = fmt::format("`{} repo-list --format \"{{archive}}{{NL}}\" < /dev/null`", program);
  const auto list = [&](const Offer& offer) -> std::string {
    switch (offer.kind) {
      case Offer::Kind::Files:
        return "f";
      case Offer::Kind::Folders:
        return "d";
      case Offer::Kind::Archives:
        return archives;
      case Offer::Kind::Words:
        return fmt::format("({})", fmt::join(offer.words, " "));
      case Offer::Kind::Nothing:
        break;
    }
    return "x:?";
  };
  // Options of several commands share one rule, so words that either of them takes are offered.
  std::vector<std::pair<std::string, Offer>> values;
  for (const Entry& entry : entries()) {
    for (const Option* option : entry.options) {
      for (const auto name : names_of(*option)) {
        if (name.starts_with("--")) long_names.insert(std::string(name.substr(2)));
        const Offer offer = offer_of(*option);
        if (takes_value(*option) && offer.kind != Offer::Kind::Nothing && ruled.insert(std::string(name)).second)
          values.emplace_back(name, offer);
      }
    }
  }
  rules.push_back(fmt::format("'c/--/({})/'", fmt::join(long_names, " ")));
  for (const auto& [name, offer] : values) rules.push_back(fmt::format("'n@{}@{}@'", name, list(offer)));
  for (const Group& group : groups())
    rules.push_back(fmt::format("'n/{}/({})/'", group.name, fmt::join(words_of(group), " ")));
  for (const Entry& entry : entries()) {
    if (!entry.places.empty() && entry.places.front().offer.kind != Offer::Kind::Nothing &&
        entry.name.find(' ') == std::string::npos)
      rules.push_back(fmt::format("'n@{}@{}@'", entry.name, list(entry.places.front().offer)));
  }
  rules.push_back(fmt::format("'p/1/({})/'", fmt::join(first_words(), " ")));
  return fmt::format("complete {} {}\n", program, fmt::join(rules, " "));
}

// ---- PowerShell

std::string powershell_script(std::string_view program) {
  const auto quoted = [](std::string_view text) { return "'" + replaced_all(std::string(text), "'", "''") + "'"; };
  std::string table;
  for (const Entry& entry : entries()) {
    std::vector<std::string> words;
    for (const Option* option : entry.options) words.push_back(quoted(long_name(*option)));
    if (entry.name.empty()) {
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

std::string completion_script(std::string_view shell, std::string_view program) {
  if (shell == "bash") return bash_script(program);
  if (shell == "zsh") return zsh_script(program);
  if (shell == "fish") return fish_script(program);
  if (shell == "tcsh") return tcsh_script(program);
  return powershell_script(program);
}

}  // namespace cairn::cli

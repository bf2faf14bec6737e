#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/completion_model.h"

namespace cairn::cli {
namespace {

using Kind = Offer::Kind;

constexpr std::string_view kHelpers = R"zsh(
# What is typed of the current word's value.
%S_typed() {
  typed=${words[CURRENT]}
  [[ $typed == --[a-z-]#=* || $typed == --*=* ]] && typed=${typed#*=}
}

# The options for _arguments, where values of long options may also stand behind an equals sign.
%S_specs() {
  local spec
  specs=()
  for spec in "$@"; do
    [[ $spec == *\]:*:* && ${spec%%\[*} == (|*[\)*])--[^\)]# ]] && spec="${spec/\[/=[}"
    specs+=("$spec")
  done
}

# The repository that the line names, for the program.
%S_repo() {
  repo=${opt_args[-r]:-${opt_args[--repo]:-$before}}
  [[ -n $repo ]] && repo=(--repo "${(Q)repo}")
}

%H_archive() {
  local typed
  local -a repo names
  %S_typed
  %S_repo
  local format='{archive}{NL}'
  [[ $typed == aid:* ]] && format='aid:{id}{NL}'
  names=(${(fu)"$(%P repo-list $repo --format $format 2>/dev/null </dev/null)"})
  compadd -- $names
}

%H_tags() {
  local -a repo names
  %S_repo
  names=(${(fu)"$(%P repo-list $repo --format '{tags}{NL}' 2>/dev/null </dev/null | tr , '\n')"})
  compadd -- $names
}

# One level of the tree in the archive that the line names.
%H_stored_path() {
  local typed
  local -a repo all folder
  %S_typed
  typed=${(Q)typed}
  %S_repo
  [[ $typed == */* ]] && folder=("${typed%/*}")
  all=(${(f)"$(%P list $repo --depth ${#typed//[^\/]/} --format '{type}{path}{NL}' "${(Q)line[1]}" $folder 2>/dev/null </dev/null)"})
  compadd -S / -- ${${(M)all:#d*}#d}
  compadd -- ${${all:#d*}#?}
}

# One more of the keys in a list with commas, each once.
%S_more() {
  local typed head key sign
  local -a found
  %S_typed
  [[ $typed == *,* ]] && head=${typed%,*},
  sign=${(Q)typed#"$head"}
  sign=${sign%%[^<>]*}
  for key in "$@"; do
    [[ ,${(Q)head} == *[,\<\>]${key},* ]] || found+=("${(Q)head}$sign$key")
  done
  found=(${(M)found:#${(b)${(Q)typed}}*})
  compadd -- $found
}

%H_filescachemode() {
  local typed chosen
  local -a keys
  keys=(%C)
  %S_typed
  chosen=,${typed%"${typed##*,}"}
  [[ $chosen == , ]] || keys=(${keys:#disabled})
  [[ $chosen == *,[cm]time,* ]] && keys=(${keys:#[cm]time})
  [[ $chosen == *,size,* || $chosen == *,inode,* ]] && keys=(${keys:#rechunk})
  [[ $chosen == *,rechunk,* ]] && keys=(${keys:#(size|inode)})
  [[ $chosen == *,disabled,* ]] || %S_more $keys
}
)zsh";

// For the text between brackets of an _arguments specification, in double quotes.
std::string escaped(std::string_view text) {
  std::string out(text);
  for (const std::string_view special : {"\\", "[", "]", ":"})
    out = replaced_all(std::move(out), special, "\\" + std::string(special));
  for (const std::string_view special : {"\\", "\"", "$", "`"})
    out = replaced_all(std::move(out), special, "\\" + std::string(special));
  return out;
}

std::string in_quotes(std::string_view text) { return "'" + replaced_all(std::string(text), "'", "'\\''") + "'"; }

std::string action_of(const Offer& offer, std::string_view program) {
  switch (offer.kind) {
    case Kind::Nothing:
      return " ";
    case Kind::Files:
      return "_files";
    case Kind::Folders:
      return "_files -/";
    case Kind::Words:
      return fmt::format("({})", fmt::join(offer.words, " "));
    default:
      return helper_of(program, offer.kind);
  }
}

std::string array_of(std::string_view stem, const Entry& entry) {
  return std::string(stem) + (entry.name.empty() ? "" : "_" + underscored(entry.name)) + "_options";
}

// The options of an entry as an array.
std::string array_text(const Entry& entry, std::string_view program) {
  std::string text = fmt::format("\n{}=(\n", array_of(stem_of(program), entry));
  for (const Option* option : entry.options) {
    const auto names = names_of(*option);
    std::string value;
    if (takes_value(*option))
      value = fmt::format(":{}:{}", escaped(option->metavar), action_of(offer_of(*option), program));
    if (names.size() == 1) {
      text += fmt::format("  \"{}{}[{}]{}\"\n", option->is_repeatable ? "*" : "", names.front(), escaped(option->help),
                          value);
    } else {
      const std::string exclude = option->is_repeatable ? "\"*\"" : fmt::format("\"({})\"", fmt::join(names, " "));
      text += fmt::format("  {}{{{}}}\"[{}]{}\"\n", exclude, fmt::join(names, ","), escaped(option->help), value);
    }
  }
  return text + ")\n";
}

std::string encryption_function(std::string_view program) {
  std::string choices, descriptions;
  for (const EncryptionChoice& choice : encryption_choices()) {
    choices += fmt::format("    {}\n", choice.name);
    descriptions += fmt::format("    '{}  -- {}'\n", choice.name, choice.description);
  }
  return fmt::format(
      "\n{}() {{\n  local -a choices descriptions\n  choices=(\n{}  )\n  descriptions=(\n{}  )\n"
      "  compadd -l -d descriptions -a choices\n}}\n",
      helper_of(program, Kind::Encryption), choices, descriptions);
}

// Words with their summaries, for _describe.
std::string described(const std::vector<Entry>& all, const std::string& prefix, const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    std::string_view summary;
    for (const Entry& entry : all) {
      if (entry.name == prefix + word) summary = entry.summary;
    }
    for (const Group& group : groups()) {
      if (group.name == prefix + word) summary = group.summary;
    }
    text += fmt::format("        {}\n", in_quotes(word + ":" + replaced_all(std::string(summary), ":", "\\:")));
  }
  return text;
}

}  // namespace

std::string zsh_script(std::string_view program) {
  const std::string stem = stem_of(program);
  const std::vector<Entry> all = completion_entries();
  std::string script = fmt::format("#compdef {}\n\n# Custom Preamble\n", program);
  script += filled_in(replaced_all(std::string(kHelpers), "%C", sort_keys(Kind::CacheModes)), program);
  for (const Kind kind : {Kind::ArchiveSort, Kind::ItemSort, Kind::DiffSort})
    script += fmt::format("\n{}() {{\n  {}_more {}\n}}\n", helper_of(program, kind), stem, sort_keys(kind));
  script += encryption_function(program) + "# End Custom Preamble\n";
  for (const Entry& entry : all) script += array_text(entry, program);

  const std::string common = array_of(stem, all.front());
  script += fmt::format(
      "\n{0}() {{\n  local curcontext=$curcontext state line\n  local -a words_\n  typeset -A opt_args\n"
      "  local -a specs\n  {0}_specs ${1}\n  _arguments -C $specs '(-): :->command' '(-)*:: :->rest'\n"
      // What follows reads the words behind the command alone.
      "  local before=${{opt_args[-r]:-${{opt_args[--repo]}}}}\n"
      "  case $state in\n    command)\n      words_=(\n{2}      )\n      _describe command words_ ;;\n"
      "    rest)\n      local command=$words[1]\n",
      stem, common, described(all, "", first_words()));
  for (const Group& group : groups()) {
    script += fmt::format(
        "      if [[ $command == {0} ]]; then\n"
        "        if ((CURRENT == 2)); then\n          words_=(\n{1}          )\n          _describe command words_\n"
        "          return\n        fi\n"
        "        shift words\n        ((CURRENT--))\n        command=\"{0} $words[1]\"\n      fi\n",
        group.name, described(all, std::string(group.name) + " ", words_of(group)));
  }
  script += "      case $command in\n";
  for (const Entry& entry : all) {
    if (entry.name.empty()) continue;
    script += fmt::format("    {})\n      {}_specs ${} ${}\n      _arguments $specs \\\n", in_quotes(entry.name), stem,
                          array_of(stem, entry), common);
    std::size_t number = 0;
    for (const Place& place : entry.places) {
      ++number;
      // A message for free text would keep options from being completed there, if it were shown for them too.
      const std::string action = place.offer.kind == Kind::Nothing ? fmt::format("_guard \"^-*\" {}", place.name)
                                                                   : action_of(place.offer, program);
      script +=
          fmt::format("      {} \\\n", in_quotes(fmt::format("{}:{}:{}", place.repeated ? "*" : std::to_string(number),
                                                             replaced_all(place.name, ":", "\\:"), action)));
    }
    script += "      && return ;;\n";
  }
  // As a file in fpath the script is the function that is called first, or else it is sourced.
  return script +
         fmt::format(
             "      esac ;;\n  esac\n}}\n\n"
             "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n  {0} \"$@\"\nelse\n  compdef {0} {1}\nfi\n",
             stem, program);
}

}  // namespace cairn::cli

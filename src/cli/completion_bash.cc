#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/completion_model.h"

namespace cairn::cli {
namespace {

using Kind = Offer::Kind;

// Helpers print what may stand for the word typed so far, which is their argument or else the current word of the line.
constexpr std::string_view kHelpers = R"bash(
_shtab_compgen_files() { compgen -f -- "$1"; }
_shtab_compgen_dirs() { compgen -d -- "$1"; }

# The words of the line as they were typed: bash parts them at = and :.
%S_words() {
  local i part glue=''
  words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    part=${COMP_WORDS[i]}
    if ((${#words[@]} > 1)) && [[ -n $glue || $part == [=:]* ]]; then
      words[${#words[@]}-1]+=$part
    else
      words+=("$part")
    fi
    glue=
    [[ $part == = || $part == *: && $part != *[!:]* ]] && glue=1
  done
}

# repo-list or list of the repository that the line names.
%S_ask() {
  local -a words ask=(%P "$@")
  local i
  %S_words
  [[ ${words[0]} == */* ]] && ask[0]=${words[0]}
  for ((i = 1; i < ${#words[@]} - 1; i++)); do
    case ${words[i]} in
      -r | --repo) ask+=(--repo "${words[i+1]}") ;;
      --repo=*) ask+=("${words[i]}") ;;
    esac
  done
  "${ask[@]}" 2>/dev/null </dev/null
}

%S_like() {
  local line
  while IFS= read -r line; do
    [[ -n $line && $line == "$1"* ]] && printf '%s\n' "$line"
  done
  return 0
}

# One more of the keys in a list with commas, each once.
%S_more() {
  local IFS=$' \t\n' keys=$1 typed=$2 head='' sign key
  [[ $typed == *,* ]] && head=${typed%,*},
  sign=${typed#"$head"}
  sign=${sign%%[!<>]*}
  for key in $keys; do
    [[ ,$head == *[,\<\>]$key,* ]] || printf '%s\n' "$head$sign$key"
  done | %S_like "$typed"
}

# What %P repo-list knows.
%H_archive() {
  local typed=${1-${COMP_WORDS[COMP_CWORD]}}
  case $typed in
    aid:*) %S_ask repo-list --format 'aid:{id}{NL}' | %S_like "$typed" ;;
    *) %S_ask repo-list --format '{archive}{NL}' | sort -u | %S_like "$typed" ;;
  esac
}

%H_tags() {
  %S_ask repo-list --format '{tags}{NL}' | tr , '\n' | sort -u | %S_like "${1-${COMP_WORDS[COMP_CWORD]}}"
}

# One level of the tree in the archive that the line names; folders end with a slash.
%H_stored_path() {
  local typed=${1-${COMP_WORDS[COMP_CWORD]}} slashes folder=()
  slashes=${typed//[!\/]/}
  [[ $typed == */* ]] && folder=("${typed%/*}")
  %S_ask list --depth ${#slashes} --format '{type}{path}{NL}' "${2-$archive}" "${folder[@]}" |
    sed -n 's|^d\(.*\)|\1/|p; t; s|^.||p' | %S_like "$typed"
}

%H_filescachemode() {
  local typed=${1-${COMP_WORDS[COMP_CWORD]}} keys='%C' chosen
  chosen=,${typed%"${typed##*,}"}
  [[ $chosen == , ]] || keys=${keys/disabled/}
  [[ $chosen == *,[cm]time,* ]] && keys=${keys/ctime mtime/}
  [[ $chosen == *,size,* || $chosen == *,inode,* ]] && keys=${keys/rechunk/}
  [[ $chosen == *,rechunk,* ]] && keys=${keys/size inode/}
  [[ $chosen == *,disabled,* ]] || %S_more "$keys" "$typed"
}

%H_encryption() {
  local names='%E'
  printf '%s\n' ${names} | %S_like "${1-${COMP_WORDS[COMP_CWORD]}}"
}
)bash";

constexpr std::string_view kMain = R"bash(
%S() {
  local cur prev='' whole head command='' archive='' position=0 i word options valued places offer='' scope name
  local -a words
  %S_words
  whole=${words[${#words[@]}-1]}
  cur=$whole
  [[ $cur == [\"\']* ]] && cur=${cur:1}
  ((${#words[@]} > 2)) && prev=${words[${#words[@]}-2]}
  if [[ $cur == --*=* ]]; then
    prev=${cur%%=*}
    cur=${cur#*=}
  fi
  %S_table ''
  for ((i = 1; i < ${#words[@]} - 1; i++)); do
    word=${words[i]}
    if [[ $word == -* ]]; then
      [[ " $valued " == *" $word "* ]] && ((i++))
    elif [[ -z $command ]]; then
      command=$word
      %S_table "$command"
    elif [[ " %G " == *" $command "* ]]; then
      command="$command $word"
      %S_table "$command"
    else
      ((position++ == 0)) && archive=${word//[\\\"\']/}
    fi
  done
  if [[ " $valued " == *" $prev "* ]]; then
    for scope in "_$command" ''; do
      name=%S${scope//[ -]/_}_${prev//-/_}
      offer=${name}_COMPGEN
      offer=${!offer}
      name=${name}_choices
      [[ -n ${!name} ]] && offer="words:${!name}"
      [[ -n $offer ]] && break
    done
  elif [[ $cur == -* ]]; then
    offer="words:$options"
  else
    set -- $places
    while ((position > 0 && $# > 1)); do shift; ((position--)); done
    offer=$1
    [[ $offer == *+ ]] || ((position == 0)) || offer=
    offer=${offer%+}
    [[ $offer == words:* ]] && offer=${offer//,/ }
  fi
  COMPREPLY=()
  # What readline replaces is the part behind the last = or :.
  word=${COMP_WORDS[COMP_CWORD]}
  [[ $word == [=:] ]] && word=
  head=${whole%"$word"}
  name=${whole%"$cur"}
  [[ $offer == _shtab_compgen_* ]] || cur=${cur//\\/}
  case $offer in
    '' | -) return ;;
    words:*) word=$(compgen -W "${offer#words:}" -- "$cur") ;;
    *) word=$("$offer" "$cur") ;;
  esac
  case $offer in
    _shtab_compgen_*) compopt -o filenames 2>/dev/null ;;
    *_stored_path) compopt -o nospace 2>/dev/null ;;
  esac
  local IFS=$'\n'
  set -f
  for word in $word; do
    if [[ $offer != _shtab_compgen_* && $whole != [\"\']* && $word == *[!a-zA-Z0-9_./:,@%+=-]* ]]; then
      printf -v word %q "$word"
    fi
    word=$name$word
    word=${word#"$head"}
    COMPREPLY+=("$word")
  done
  set +f
}
complete -F %S %P
)bash";

std::string in_quotes(std::string_view text) { return "'" + replaced_all(std::string(text), "'", "'\\''") + "'"; }

std::string all_names(const Entry& program, const Entry& entry, bool with_value_only) {
  std::vector<std::string_view> names;
  const auto add = [&](const Entry& of) {
    for (const Option* option : of.options) {
      if (with_value_only && !takes_value(*option)) continue;
      for (const auto name : names_of(*option)) names.push_back(name);
    }
  };
  add(entry);
  if (&entry != &program) add(program);
  return fmt::format("{}", fmt::join(names, " "));
}

// The function that answers an offer; empty for words and nothing.
std::string function_of(const Offer& offer, std::string_view program) {
  if (offer.kind == Kind::Files) return "_shtab_compgen_files";
  if (offer.kind == Kind::Folders) return "_shtab_compgen_dirs";
  return offer.has_helper() ? helper_of(program, offer.kind) : "";
}

std::string place_text(const Place& place, std::string_view program) {
  std::string text = function_of(place.offer, program);
  if (place.offer.kind == Kind::Words) text = fmt::format("words:{}", fmt::join(place.offer.words, ","));
  if (text.empty()) text = "-";
  return text + (place.repeated ? "+" : "");
}

}  // namespace

std::string bash_script(std::string_view program) {
  const std::string stem = stem_of(program);
  std::string table = fmt::format("{}_table() {{\n  case $1 in\n", stem);
  std::string values;
  const auto add = [&](const std::string& name, const std::string& options, const std::string& valued,
                       const std::string& places) {
    table += fmt::format("    {}) options={} valued={} places={} ;;\n", in_quotes(name), in_quotes(options),
                         in_quotes(valued), in_quotes(places));
  };
  const std::vector<Entry> all = completion_entries();
  for (const Entry& entry : all) {
    std::vector<std::string> places;
    if (entry.name.empty()) places.push_back(fmt::format("words:{}", fmt::join(first_words(), ",")));
    for (const Place& place : entry.places) places.push_back(place_text(place, program));
    add(entry.name, all_names(all.front(), entry, false), all_names(all.front(), entry, true),
        fmt::format("{}", fmt::join(places, " ")));
    for (const Option* option : entry.options) {
      if (!takes_value(*option)) continue;
      const Offer offer = offer_of(*option);
      for (const auto name : names_of(*option)) {
        const std::string variable =
            stem + (entry.name.empty() ? "_" : "_" + underscored(entry.name) + "_") + underscored(name);
        if (offer.kind == Kind::Words)
          values += fmt::format("{}_choices='{}'\n", variable, fmt::join(offer.words, " "));
        else if (offer.kind != Kind::Nothing)
          values += fmt::format("{}_COMPGEN={}\n", variable, function_of(offer, program));
      }
    }
  }
  std::vector<std::string_view> group_names;
  for (const Group& group : groups()) {
    group_names.emplace_back(group.name);
    add(group.name, "--help", "", fmt::format("words:{}", fmt::join(words_of(group), ",")));
  }
  table += "    *) options=--help valued='' places='' ;;\n  esac\n}\n";
  std::string helpers = replaced_all(std::string(kHelpers), "%C", sort_keys(Kind::CacheModes));
  helpers = replaced_all(std::move(helpers), "%E", encryption_names());
  helpers = filled_in(helpers, program);
  for (const Kind kind : {Kind::ArchiveSort, Kind::ItemSort, Kind::DiffSort}) {
    helpers += fmt::format("\n{}() {{\n  {}_more '{}' \"${{1-${{COMP_WORDS[COMP_CWORD]}}}}\"\n}}\n",
                           helper_of(program, kind), stem, sort_keys(kind));
  }
  const std::string main = replaced_all(std::string(kMain), "%G", fmt::format("{}", fmt::join(group_names, " ")));
  return fmt::format("# bash completion for {}\n{}\n{}{}{}", program, values, table, helpers, filled_in(main, program));
}

}  // namespace cairn::cli

#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/completion_model.h"

namespace cairn::cli {
namespace {

using Kind = Offer::Kind;

constexpr std::string_view kHelpers = R"fish(
# The words before the cursor that are neither options nor their values: command first.
function %S_line
    set -l is_value 1 # the program itself
    for word in (commandline -opc)
        if test $is_value = 1
            set is_value 0
            continue
        end
        switch $word
            case '--*=*'
            case '-*'
                contains -- $word $%S_valued; and set is_value 1
            case '*'
                printf '%s\n' $word
        end
    end
end

# Is this the command?
function %S_using
    set -l line (%S_line)
    set -l count (count $argv)
    test (count $line) -ge $count; and test "$line[1..$count]" = "$argv"
end

# Is the cursor behind so many words, or behind more of them?
function %S_at
    test (count (%S_line)) $argv[1] $argv[2]
end

# What is typed of the current word's value.
function %S_typed
    string replace -r -- '^--[a-z0-9-]+=' '' (commandline -ct)
end

function %S_repo
    set -l previous
    for word in (commandline -opc)
        switch $previous
            case -r --repo
                printf '%s\n' --repo $word
        end
        string match -q -- '--repo=*' $word; and printf '%s\n' $word
        set previous $word
    end
end

function %H_archive
    set -l repo (%S_repo)
    if string match -q -- 'aid:*' (%S_typed)
        %P repo-list $repo --format 'aid:{id}{NL}' 2>/dev/null </dev/null
    else
        %P repo-list $repo --format '{archive}{NL}' 2>/dev/null </dev/null
    end
end

function %H_tags
    %P repo-list (%S_repo) --format '{tags}{NL}' 2>/dev/null </dev/null | string split -n , | sort -u
end

# One level of the tree in the archive that the line names; folders end with a slash.
function %H_stored_path
    set -l line (%S_line)
    set -l folder (string split -r -m 1 -- / (%S_typed))
    set -l depth (count (string split -- / (%S_typed)))
    if test $depth -gt 1
        set folder $folder[1]
    else
        set folder
    end
    %P list (%S_repo) --depth (math $depth - 1) --format '{type}{path}{NL}' $line[2] $folder 2>/dev/null </dev/null |
        string replace -r -- '^d(.*)$' '-$1/' | string sub -s 2
end

# One more of the keys in a list with commas, each once.
function %S_more
    set -l typed (%S_typed)
    set -l chosen (string split -- , $typed)
    set -l sign (string match -r -- '^[<>]*' $chosen[-1])
    set -e chosen[-1]
    set -l head ''
    for word in $chosen
        set head $head$word,
    end
    for key in $argv
        contains -- $key (string trim -l -c '<>' -- $chosen); or printf '%s\n' "$head$sign$key"
    end
end

function %H_filescachemode
    set -l keys %C
    set -l chosen (string split -- , (%S_typed))
    set -e chosen[-1]
    for word in $chosen
        switch $word
            case disabled
                return
            case ctime mtime
                set keys (string match -v -r '^[cm]time$' -- $keys)
            case size inode
                set keys (string match -v rechunk -- $keys)
            case rechunk
                set keys (string match -v -r '^(size|inode)$' -- $keys)
        end
        set keys (string match -v disabled -- $keys)
    end
    %S_more $keys
end
)fish";

std::string quoted(std::string_view text) {
  return "'" + replaced_all(replaced_all(std::string(text), "\\", "\\\\"), "'", "\\'") + "'";
}

std::string arguments_of(const Offer& offer, std::string_view program) {
  switch (offer.kind) {
    case Kind::Nothing:
      return "";
    case Kind::Files:
      return " -F";
    case Kind::Folders:
      return " -a \"(__fish_complete_directories)\"";
    case Kind::Words:
      return fmt::format(" -a '{}'", fmt::join(offer.words, " "));
    default:
      return fmt::format(" -k -a \"({})\"", helper_of(program, offer.kind));
  }
}

std::string option_line(const Option& option, std::string_view program, std::string_view condition) {
  std::string names;
  for (const auto name : names_of(option))
    names += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2)) : fmt::format(" -s {}", name.substr(1));
  std::string value;
  if (takes_value(option)) {
    const Offer offer = offer_of(option);
    value = (offer.kind == Kind::Files ? " -r" : " -x") + arguments_of(offer, program);
  }
  return fmt::format("complete -c {}{}{} -d {}{}\n", program, condition, names, quoted(option.help), value);
}

}  // namespace

std::string fish_script(std::string_view program) {
  const std::string stem = stem_of(program);
  const std::vector<Entry> all = completion_entries();
  std::set<std::string_view> valued;
  for (const Entry& entry : all) {
    for (const Option* option : entry.options) {
      if (!takes_value(*option)) continue;
      for (const auto name : names_of(*option)) valued.insert(name);
    }
  }
  std::string script =
      fmt::format("# fish completion for {}\nset -g {}_valued {}\n", program, stem, fmt::join(valued, " "));
  script += filled_in(replaced_all(std::string(kHelpers), "%C", sort_keys(Kind::CacheModes)), program);
  for (const Kind kind : {Kind::ArchiveSort, Kind::ItemSort, Kind::DiffSort})
    script += fmt::format("\nfunction {}\n    {}_more {}\nend\n", helper_of(program, kind), stem, sort_keys(kind));
  script += fmt::format("\nfunction {}\n", helper_of(program, Kind::Encryption));
  for (const EncryptionChoice& choice : encryption_choices())
    script += fmt::format("    printf '%s\\t%s\\n' {} {}\n", choice.name, quoted(choice.description));
  script += fmt::format("end\n\ncomplete -c {} -e\ncomplete -c {} -f\n", program, program);

  for (const Entry& entry : all) {
    std::string condition;
    if (!entry.name.empty()) {
      const std::string using_it = fmt::format("{}_using {}", stem, entry.name);
      condition = " -n " + quoted(using_it);
      const std::size_t blank = entry.name.find(' ');
      const bool grouped = blank != std::string::npos;
      const std::string before = grouped
                                     ? fmt::format("{0}_using {1}; and {0}_at -eq 1", stem, entry.name.substr(0, blank))
                                     : fmt::format("{}_at -eq 0", stem);
      script += fmt::format("complete -c {} -n {} -a {} -d {}\n", program, quoted(before),
                            quoted(grouped ? entry.name.substr(blank + 1) : entry.name), quoted(entry.summary));
      std::size_t behind = grouped ? 2 : 1;
      for (const Place& place : entry.places) {
        if (place.offer.kind != Kind::Nothing)
          script += fmt::format(
              "complete -c {} -n {}{}\n", program,
              quoted(fmt::format("{}; and {}_at {} {}", using_it, stem, place.repeated ? "-ge" : "-eq", behind)),
              arguments_of(place.offer, program));
        ++behind;
      }
    }
    for (const Option* option : entry.options) script += option_line(*option, program, condition);
  }
  for (const Group& group : groups())
    script +=
        fmt::format("complete -c {} -n '{}_at -eq 0' -a {} -d {}\n", program, stem, group.name, quoted(group.summary));
  return script;
}

}  // namespace cairn::cli

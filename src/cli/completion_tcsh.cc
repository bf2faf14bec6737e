// tcsh completes by the word before, else by the place; options of all commands are offered together. The script is
// read line by line or as one line (eval), so every line ends a command.
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/completion_model.h"

namespace cairn::cli {
namespace {

using Kind = Offer::Kind;

// What sh runs: tcsh exports the line that is completed.
constexpr std::string_view kHelper =
    "set -f; repo=; last=; for word in $COMMAND_LINE; do case $last in -r | --repo) repo=$word ;; esac; "
    "case $word in --repo=*) repo=${word#--repo=} ;; esac; last=$word; done; format=\"{archive}{NL}\"; "
    "case $COMMAND_LINE in *[[:space:]]) last= ;; esac; case $last in aid:*) format=\"aid:{id}{NL}\" ;; esac; "
    "if [ $0 = tags ]; then format=\"{tags}{NL}\"; fi; "
    "%P repo-list ${repo:+--repo \"$repo\"} --format \"$format\" 2>/dev/null </dev/null | "
    "if [ $0 = tags ]; then tr , \"\\n\"; else cat; fi | sort -u";

class Rules {
 public:
  explicit Rules(std::string_view program) : program_(program) {}

  // One rule for a word: of several commands' options of a name the first counts.
  void add(std::string_view kind, std::string_view word, const Offer& offer) {
    if (offer.kind == Kind::Nothing || offer.kind == Kind::StoredPaths) return;
    if (!known_.insert(fmt::format("{} {}", kind, word)).second) return;
    const std::string list = list_of(offer);
    const char separator = list.find('/') == std::string::npos ? '/' : '@';
    text_.push_back(fmt::format("{0}{1}{2}{1}{3}{1}", kind, separator, word, list));
  }

  const std::vector<std::string>& text() const { return text_; }

 private:
  std::string list_of(const Offer& offer) const {
    switch (offer.kind) {
      case Kind::Files:
        return "f";
      case Kind::Folders:
        return "d";
      case Kind::Words:
        return fmt::format("({})", fmt::join(offer.words, " "));
      case Kind::Archives:
        return fmt::format("`eval {}`", helper_of(program_, offer.kind));
      case Kind::ArchiveSort:
      case Kind::ItemSort:
      case Kind::DiffSort:
        return fmt::format("`{}`", helper_of(program_, Kind::ArchiveSort));
      default:
        return fmt::format("`{}`", helper_of(program_, offer.kind));
    }
  }

  std::string_view program_;
  std::set<std::string> known_;
  std::vector<std::string> text_;
};

// Every sort key of any command.
std::string all_sort_keys() {
  std::vector<std::string_view> keys;
  std::set<std::string_view> known;
  static const std::string kLists[] = {sort_keys(Kind::ArchiveSort), sort_keys(Kind::ItemSort),
                                       sort_keys(Kind::DiffSort)};
  for (const std::string& list : kLists) {
    for (const auto key : split_words(list, ' ')) {
      if (known.insert(key).second) keys.push_back(key);
    }
  }
  return fmt::format("{}", fmt::join(keys, " "));
}

}  // namespace

std::string tcsh_script(std::string_view program) {
  const std::vector<Entry> all = completion_entries();
  const auto words = [](std::vector<std::string> list) { return Offer{.kind = Kind::Words, .words = std::move(list)}; };
  std::set<std::string> long_names;
  Rules rules(program);
  for (const Entry& entry : all) {
    for (const Option* option : entry.options) {
      for (const auto name : names_of(*option)) {
        if (name.starts_with("--")) long_names.insert(std::string(name.substr(2)));
      }
    }
  }
  rules.add("c", "--", words({long_names.begin(), long_names.end()}));
  for (const Entry& entry : all) {
    for (const Option* option : entry.options) {
      if (!takes_value(*option)) continue;
      for (const auto name : names_of(*option)) rules.add("n", name, offer_of(*option));
    }
  }
  for (const Group& group : groups()) rules.add("n", group.name, words(words_of(group)));
  // A word of a group may be a command's name, too: the command's rule comes first.
  for (const bool grouped : {false, true}) {
    for (const Entry& entry : all) {
      const std::size_t blank = entry.name.find(' ');
      if ((blank != std::string::npos) != grouped || entry.places.empty()) continue;
      const std::string last = grouped ? entry.name.substr(blank + 1) : entry.name;
      rules.add("n", last, entry.places.front().offer);
      if (entry.places.size() > 1) rules.add("N", last, entry.places[1].offer);
    }
  }
  rules.add("p", "1", words(first_words()));

  const std::string set_name = stem_of(program) + "_rules";
  const std::string helper = "_" + underscored(program) + "_sh_complete";
  std::string script = fmt::format("set {} = '{}' ;\n", helper, filled_in(kHelper, program));
  script += fmt::format("alias {} 'sh -c ${}:q archive' ;\n", helper_of(program, Kind::Archives), helper);
  script += fmt::format("alias {} 'sh -c ${}:q tags' ;\n", helper_of(program, Kind::Tags), helper);
  script += fmt::format("alias {} \"echo {}\" ;\n", helper_of(program, Kind::ArchiveSort), all_sort_keys());
  script += fmt::format("alias {} \"echo {}\" ;\n", helper_of(program, Kind::CacheModes), sort_keys(Kind::CacheModes));
  script += fmt::format("alias {} \"echo {}\" ;\n", helper_of(program, Kind::Encryption), encryption_names());
  script += fmt::format("set {} = ( ) ;\n", set_name);
  for (const std::string& rule : rules.text()) script += fmt::format("set {0} = ( ${0}:q '{1}' ) ;\n", set_name, rule);
  return script + fmt::format("complete {} ${}:q ;\n", program, set_name);
}

}  // namespace cairn::cli

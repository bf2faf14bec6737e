#include "cli/command_line.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/env.h"
#include "base/fd.h"
#include "cli/commands.h"
#include "cli/config_file.h"
#include "cli/help.h"
#include "cli/option_values.h"
#include "cli/spec_values.h"

namespace cairn::cli {
namespace {

std::unexpected<Error> usage(std::string message) { return fail(Code::Usage, std::move(message)); }

std::string choices_text(const std::vector<std::string_view>& choices) {
  std::string joined;
  for (const auto choice : choices) {
    if (!joined.empty()) joined += ", ";
    joined += quoted(choice);
  }
  return joined;
}

Status check_choice(const std::string& argument, const char* choice_list, std::string_view value) {
  const auto choices = split_words(choice_list, '|');
  if (choices.empty() || std::ranges::find(choices, value) != choices.end()) return {};
  return usage(
      fmt::format("argument {}: invalid choice: {} (choose from {})", argument, quoted(value), choices_text(choices)));
}

// A setter's usage message names the argument; other errors pass.
Status named(const std::string& argument, Status status) {
  if (status || status.error().code() != Code::Usage) return status;
  return usage(fmt::format("argument {}: {}", argument, status.error().message()));
}

bool is_negative_number(std::string_view word) {
  if (!word.starts_with('-')) return false;
  word.remove_prefix(1);
  const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
  if (digits == word.size()) return digits > 0;
  const std::string_view fraction = word.substr(digits + 1);
  return word[digits] == '.' && !fraction.empty() && fraction.find_first_not_of("0123456789") == std::string_view::npos;
}

// "--keep-daily" as a configuration key and as the last part of a variable's name.
std::string config_key(const Option& option) {
  std::string_view name = long_name(option);
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  return std::string(name);
}
std::string variable_part(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    if (c == '-')
      c = '_';
    else if (c >= 'a' && c <= 'z')
      c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}
std::string variable_of(const std::string& section, const Option& option) {
  std::string name = "BORG_";
  for (const auto word : split_words(section, ' ')) name += variable_part(word) + "__";
  return name + variable_part(config_key(option));
}

struct Bound {
  const Option* option;
  void* target;
  bool common;
  int times = 0;
};

// One level of the command line: the program's options before the command, a group's, or a command's.
class Level {
 public:
  Level(std::string section, std::vector<Setting>& settings) : section_(std::move(section)), settings_(settings) {}

  void add(std::span<const Option> options, void* target, bool common) {
    for (const Option& option : options) options_.push_back({&option, target, common});
  }
  void take_positionals(std::span<const Positional> positionals, void* target) {
    positionals_ = positionals;
    positional_target_ = target;
  }

  // Reads words from `at` on; with `stop_at_word`, up to the first positional.
  Status read(std::span<const std::string> words, std::size_t& at, bool stop_at_word);
  // From the environment and the configuration, for options not given.
  Status fill(const Bound& bound, std::span<const std::string> values, ValueSource source);
  Status check_required() const;

  std::vector<Bound>& options() { return options_; }
  bool excluded(const Option& option) const {
    return *option.exclusive_set != 0 && first_of_.contains(option.exclusive_set);
  }
  const std::vector<std::string>& unrecognized() const { return unrecognized_; }
  bool wants_help() const { return help_; }
  bool wants_version() const { return version_; }

 private:
  enum class Kind { Word, Known, Unknown };
  struct Look {
    Kind kind;
    Bound* bound = nullptr;
    std::optional<std::string_view> attached{};  // the value joined to the option
    bool joined_short = false;                   // attached without '='
  };
  Bound* find(std::string_view name);
  Result<Look> look(std::string_view word);
  Status apply(Bound& bound, std::string_view value);
  Status read_option(Look look, std::span<const std::string> words, std::size_t& at);
  Status read_word(const std::string& word, bool& remaining);

  std::string section_;
  std::vector<Setting>& settings_;
  std::vector<Bound> options_;
  std::map<std::string_view, const Option*> first_of_;  // of each exclusive set, the option given
  std::span<const Positional> positionals_;
  void* positional_target_ = nullptr;
  std::size_t next_positional_ = 0;
  bool repeated_given_ = false;
  std::vector<std::string> unrecognized_;
  bool help_ = false, version_ = false;
};

Bound* Level::find(std::string_view name) {
  for (Bound& bound : options_)
    for (const auto known : names_of(*bound.option))
      if (known == name) return &bound;
  return nullptr;
}

Result<Level::Look> Level::look(std::string_view word) {
  if (word.size() < 2 || word[0] != '-') return Look{Kind::Word};
  if (Bound* exact = find(word)) return Look{Kind::Known, exact};
  const std::size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  std::optional<std::string_view> attached;
  if (equals != std::string_view::npos) attached = word.substr(equals + 1);
  if (attached)
    if (Bound* exact = find(name)) return Look{Kind::Known, exact, attached};

  if (word.starts_with("--")) {
    std::vector<std::string_view> candidates;
    Bound* only = nullptr;
    for (Bound& bound : options_) {
      if (bound.option->is_exact) continue;
      for (const auto known : names_of(*bound.option)) {
        if (name.size() <= 2 || !known.starts_with(name)) continue;
        candidates.push_back(known);
        only = &bound;
      }
    }
    if (candidates.size() > 1)
      return usage(fmt::format("ambiguous option: {} could match {}", word, fmt::join(candidates, ", ")));
    if (only != nullptr) return Look{Kind::Known, only, attached};
  } else if (Bound* short_option = find(word.substr(0, 2))) {
    return Look{Kind::Known, short_option, word.substr(2), true};
  }
  if (is_negative_number(word) || word.find(' ') != std::string_view::npos) return Look{Kind::Word};
  return Look{Kind::Unknown};
}

Status Level::apply(Bound& bound, std::string_view value) {
  const Option& option = *bound.option;
  if (option.option_kind == OptionKind::Help) {
    help_ = true;
    return {};
  }
  if (option.option_kind == OptionKind::Version) {
    version_ = true;
    return {};
  }
  const std::string names = slashed_names(option);
  if (*option.exclusive_set != 0) {
    const auto [given, added] = first_of_.try_emplace(option.exclusive_set, &option);
    if (!added && given->second != &option)
      return usage(fmt::format("argument {}: not allowed with argument {}", names, slashed_names(*given->second)));
  }
  if (++bound.times > 1 && option.option_kind != OptionKind::Flag && !option.is_repeatable)
    return usage(fmt::format("argument {}: There can be only one.", names));
  CAIRN_CHECKED(check_choice(names, option.choice_list, value));
  CAIRN_CHECKED(named(names, option.set(bound.target, value)));
  settings_.push_back({bound.common ? "" : section_, &option, std::string(value), ValueSource::CommandLine});
  return {};
}

Status Level::read_option(Look look, std::span<const std::string> words, std::size_t& at) {
  for (;;) {
    const Option& option = *look.bound->option;
    const bool takes_value = option.option_kind == OptionKind::Value || option.option_kind == OptionKind::OptionalValue;
    if (takes_value) {
      if (look.attached) return apply(*look.bound, *look.attached);
      if (at < words.size() && words[at] != "--") {
        CAIRN_TRY(const Look next, this->look(words[at]));
        if (next.kind == Kind::Word) return apply(*look.bound, words[at++]);
      }
      if (option.option_kind == OptionKind::OptionalValue) return apply(*look.bound, option.implied_value);
      return usage(fmt::format("argument {}: expected one argument", slashed_names(option)));
    }
    if (look.attached && !look.joined_short)
      return usage(
          fmt::format("argument {}: ignored explicit argument {}", slashed_names(option), quoted(*look.attached)));
    CAIRN_CHECKED(apply(*look.bound, "true"));
    if (!look.attached || look.attached->empty()) return {};

    // Joined short flags: the next letter is an option again, perhaps with the rest as its value.
    const std::string rest = "-" + std::string(*look.attached);
    Bound* next = find(std::string_view(rest).substr(0, 2));
    if (next == nullptr) {
      unrecognized_.push_back(rest);
      return {};
    }
    std::string_view value = look.attached->substr(1);
    look = Look{Kind::Known, next};
    if (value.starts_with('=')) {
      look.attached = value.substr(1);
    } else if (!value.empty()) {
      look.attached = value;
      look.joined_short = true;
    }
  }
}

Status Level::read_word(const std::string& word, bool& remaining) {
  if (next_positional_ == positionals_.size()) {
    unrecognized_.push_back(word);
    return {};
  }
  const Positional& positional = positionals_[next_positional_];
  if (positional.kind == PositionalKind::Required || positional.kind == PositionalKind::Optional)
    ++next_positional_;
  else
    repeated_given_ = true;
  CAIRN_CHECKED(check_choice(positional.name, positional.choice_list, word));
  CAIRN_CHECKED(named(positional.name, positional.set(positional_target_, word)));
  remaining =
      next_positional_ < positionals_.size() && positionals_[next_positional_].kind == PositionalKind::Remaining;
  return {};
}

Status Level::read(std::span<const std::string> words, std::size_t& at, bool stop_at_word) {
  bool only_words = false, remaining = false;
  while (at < words.size() && !help_ && !version_) {
    const std::string& word = words[at];
    if (only_words || remaining) {
      ++at;
      CAIRN_CHECKED(read_word(word, remaining));
      continue;
    }
    if (word == "--") {
      ++at;
      only_words = true;
      if (stop_at_word) return {};
      continue;
    }
    CAIRN_TRY(const Look seen, look(word));
    if (seen.kind == Kind::Word) {
      if (stop_at_word) return {};
      ++at;
      CAIRN_CHECKED(read_word(word, remaining));
    } else if (seen.kind == Kind::Unknown) {
      ++at;
      unrecognized_.push_back(word);
    } else {
      ++at;
      CAIRN_CHECKED(read_option(seen, words, at));
    }
  }
  return {};
}

Status Level::fill(const Bound& bound, std::span<const std::string> values, ValueSource source) {
  const Option& option = *bound.option;
  if (values.size() > 1 && !option.is_repeatable)
    return usage(fmt::format("argument {}: There can be only one.", slashed_names(option)));
  for (std::string value : values) {
    if (option.option_kind == OptionKind::OptionalValue && value.empty()) value = option.implied_value;
    CAIRN_CHECKED(check_choice(slashed_names(option), option.choice_list, value));
    CAIRN_CHECKED(named(slashed_names(option), option.set(bound.target, value)));
    settings_.push_back({bound.common ? "" : section_, &option, value, source});
  }
  if (*option.exclusive_set != 0) first_of_.try_emplace(option.exclusive_set, &option);
  return {};
}

Status Level::check_required() const {
  std::vector<std::string> missing;
  for (const Bound& bound : options_)
    if (bound.option->is_required && bound.times == 0) missing.push_back(slashed_names(*bound.option));
  for (std::size_t i = next_positional_; i < positionals_.size(); ++i)
    if (positionals_[i].kind == PositionalKind::Required) missing.emplace_back(positionals_[i].name);
  if (!missing.empty()) return usage(fmt::format("the following arguments are required: {}", fmt::join(missing, ", ")));
  for (const Bound& bound : options_) {
    if (!bound.option->set_required || first_of_.contains(bound.option->exclusive_set)) continue;
    std::string names;
    for (const Bound& other : options_)
      if (std::string_view(other.option->exclusive_set) == bound.option->exclusive_set)
        names += " " + slashed_names(*other.option);
    return usage(fmt::format("one of the arguments{} is required", names));
  }
  return {};
}

// ---- values that do not stand on the command line

struct Sources {
  const Surroundings& surroundings;
  std::vector<ConfigEntry> explicit_config, default_config;
};

std::string default_config_path(const Surroundings& around) {
  const auto get = [&](const char* name) { return around.variable(name).value_or(""); };
  if (const std::string dir = get("BORG_CONFIG_DIR"); !dir.empty()) return dir + "/default.yaml";
  if (const std::string dir = get("BORG_BASE_DIR"); !dir.empty()) return dir + "/.config/borg/default.yaml";
  if (const std::string dir = get("XDG_CONFIG_HOME"); !dir.empty()) return dir + "/borg/default.yaml";
  if (const std::string dir = get("HOME"); !dir.empty()) return dir + "/.config/borg/default.yaml";
  return {};
}

Result<std::vector<ConfigEntry>> load_config(const Surroundings& around, const std::string& path, bool must_exist) {
  if (path.empty()) return std::vector<ConfigEntry>{};
  CAIRN_TRY(const std::optional<std::string> text, around.read_file(path));
  if (!text) {
    if (must_exist) return usage(fmt::format("Parser key \"config\": File does not exist: {}", quoted(path)));
    return std::vector<ConfigEntry>{};
  }
  return parse_config(*text, path);
}

const ConfigEntry* find_entry(const std::vector<ConfigEntry>& entries, const std::string& section,
                              const Option& option) {
  for (const ConfigEntry& entry : entries) {
    if (entry.section != section) continue;
    for (auto name : names_of(option)) {
      name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
      if (entry.key == name && name.size() > 1) return &entry;
    }
  }
  return nullptr;
}

bool has_rival(const std::set<const Option*>& given, const Option& option) {
  return *option.rival_set != 0 && std::ranges::any_of(given, [&](const Option* other) {
    return std::string_view(other->rival_set) == option.rival_set;
  });
}

// Fills every option of `level` that was not given on the command line. `given` holds the common options given at any
// level: the command line wins wherever the option stood.
Status fill_from(Level& level, const std::string& section, const Sources& sources,
                 const std::set<const Option*>& given) {
  for (Bound& bound : level.options()) {
    const Option& option = *bound.option;
    if (option.option_kind == OptionKind::Help || option.option_kind == OptionKind::Version) continue;
    if (bound.times > 0 || given.contains(&option) || level.excluded(option) || has_rival(given, option)) continue;
    const std::string where = bound.common ? "" : section;
    const std::string name = variable_of(where, option);
    auto text = sources.surroundings.variable(name);
    // BORG_REPO is both the rule and an exception to it; an empty location is no location.
    if (!text && *option.variable_name != 0) text = sources.surroundings.variable(option.variable_name);
    if (text) {
      const std::string one[] = {*text};
      CAIRN_CHECKED(level.fill(bound, one, ValueSource::Environment));
      ++bound.times;
      continue;
    }
    for (const auto* entries : {&sources.explicit_config, &sources.default_config}) {
      const ConfigEntry* entry = find_entry(*entries, where, option);
      if (entry == nullptr) continue;
      CAIRN_CHECKED(level.fill(bound, entry->values, ValueSource::ConfigFile));
      ++bound.times;
      break;
    }
  }
  return {};
}

// A misspelt key in a configuration must not pass silently. Sections of commands that do not exist yet may.
Status check_keys(const std::vector<ConfigEntry>& entries, const std::string& file) {
  for (const ConfigEntry& entry : entries) {
    if (entry.section.empty()) {
      const auto known = [&](std::span<const Option> options) {
        return std::ranges::any_of(options, [&](const Option& option) {
          return std::ranges::any_of(names_of(option), [&](std::string_view n) { return n == "--" + entry.key; });
        });
      };
      if (!known(common_options())) return usage(fmt::format("{}: unknown key \"{}\"", file, entry.key));
      continue;
    }
    const Command* command = find_command(entry.section);
    if (command == nullptr) {
      const auto first = split_words(entry.section, ' ').front();
      if (std::ranges::find(command_words(), first) != command_words().end() && find_group(first) == nullptr) continue;
      return usage(fmt::format("{}: unknown section \"{}\"", file, entry.section));
    }
    if (!command->built) continue;
    const auto fits = [&](const Option& option) {
      return std::ranges::any_of(names_of(option), [&](std::string_view n) { return n == "--" + entry.key; });
    };
    const bool known = std::ranges::any_of(common_options(), fits) ||
                       std::ranges::any_of(
                           command->sets, [&](const OptionSet& set) { return std::ranges::any_of(set.options, fits); });
    if (!known) return usage(fmt::format("{}: unknown key \"{}\" in section \"{}\"", file, entry.key, entry.section));
  }
  return {};
}

class Parser {
 public:
  Parser(std::span<const std::string> words, const Surroundings& surroundings)
      : words_(words), sources_{surroundings, {}, {}} {}

  // A Usage error belongs to scope().
  Status run();
  Invocation& result() { return result_; }
  const std::string& scope() const { return scope_; }

 private:
  Status run_command(const Command& command);
  void note_given(Level& level) {
    for (const Bound& bound : level.options())
      if (bound.common && bound.times > 0) given_.insert(bound.option);
  }
  Status load_sources();
  // Unknown options before the command are reported with the program's tip, after everything else was read.
  Status report_unrecognized(const Level& level, std::string scope) {
    if (level.unrecognized().empty()) return {};
    scope_ = std::move(scope);
    return usage(fmt::format("unrecognized arguments: {}", fmt::join(level.unrecognized(), " ")));
  }
  void help(std::string topic) {
    result_.action = Invocation::Action::Help;
    result_.topic = std::move(topic);
  }

  std::span<const std::string> words_;
  Sources sources_;
  Invocation result_;
  std::string scope_;
  std::size_t at_ = 0;
  std::set<const Option*> given_;
};

Status Parser::load_sources() {
  const Surroundings& around = sources_.surroundings;
  if (!result_.program.config.empty()) {
    CAIRN_TRY(sources_.explicit_config, load_config(around, result_.program.config, true));
    CAIRN_CHECKED(check_keys(sources_.explicit_config, result_.program.config));
  }
  const std::string standard = default_config_path(around);
  CAIRN_TRY(sources_.default_config, load_config(around, standard, false));
  return check_keys(sources_.default_config, standard);
}

Status Parser::run() {
  if (words_.empty()) {
    help("");
    return {};
  }
  Level top("", result_.settings);
  top.add(common_options(), &result_.common, true);
  top.add(program_options(), &result_.program, false);
  CAIRN_CHECKED(top.read(words_, at_, true));
  if (top.wants_version()) {
    result_.action = Invocation::Action::Version;
    return {};
  }
  if (top.wants_help()) {
    help("");
    return {};
  }
  note_given(top);
  CAIRN_CHECKED(load_sources());
  if (at_ == words_.size()) {
    CAIRN_CHECKED(report_unrecognized(top, ""));
    help("");
    return {};
  }

  std::string name = words_[at_++];
  const auto first_words = command_words();
  const auto ours = own_words();
  if (std::ranges::find(first_words, name) == first_words.end() && std::ranges::find(ours, name) == ours.end())
    return usage(fmt::format("argument <command>: invalid choice: {} (choose from {})", quoted(name),
                             choices_text({first_words.begin(), first_words.end()})));

  if (find_group(name) != nullptr) {
    scope_ = name;
    Level between(name, result_.settings);
    between.add(common_options(), &result_.common, true);
    CAIRN_CHECKED(between.read(words_, at_, true));
    note_given(between);
    if (between.wants_help() || at_ == words_.size()) {
      if (!between.wants_help()) {
        CAIRN_CHECKED(report_unrecognized(between, name));
        help("");
        return {};
      }
      help(name);
      return {};
    }
    const std::string second = words_[at_++];
    std::vector<std::string_view> choices;
    for (const Command* command : commands()) {
      const std::string_view full = command->name;
      if (full.starts_with(name + " ")) choices.push_back(full.substr(name.size() + 1));
    }
    if (std::ranges::find(choices, second) == choices.end())
      return usage(fmt::format("argument <command>: invalid choice: {} (choose from {})", quoted(second),
                               choices_text(choices)));
    CAIRN_CHECKED(run_command(*find_command(name + " " + second)));
    if (result_.action != Invocation::Action::Help) CAIRN_CHECKED(report_unrecognized(between, name));
  } else {
    CAIRN_CHECKED(run_command(*find_command(name)));
  }
  if (result_.action == Invocation::Action::Help) return {};
  CAIRN_CHECKED(report_unrecognized(top, ""));
  scope_.clear();
  if (result_.command->check != nullptr && result_.program.print_config == std::nullopt)
    CAIRN_CHECKED(result_.command->check(result_.options.get(), result_.common));
  if (result_.program.print_config) result_.action = Invocation::Action::PrintConfig;
  if (result_.program.cockpit) result_.common.progress = true;
  return {};
}

Status Parser::run_command(const Command& command) {
  scope_ = command.name;
  result_.command = &command;
  if (!command.built) return {};
  result_.options = command.make();
  Level level(command.name, result_.settings);
  for (const OptionSet& set : command.sets) level.add(set.options, set.part(result_.options.get()), false);
  level.add(common_options(), &result_.common, true);
  level.take_positionals(command.positionals, result_.options.get());
  CAIRN_CHECKED(level.read(words_, at_, false));
  if (level.wants_help()) {
    help(command.name);
    return {};
  }
  note_given(level);
  CAIRN_CHECKED(fill_from(level, command.name, sources_, given_));
  // An empty --repo counts as not given.
  if (result_.common.repo.empty())
    if (const auto repo = sources_.surroundings.variable("BORG_REPO")) {
      CAIRN_TRY(result_.common.repo, parse_location(*repo));
    }
  CAIRN_CHECKED(level.check_required());
  return report_unrecognized(level, command.name);
}

}  // namespace

Surroundings system_surroundings() {
  return {.variable = [](const std::string& name) { return env(name.c_str()); },
          .read_file = [](const std::string& path) -> Result<std::optional<std::string>> {
            const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
            if (!file) {
              if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
              return fail(os_error(errno, path));
            }
            std::string text;
            char block[4096];
            for (;;) {
              const ssize_t count = ::read(file.get(), block, sizeof block);
              if (count == 0) return text;
              if (count > 0)
                text.append(block, static_cast<std::size_t>(count));
              else if (errno != EINTR)
                return fail(os_error(errno, path));
            }
          }};
}

Parsed parse_command_line(std::span<const std::string> words, const Surroundings& surroundings) {
  Parser parser(words, surroundings);
  if (Status status = parser.run(); !status) {
    if (status.error().code() == Code::Usage) return UsageError{parser.scope(), status.error().message()};
    return std::move(status).error();
  }
  return std::move(parser.result());
}

std::string usage_error_text(const std::string& program, const UsageError& error) {
  const std::string invoked = error.command.empty() ? program : program + " " + error.command;
  return fmt::format("{}tip: For details of accepted options run: {} --help\nerror: {}\n",
                     usage_line(program, error.command), invoked, error.message);
}

}  // namespace cairn::cli

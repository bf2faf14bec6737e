// The shape of a command line as constant data: options, positionals, commands.
//
// A table reads as one line per option. Everything else is made from the tables: the parser (command_line.h), help and
// manual pages (help.h, man_page.h), and the comparison with Borg's own list of options.
//
// Shapes    An option fills one member of a plain struct through a setter: set<&CreateOptions::comment>, or with a
//           conversion set<&CheckOptions::max_age, parse_time_span>. A table belongs to one struct; a command joins
//           several tables (its own, the archive filters ...), each with the way to its part of the command's struct.
// Errors    a setter's Usage error becomes "argument -C/--compression: MESSAGE"; any other code ends the program as is.
// Cost      constant initialisation only: no code runs before main().
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"

namespace cairn::cli {

// Converts `value` and stores it in the struct at `target`. A flag gets "true", from a configuration also "false".
using Setter = Status (*)(void* target, std::string_view value);

enum class OptionKind { Flag, Value, OptionalValue, Help, Version };

struct Option {
  const char* names;    // "-C, --compression"
  const char* metavar;  // "COMPRESSION"; empty for a flag
  const char* help;
  Setter set;
  OptionKind option_kind = OptionKind::Flag;
  const char* choice_list = "";    // "repokey|keyfile"
  const char* default_text = "";   // for help; the struct's member initialiser is what counts
  const char* implied_value = "";  // of an OptionalValue given without one
  const char* exclusive_set = "";  // options with the same word here exclude each other
  const char* rival_set = "";      // of options with the same word here the last one given counts
  const char* variable_name = "";  // one more environment variable that stands for the option
  bool is_repeatable = false;
  bool is_required = false;
  bool is_hidden = false;     // not in help
  bool is_exact = false;      // never abbreviated: options that Borg lacks must not make Borg's abbreviations ambiguous
  bool set_required = false;  // one of the exclusive set must be given

  // A copy with one member changed. Defined first: constant evaluation of the lines below needs it.
  template <class T>
  constexpr Option with(T Option::* member, T value) const {
    Option copy = *this;
    copy.*member = value;
    return copy;
  }
  constexpr Option choices(const char* list) const { return with(&Option::choice_list, list); }
  constexpr Option defaults(const char* text) const { return with(&Option::default_text, text); }
  constexpr Option exclusive(const char* set_name) const { return with(&Option::exclusive_set, set_name); }
  constexpr Option rivals(const char* set_name) const { return with(&Option::rival_set, set_name); }
  constexpr Option variable(const char* name) const { return with(&Option::variable_name, name); }
  constexpr Option repeatable() const { return with(&Option::is_repeatable, true); }
  constexpr Option required() const { return with(&Option::is_required, true); }
  constexpr Option exact() const { return with(&Option::is_exact, true); }
  constexpr Option hidden() const { return exact().with(&Option::is_hidden, true); }
  constexpr Option one_required() const { return with(&Option::set_required, true); }
  constexpr Option implies(const char* value) const {
    return with(&Option::implied_value, value).with(&Option::option_kind, OptionKind::OptionalValue);
  }
};

constexpr Option flag(const char* names, const char* help, Setter set) { return {names, "", help, set}; }
constexpr Option value(const char* names, const char* metavar, const char* help, Setter set) {
  return {names, metavar, help, set, OptionKind::Value};
}

enum class PositionalKind { Required, Optional, Repeated, Remaining };  // Remaining: all further words, options too

struct Positional {
  const char* name;  // "NAME"
  const char* help;
  Setter set;
  PositionalKind kind = PositionalKind::Required;
  const char* choice_list = "";
};

// A table and the way from the command's struct to the part that the table fills.
struct OptionSet {
  const char* title;  // heading in the help
  std::span<const Option> options;
  void* (*part)(void*);
};

using OptionsBox = std::unique_ptr<void, void (*)(void*)>;

struct CommonOptions;

struct Command {
  const char* name;         // "create", "key export"
  const char* summary;      // one line
  const char* description;  // paragraphs for help and manual page, separated by empty lines
  std::span<const OptionSet> sets;
  std::span<const Positional> positionals;
  OptionsBox (*make)();
  // What a single option cannot check. Usage errors print the program's usage, not the command's.
  Status (*check)(const void* options, const CommonOptions& common) = nullptr;
  bool built = true;  // false: a name of Borg's that Cairn does not have yet
};

// ---- what table entries are made of

template <class T>
OptionsBox make_options() {
  return {std::make_unique<T>().release(), [](void* options) { std::unique_ptr<T>(static_cast<T*>(options)).reset(); }};
}

template <class T>
struct MemberPointer;
template <class Struct, class Field>
struct MemberPointer<Field Struct::*> {
  using Owner = Struct;
  using Type = Field;
};

inline void* whole(void* options) { return options; }
template <auto Member>
void* part_of(void* options) {
  using Owner = typename MemberPointer<decltype(Member)>::Owner;
  return &(static_cast<Owner*>(options)->*Member);
}

// Default conversions: text as it is, decimal integers, true and false.
Status store(bool& field, std::string_view value);
Status store(int& field, std::string_view value);
Status store(std::optional<int>& field, std::string_view value);
Status store(std::string& field, std::string_view value);
Status store(std::optional<std::string>& field, std::string_view value);
Status store(std::vector<std::string>& field, std::string_view value);  // appends

template <class Field, class Value>
void put(Field& field, Value&& converted) {
  field = std::forward<Value>(converted);
}
template <class Element, class Value>
void put(std::vector<Element>& field, Value&& converted) {
  if constexpr (std::is_same_v<std::decay_t<Value>, std::vector<Element>>)
    field = std::forward<Value>(converted);
  else
    field.push_back(std::forward<Value>(converted));
}

template <auto Member, auto Convert = nullptr>
Status set(void* target, std::string_view value) {
  auto& field = static_cast<typename MemberPointer<decltype(Member)>::Owner*>(target)->*Member;
  if constexpr (std::is_same_v<decltype(Convert), std::nullptr_t>) {
    return store(field, value);
  } else {
    CAIRN_TRY(auto converted, Convert(value));
    put(field, std::move(converted));
    return {};
  }
}

// ---- names

std::vector<std::string_view> names_of(const Option& option);                 // {"-C", "--compression"}
std::string slashed_names(const Option& option);                              // "-C/--compression"
std::string_view long_name(const Option& option);                             // "--compression", or the only name
std::vector<std::string_view> split_words(std::string_view, char separator);  // no empty words

}  // namespace cairn::cli

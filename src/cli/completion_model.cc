#include "cli/completion_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/help_topics.h"
#include "cli/option_values.h"

namespace cairn::cli {
namespace {

using Kind = Offer::Kind;

std::vector<std::string> strings(std::string_view list, char separator) {
  std::vector<std::string> all;
  for (const auto word : split_words(list, separator)) all.emplace_back(word);
  return all;
}

// One of every kind; the levels are examples.
constexpr std::string_view kCompressions = "none lz4 zstd,3 zstd,10 zlib,6 lzma,6 auto,zstd,10 obfuscate,110,zstd,3";
constexpr std::string_view kChunkerParams =
    "default fixed,4194304 buzhash,19,23,21,4095 buzhash64,19,23,21,4095,2 fastcdc,19,23,21,2";
constexpr std::string_view kTimeSpans = "24H 7d 4w 12m 1y";

Offer offer_of(const Command& command, const Positional& positional, bool behind_archive) {
  if (*positional.choice_list != 0) return {.kind = Kind::Words, .words = strings(positional.choice_list, '|')};
  const std::string_view name = positional.name;
  const std::string_view of = command.name;
  const bool makes_archive = of == "create" || of == "import-tar";
  if (name == "NAME" || name == "OLDNAME" || name == "ARCHIVE1" || name == "ARCHIVE2")
    return {.kind = makes_archive ? Kind::Nothing : Kind::Archives};
  if (name == "PATH" && behind_archive && !makes_archive && !of.starts_with("debug "))
    return {.kind = Kind::StoredPaths};
  if (name.ends_with("PATH") || name == "FILE" || name == "TARFILE" || name == "ARGS" || name == "INPUT" ||
      name == "OUTPUT")
    return {.kind = Kind::Files};
  if (name == "MOUNTPOINT") return {.kind = Kind::Folders};
  if (name == "TOPIC") {
    Offer words{.kind = Kind::Words};
    for (const auto word : command_words()) words.words.emplace_back(word);
    for (const Topic& topic : topics()) words.words.emplace_back(topic.name);
    return words;
  }
  return {};
}

void add_options(Entry& entry, std::span<const Option> options) {
  for (const Option& option : options) {
    if (!option.is_hidden) entry.options.push_back(&option);
  }
}

}  // namespace

Offer offer_of(const Option& option) {
  const std::string_view name = long_name(option);
  const std::string_view metavar = option.metavar;
  if (name == "--encryption") return {.kind = Kind::Encryption};
  if (*option.choice_list != 0) return {.kind = Kind::Words, .words = strings(option.choice_list, '|')};
  if (name == "--files-cache") return {.kind = Kind::CacheModes};
  if (name == "--sort-by")
    return {.kind = metavar == "KEYS" ? Kind::ArchiveSort : metavar == "SPEC" ? Kind::ItemSort : Kind::DiffSort};
  if (metavar == "COMPRESSION") return {.kind = Kind::Words, .words = strings(kCompressions, ' ')};
  if (metavar == "PARAMS") return {.kind = Kind::Words, .words = strings(kChunkerParams, ' ')};
  if (metavar == "TIMESPAN") return {.kind = Kind::Words, .words = strings(kTimeSpans, ' ')};
  if (metavar == "FILE" || metavar == "PATH" || metavar == "MAPFILE" || metavar == "CONFIG")
    return {.kind = Kind::Files};
  if (metavar == "REPO" || metavar == "SRC_REPOSITORY" || metavar == "DIRECTORY" || metavar == "DIR")
    return {.kind = Kind::Folders};
  if (metavar == "ARCHIVE") return {.kind = Kind::Archives};
  if (metavar == "TAG") return {.kind = Kind::Tags};
  return {};
}

std::vector<Entry> completion_entries() {
  std::vector<Entry> all;
  Entry& program = all.emplace_back();
  add_options(program, common_options());
  add_options(program, program_options());
  for (const Command* command : commands()) {
    if (!command->built) continue;
    Entry entry{.name = command->name, .summary = command->summary};
    for (const OptionSet& set : command->sets) add_options(entry, set.options);
    bool behind_archive = false;
    for (const Positional& positional : command->positionals) {
      const bool repeated = positional.kind == PositionalKind::Repeated || positional.kind == PositionalKind::Remaining;
      Offer offer = offer_of(*command, positional, behind_archive);
      behind_archive = behind_archive || offer.kind == Kind::Archives;
      entry.places.push_back({.name = positional.name, .offer = std::move(offer), .repeated = repeated});
    }
    all.push_back(std::move(entry));
  }
  return all;
}

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

std::string sort_keys(Offer::Kind kind) {
  if (kind == Kind::ArchiveSort) return fmt::format("{}", fmt::join(kArchiveSortKeys, " "));
  if (kind == Kind::ItemSort) return fmt::format("{}", fmt::join(kItemSortKeys, " "));
  if (kind == Kind::DiffSort) return fmt::format("{}", fmt::join(kDiffSortKeys, " "));
  return "ctime mtime size inode rechunk disabled";
}

const std::vector<EncryptionChoice>& encryption_choices() {
  static const std::vector<EncryptionChoice> kChoices = {
      {"aes256-ocb", "AES256 in OCB mode: encryption and authentication"},
      {"chacha20-poly1305", "ChaCha20 with Poly1305: encryption and authentication"},
      {"authenticated-sha256", "no encryption, authentication via HMAC-SHA-256"},
      {"authenticated-blake3", "no encryption, authentication via keyed BLAKE3"}};
  return kChoices;
}

std::string encryption_names() {
  std::vector<std::string_view> names;
  for (const EncryptionChoice& choice : encryption_choices()) names.push_back(choice.name);
  return fmt::format("{}", fmt::join(names, " "));
}

std::string stem_of(std::string_view program) { return "_shtab_" + underscored(program); }

std::string helper_of(std::string_view program, Offer::Kind kind) {
  constexpr std::string_view kNames[] = {"",
                                         "",
                                         "",
                                         "",
                                         "archive",
                                         "tags",
                                         "stored_path",
                                         "sortby",
                                         "item_sortby",
                                         "diff_sortby",
                                         "filescachemode",
                                         "encryption"};
  return fmt::format("_{}_complete_{}", underscored(program), kNames[static_cast<std::size_t>(kind)]);
}

std::string replaced_all(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

std::string underscored(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    out += plain ? c : '_';
  }
  return out;
}

std::string filled_in(std::string_view text, std::string_view program) {
  std::string out = replaced_all(std::string(text), "%H", "_" + underscored(program) + "_complete");
  out = replaced_all(std::move(out), "%S", stem_of(program));
  return replaced_all(std::move(out), "%P", program);
}

}  // namespace cairn::cli

// What may be completed where, out of the option tables; the writers of the scripts for each shell read this alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/option_table.h"

namespace cairn::cli {

// What may stand at a place. All kinds from Archives on are answered by a function of the script, see helper_of().
struct Offer {
  enum class Kind {
    Nothing,
    Files,
    Folders,
    Words,
    Archives,
    Tags,
    StoredPaths,  // paths in the archive that is named before
    ArchiveSort,
    ItemSort,
    DiffSort,
    CacheModes,
    Encryption,
  } kind = Kind::Nothing;
  std::vector<std::string> words{};

  bool has_helper() const { return kind >= Kind::Archives; }
};

struct Place {
  std::string name;
  Offer offer;
  bool repeated = false;
};

struct Entry {
  std::string name;  // "create", "key export"; empty for the program
  std::string summary;
  std::vector<const Option*> options{};  // without the common ones, which are the program's
  std::vector<Place> places{};
};

struct EncryptionChoice {
  std::string_view name, description;
};

std::vector<Entry> completion_entries();  // the program itself first, then every command
Offer offer_of(const Option& option);
std::vector<std::string> first_words();
std::vector<std::string> words_of(const Group& group);  // that may follow the group's name
std::string sort_keys(Offer::Kind kind);                // of the sort kinds and CacheModes, with blanks between
const std::vector<EncryptionChoice>& encryption_choices();
std::string encryption_names();  // with blanks between

// The name of a function that answers an offer, and the stem of the names of the script's own functions. Scripts for
// `borg` have the names that Borg's scripts have, for what people build on them: _borg_complete_archive, _shtab_borg.
std::string helper_of(std::string_view program, Offer::Kind kind);
std::string stem_of(std::string_view program);

inline bool takes_value(const Option& option) { return option.option_kind == OptionKind::Value; }
std::string replaced_all(std::string text, std::string_view what, std::string_view by);
std::string underscored(std::string_view text);  // all but letters and digits is "_"
// `text` with %P for the program's name, %H for "_NAME_complete" and %S for "_shtab_NAME".
std::string filled_in(std::string_view text, std::string_view program);

std::string bash_script(std::string_view program);
std::string zsh_script(std::string_view program);
std::string fish_script(std::string_view program);
std::string tcsh_script(std::string_view program);

}  // namespace cairn::cli

#include "repo/key_ring.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/log.h"
#include "crypt/key_files.h"

namespace cairn::repo {
namespace {

KeyEntry make_entry(std::string_view text, const RepositoryId& id, std::string path) {
  KeyEntry entry{.id = crypt::key_id(text),
                 .text = std::string(text),
                 .blob = {},
                 .problem = {},
                 .in_repository = path.empty(),
                 .path = std::move(path)};
  auto blob = crypt::parse_key_blob(text, id);
  if (blob) {
    entry.blob = std::move(*blob);
  } else {
    entry.problem = blob.error().message();
  }
  return entry;
}

}  // namespace

Result<std::vector<KeyEntry>> find_keys(store::Store& store, const RepositoryId& id, const std::string& location) {
  std::vector<KeyEntry> entries;
  CAIRN_TRY(const auto files, crypt::find_key_files(id, location));
  for (const auto& file : files) entries.push_back(make_entry(file.text, id, file.path));
  CAIRN_TRY(const auto objects, store.list("keys"));
  for (const auto& object : objects) {
    Buffer text;
    if (auto status = store.load(fmt::format("keys/{}", object.name), text); !status) {
      if (status.error().code() == Code::NotFound) continue;
      return std::unexpected<Error>(std::move(status).error());
    }
    if (!crypt::names_repository(text_of(text), id)) continue;
    entries.push_back(make_entry(text_of(text), id, {}));
    entries.back().id = object.name;  // what the store calls it, should the two differ
  }
  if (entries.empty()) return fail(Code::RepoKeyNotFound, fmt::format("No key found in repository {}.", location));
  return entries;
}

Result<OpenedKey> unlock_keys(std::vector<KeyEntry> entries, const RepositoryId& id, const std::string& location,
                              crypt::PassphraseGroup group, const crypt::Prompt& prompt) {
  std::vector<crypt::KeyBlob> blobs;
  std::vector<std::size_t> origin;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].blob) {
      blobs.push_back(*entries[i].blob);
      origin.push_back(i);
    } else {
      log(Level::Debug, "borg.crypto.key", fmt::format("key {}: {}", entries[i].id, entries[i].problem));
    }
  }
  const std::string shown = entries.front().place(location);
  CAIRN_TRY(auto unlocked, crypt::unlock_with_passphrase(blobs, id, group, shown, prompt));
  const std::size_t index = blobs.empty() ? 0 : origin[unlocked.index];
  return OpenedKey{std::move(unlocked), std::move(entries[index])};
}

}  // namespace cairn::repo

#include "ops/repository_keys.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "archive/python_text.h"
#include "crypt/key_files.h"

namespace cairn::ops {
namespace {

std::string object_name(std::string_view id) { return fmt::format("keys/{}", id); }

// BORG_WORKAROUNDS=authenticated_no_key opens a repository without its secrets: there is nothing to wrap then.
Status check_key_is_known(const repo::Repository& repository) {
  if (repository.key().blob) return {};
  return fail(Code::Error, "The repository was opened without its borg key, so the key can not be changed.");
}

std::optional<std::string_view> label_of(const repo::KeyEntry& entry) {
  if (!entry.blob || !entry.blob->has_label) return std::nullopt;
  return entry.blob->label;
}

Status put_key(store::Store& store, const std::string& text) {
  CAIRN_CHECKED(store.put(object_name(crypt::key_id(text)), bytes_of(text)));
  return store.sync();
}

Status erase(repo::Repository& repository, const repo::KeyEntry& entry) {
  if (!entry.in_repository) return crypt::erase_key_file(entry.path);
  CAIRN_CHECKED(repository.store().remove(object_name(entry.id)));
  return repository.store().sync();
}

}  // namespace

Result<std::size_t> select_key(const std::vector<repo::KeyEntry>& entries, const KeySelector& selector,
                               std::string_view current_id) {
  std::size_t matched = 0, found = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const repo::KeyEntry& entry = entries[i];
    if (selector.label && label_of(entry) != std::string_view(*selector.label)) continue;
    if (selector.id && !entry.id.starts_with(*selector.id)) continue;
    if (selector.current && entry.id != current_id) continue;
    ++matched;
    found = i;
  }
  if (matched == 1) return found;
  return fail(Code::Error,
              fmt::format("The selector needs to match precisely 1 key, but it matched {} keys.", matched));
}

Status check_new_label(repo::Repository& repository, const std::string& label) {
  CAIRN_CHECKED(check_key_is_known(repository));
  if (label.empty()) return fail(Code::Error, "A label is required when adding a borg key (--label).");
  if (label == crypt::kAdminLabel) {
    return fail(Code::Error,
                fmt::format("The \"{}\" label is reserved for the borg key created at repository creation.", label));
  }
  if (!repository.key().in_repository && crypt::explicit_key_file()) {
    return fail(Code::Error,
                "Cannot add a borg key while BORG_KEY_FILE points to a single keyfile; unset it so the new keyfile "
                "can be stored in the keys directory.");
  }
  CAIRN_TRY(const auto entries, repo::find_keys(repository.store(), repository.id(), repository.location()));
  if (std::ranges::any_of(entries, [&](const auto& entry) { return label_of(entry) == std::string_view(label); })) {
    return fail(Code::Error,
                fmt::format("A borg key with label {} already exists.", archive::python_repr(std::string_view(label))));
  }
  return {};
}

Result<std::string> add_key(repo::Repository& repository, const std::string& label, const crypt::Secret& passphrase) {
  CAIRN_CHECKED(check_new_label(repository, label));
  CAIRN_TRY(const std::string text, crypt::wrap(repository.material(), passphrase.view(), label));
  CAIRN_CHECKED(repository.check_lock());
  if (repository.key().in_repository) {
    CAIRN_CHECKED(put_key(repository.store(), text));
    return repository.location();
  }
  std::string path = crypt::new_key_file_path(text);
  CAIRN_CHECKED(crypt::write_key_file(path, text, crypt::IfExists::Refuse));
  return path;
}

Result<repo::KeyEntry> remove_key(repo::Repository& repository, const KeySelector& selector) {
  CAIRN_TRY(auto entries, repo::find_keys(repository.store(), repository.id(), repository.location()));
  if (entries.size() < 2) return fail(Code::Error, "Cannot remove the last remaining borg key of a repository.");
  CAIRN_TRY(const std::size_t index, select_key(entries, selector, repository.key().id));
  if (label_of(entries[index]) == crypt::kAdminLabel) {
    return fail(Code::Error,
                fmt::format("The \"{}\" borg key is protected and cannot be removed.", crypt::kAdminLabel));
  }
  CAIRN_CHECKED(repository.check_lock());
  CAIRN_CHECKED(erase(repository, entries[index]));
  return std::move(entries[index]);
}

Result<std::string> change_passphrase(repo::Repository& repository, const crypt::Secret& passphrase) {
  CAIRN_CHECKED(check_key_is_known(repository));
  const repo::KeyEntry& old = repository.key();
  CAIRN_TRY(const std::string text, crypt::wrap(repository.material(), passphrase.view(), label_of(old)));
  CAIRN_CHECKED(repository.check_lock());
  if (old.in_repository) {
    CAIRN_CHECKED(put_key(repository.store(), text));
    CAIRN_CHECKED(erase(repository, old));
    return repository.location();
  }
  if (crypt::explicit_key_file()) {
    CAIRN_CHECKED(crypt::write_key_file(old.path, text, crypt::IfExists::Replace));
    return old.path;
  }
  std::string path = crypt::new_key_file_path(text);
  CAIRN_CHECKED(crypt::write_key_file(path, text, crypt::IfExists::Refuse));
  if (path != old.path && crypt::is_in_keys_dir(old.path)) CAIRN_CHECKED(erase(repository, old));
  return path;
}

Result<std::string> change_key_location(repo::Repository& repository, repo::KeyLocation wanted, bool keep_old) {
  CAIRN_CHECKED(check_key_is_known(repository));
  const repo::KeyEntry& old = repository.key();
  // Wrapped anew, so that two copies have two ids and each can be named.
  CAIRN_TRY(const std::string text, crypt::wrap(repository.material(), repository.passphrase().view(), label_of(old)));
  CAIRN_CHECKED(repository.check_lock());
  std::string place = repository.location();
  if (wanted == repo::KeyLocation::Repokey) {
    CAIRN_CHECKED(put_key(repository.store(), text));
  } else {
    place = crypt::new_key_file_path(text);
    CAIRN_CHECKED(crypt::write_key_file(place, text, crypt::IfExists::Refuse));
  }
  if (!keep_old) CAIRN_CHECKED(erase(repository, old));
  return place;
}

Status import_key(store::Store& store, const RepositoryId& id, const std::string& location, std::string_view text,
                  repo::KeyLocation wanted) {
  CAIRN_CHECKED(crypt::check_key_header(text, id));
  if (wanted == repo::KeyLocation::Repokey) return put_key(store, std::string(text));
  CAIRN_TRY(const std::string path, crypt::import_key_file_path(text, id, location));
  return crypt::write_key_file(path, text, crypt::IfExists::Replace);
}

}  // namespace cairn::ops

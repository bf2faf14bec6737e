#include "cli/key_commands.h"

#include <fmt/format.h>

#include "archive/python_text.h"
#include "base/log.h"
#include "cli/new_passphrase.h"
#include "cli/session.h"
#include "ops/repository_keys.h"

namespace cairn::cli {
namespace {

constexpr std::string_view kLogger = "borg.archiver.key_cmds";
constexpr std::size_t kIdDigits = 12;

std::string short_id(const repo::KeyEntry& entry) { return entry.id.substr(0, kIdDigits); }

// Borg's and Python's way to name a label or its absence.
std::string shown_label(const repo::KeyEntry& entry) {
  return entry.blob && entry.blob->has_label ? archive::python_repr(std::string_view(entry.blob->label)) : "None";
}

void say(std::string_view message) { log(Level::Info, kLogger, message); }

}  // namespace

Status run_key_list(const KeyListOptions&, Context& context) {
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Shared));
  repo::Repository& repository = *session.repository;
  CAIRN_TRY(const auto entries, repo::find_keys(repository.store(), repository.id(), repository.location()));
  const auto write_row = [&](std::string_view mark, std::string_view id, std::string_view mode, std::string_view label,
                             std::string_view algorithm) {
    context.output.write(
        context.output.out_text(fmt::format("{:<1} {:<12} {:<8} {:<24} {}\n", mark, id, mode, label, algorithm)));
  };
  write_row("", "KEY ID", "MODE", "LABEL", "ALGORITHM");
  for (const repo::KeyEntry& entry : entries) {
    if (!entry.blob) {
      log(Level::Warning, kLogger,
          fmt::format("Borg key {} is corrupted (could not be parsed): {}", short_id(entry), entry.problem));
    }
    const bool has_label = entry.blob && entry.blob->has_label && !entry.blob->label.empty();
    write_row(entry.id == repository.key().id ? "*" : "", short_id(entry), entry.in_repository ? "repokey" : "keyfile",
              has_label ? entry.blob->label : "-", entry.blob ? entry.blob->algorithm : "(corrupted)");
  }
  return repository.close();
}

Status run_key_add(const KeyAddOptions& options, Context& context) {
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Shared));
  CAIRN_CHECKED(ops::check_new_label(*session.repository, options.label));
  CAIRN_TRY(const crypt::Secret passphrase, ask_new_passphrase(context));
  CAIRN_TRY(const std::string place, ops::add_key(*session.repository, options.label, passphrase));
  say(fmt::format("Borg key with label {} added.", archive::python_repr(std::string_view(options.label))));
  say(fmt::format("Key location: {}", place));
  return session.repository->close();
}

Status run_key_remove(const KeyRemoveOptions& options, Context& context) {
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Shared));
  CAIRN_TRY(
      const repo::KeyEntry removed,
      ops::remove_key(*session.repository, {.label = options.label, .id = options.key, .current = options.current}));
  say(fmt::format("Borg key {} (label {}) removed.", short_id(removed), shown_label(removed)));
  return session.repository->close();
}

Status run_key_change_passphrase(const KeyChangePassphraseOptions&, Context& context) {
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Shared));
  CAIRN_TRY(const crypt::Secret passphrase, ask_changed_passphrase(context));
  CAIRN_TRY(const std::string place, ops::change_passphrase(*session.repository, passphrase));
  say("Key updated");
  say(fmt::format("Key location: {}", place));
  return session.repository->close();
}

Status run_key_change_location(const KeyChangeLocationOptions& options, Context& context) {
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Exclusive));
  const auto wanted = options.location == "keyfile" ? repo::KeyLocation::Keyfile : repo::KeyLocation::Repokey;
  if ((wanted == repo::KeyLocation::Repokey) == session.repository->key().in_repository) {
    context.output.write(fmt::format("The borg key is already stored as {}, nothing to do.\n", options.location));
    return session.repository->close();
  }
  CAIRN_TRY(const std::string place, ops::change_key_location(*session.repository, wanted, options.keep));
  say(fmt::format("Key {} to {}", options.keep ? "copied" : "moved", place));
  return session.repository->close();
}

}  // namespace cairn::cli

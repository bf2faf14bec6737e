#include "cli/exit_codes.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/env.h"

namespace cairn::cli {
namespace {

// How an error's message becomes a line: it is the line, or it goes into a template.
struct Row {
  Code code;
  int exit_code;
  const char* message_id;
  const char* form = "{}";
  const char* fixed = "";  // shown when the message is empty
};

constexpr Row kRows[] = {
    {Code::Error, 2, "Error", "Error: {}"},
    {Code::Internal, 2, "Exception", "Error: {}"},
    {Code::Cancelled, 3, "CancelledByUser", "{}", "Cancelled by user."},
    {Code::Interrupted, 2, "Error", "Error: {}", "Got Ctrl-C / SIGINT."},
    {Code::Command, 4, "CommandError", "Command error: {}"},
    {Code::Runtime, 2, "RTError", "Runtime error: {}"},
    {Code::Placeholder, 5, "PlaceholderError"},
    {Code::InvalidPlaceholder, 6, "InvalidPlaceholder"},
    {Code::Usage, 2, "", "error: {}"},
    {Code::Pattern, 4, "CommandError"},
    {Code::Unsupported, 2, "Error", "Error: {}"},
    {Code::Io, 2, "Error", "Error: {}"},
    {Code::NoSpace, 2, "Error", "Error: {}"},
    {Code::NotFound, 2, "Error", "Error: {}"},
    {Code::Denied, 2, "Error", "Error: {}"},
    {Code::RepositoryAlreadyExists, 10, "Repository.AlreadyExists"},
    {Code::IncompleteRepository, 11, "Repository.IncompleteRepository"},
    {Code::RepositoryDoesNotExist, 13, "Repository.DoesNotExist"},
    {Code::InvalidRepository, 15, "Repository.InvalidRepository"},
    {Code::InvalidRepositoryConfig, 16, "Repository.InvalidRepositoryConfig"},
    {Code::ObjectNotFound, 17, "Repository.ObjectNotFound"},
    {Code::ParentPathDoesNotExist, 18, "Repository.ParentPathDoesNotExist"},
    {Code::PathAlreadyExists, 19, "Repository.PathAlreadyExists"},
    {Code::PathPermissionDenied, 21, "Repository.PathPermissionDenied"},
    {Code::PackLocationUnknown, 22, "Repository.PackLocationUnknown"},
    {Code::PackNotFound, 23, "Repository.PackNotFound"},
    {Code::PermissionDenied, 24, "Repository.PermissionDenied"},
    {Code::KeyRequired, 28, "Repository.KeyRequired"},
    {Code::LegacyRepository, 29, "Repository.LegacyRepository"},
    {Code::DefaultsMissing, 34, "Repository.DefaultsMissing"},
    {Code::ArchiveAlreadyExists, 30, "Archive.AlreadyExists"},
    {Code::ArchiveDoesNotExist, 31, "Archive.DoesNotExist"},
    {Code::ExtractionDirNotEmpty, 33, "Archive.ExtractionDirNotEmpty"},
    {Code::KeyfileInvalid, 40, "KeyfileInvalidError"},
    {Code::KeyfileMismatch, 41, "KeyfileMismatchError"},
    {Code::NotAKeyFile, 43, "NotABorgKeyFile", "{}", "This file is not a Borg key backup, aborting."},
    {Code::RepoKeyNotFound, 44, "RepoKeyNotFoundError"},
    {Code::RepoIdMismatch, 45, "RepoIdMismatch", "{}",
     "This key backup seems to be for a different backup repository, aborting."},
    {Code::UnsupportedKeyFormat, 49, "UnsupportedKeyFormatError"},
    {Code::NoPassphrase, 50, "NoPassphraseFailure"},
    {Code::PasscommandFailure, 51, "PasscommandFailure"},
    {Code::PassphraseWrong, 52, "PassphraseWrong", "{}",
     "Passphrase supplied in BORG_PASSPHRASE, by BORG_PASSCOMMAND, or via BORG_PASSPHRASE_FD is incorrect."},
    {Code::PasswordRetriesExceeded, 53, "PasswordRetriesExceeded", "{}", "Exceeded the maximum password retries."},
    {Code::KeyInfoMissing, 54, "RepositoryKeyInfoMissing"},
    {Code::CacheInitAborted, 60, "CacheInitAbortedError", "{}", "Cache initialization aborted"},
    {Code::EncryptionMethodMismatch, 61, "EncryptionMethodMismatch", "{}",
     "Repository encryption method changed since last access, refusing to continue"},
    {Code::RepositoryAccessAborted, 62, "RepositoryAccessAborted", "{}", "Repository access aborted"},
    {Code::LockFailed, 72, "LockFailed"},
    {Code::LockTimeout, 73, "LockTimeout"},
    {Code::NotLocked, 74, "NotLocked"},
    {Code::Integrity, 90, "IntegrityError", "Data integrity error: {}"},
    {Code::FileIntegrity, 91, "FileIntegrityError", "File failed integrity check: {}"},
    {Code::Decompression, 92, "DecompressionError", "Decompression error: {}"},
    {Code::CorruptPack, 93, "CorruptPack",
     "{}. Run \"borg check --repair\" to recover the objects that are still readable."},
    {Code::CorruptIndexFragment, 94, "CorruptChunkIndexFragment",
     "Chunk index fragment {} is corrupt. Run \"borg check --repair\" to rebuild the chunk index."},
    {Code::FileChanged, 100, "FileChangedWarning"},
    {Code::PatternNeverMatched, 101, "IncludePatternNeverMatchedWarning"},
    {Code::Backup, 102, "BackupError"},
    {Code::BackupRace, 103, "BackupRaceConditionError"},
    {Code::BackupOs, 104, "BackupOSError"},
    {Code::BackupPermission, 105, "BackupPermissionError"},
    {Code::BackupIo, 106, "BackupIOError"},
    {Code::BackupNotFound, 107, "BackupFileNotFoundError"},
    {Code::BackupSymlinkParent, 108, "BackupSymlinkParentError"},
    {Code::BackupPathTraversal, 109, "BackupPathTraversalError"},
    {Code::BackupTimeout, 111, "BackupTimeoutError"},
    {Code::BackupBrokenSymlink, 112, "BackupBrokenSymlinkError"},
    {Code::BackupDamagedChunks, 113, "BackupDamagedChunksError"},
};

const Row& row_of(Code code) {
  for (const Row& row : kRows)
    if (row.code == code) return row;
  check_failed("row_of", "an error code without an exit code", __FILE__, __LINE__);
}

}  // namespace

int exit_code_of(Code code) { return row_of(code).exit_code; }
std::string_view message_id_of(Code code) { return row_of(code).message_id; }

std::string error_line(const Error& error) {
  const Row& row = row_of(error.code());
  return fmt::format(fmt::runtime(row.form), error.message().empty() ? std::string(row.fixed) : error.text());
}

Severity severity_of(int exit_code) {
  if (exit_code == 0) return Severity::Success;
  if (exit_code >= 128) return Severity::Signal;
  if (exit_code == 1 || exit_code >= 100) return Severity::Warning;
  return Severity::Error;
}

void ExitStatus::note(int exit_code) {
  const std::lock_guard lock(mutex_);
  const Severity before = severity_of(worst_), now = severity_of(exit_code);
  if (now > before)
    worst_ = exit_code;
  else if (now == Severity::Warning && before == Severity::Warning && worst_ != exit_code)
    worst_ = 1;
}

void ExitStatus::finish_with(int exit_code) {
  const std::lock_guard lock(mutex_);
  final_ = exit_code;
  is_childs_ = false;
}

void ExitStatus::finish_with_child(int exit_code) {
  const std::lock_guard lock(mutex_);
  final_ = exit_code;
  is_childs_ = true;
}

int ExitStatus::result(bool legacy) const {
  const std::lock_guard lock(mutex_);
  if (final_ >= 0 && (!legacy || is_childs_)) return final_;
  const int code = final_ >= 0 ? final_ : worst_;
  if (!legacy) return code;
  switch (severity_of(code)) {
    case Severity::Success:
    case Severity::Signal:
      return code;
    case Severity::Warning:
      return 1;
    case Severity::Error:
      return 2;
  }
  return code;
}

bool legacy_exit_codes() {
  const auto setting = env("BORG_EXIT_CODES");
  return setting && *setting != "modern";
}

}  // namespace cairn::cli

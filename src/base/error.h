// Errors are values: Result<T> for everything that a user, a disk or a network can cause.
//
// An Error is one pointer, so success stays cheap. It has a code (one enum for the whole program; cli maps it to Borg's
// exit code and message id), a message in the user's words and the places that were added on the way up. Secrets never
// enter messages.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cairn {

// Grouped as Borg 2 groups its exit codes (the numbers are in cli/exit_codes.cc).
enum class Code {
  // general
  Error,        // any other error: "Error: ..."
  Internal,     // a caught library exception or a bug that need not stop the program
  Cancelled,    // the user said no, or Ctrl-C
  Interrupted,  // SIGINT, SIGTERM or SIGHUP ended the work in an orderly way
  Command,      // the command line makes no sense: "Command error: ..."
  Runtime,      // what was asked for is not there: "Runtime error: ..."
  Placeholder,  // a format string cannot be evaluated
  InvalidPlaceholder,
  Usage,    // an option's value is not acceptable; usage text and exit code 2
  Pattern,  // a bad pattern line; message alone, exit code 4
  Unsupported,
  // operating system
  Io,        // any errno not named below
  NoSpace,   // ENOSPC, EDQUOT
  NotFound,  // ENOENT and a store object that is not there
  Denied,    // EACCES, EPERM
  // repository
  RepositoryAlreadyExists,
  IncompleteRepository,
  RepositoryDoesNotExist,
  InvalidRepository,
  InvalidRepositoryConfig,
  ObjectNotFound,
  ParentPathDoesNotExist,
  PathAlreadyExists,
  PathPermissionDenied,
  PackLocationUnknown,
  PackNotFound,
  PermissionDenied,  // BORG_REPO_PERMISSIONS
  KeyRequired,
  LegacyRepository,
  DefaultsMissing,
  // archives
  ArchiveAlreadyExists,
  ArchiveDoesNotExist,
  ExtractionDirNotEmpty,
  // keys
  KeyfileInvalid,
  KeyfileMismatch,
  NotAKeyFile,
  RepoKeyNotFound,
  RepoIdMismatch,
  UnsupportedKeyFormat,
  NoPassphrase,
  PasscommandFailure,
  PassphraseWrong,
  PasswordRetriesExceeded,
  KeyInfoMissing,
  // security
  CacheInitAborted,
  EncryptionMethodMismatch,
  RepositoryAccessAborted,
  // locks
  LockFailed,
  LockTimeout,
  NotLocked,
  // integrity
  Integrity,  // "Data integrity error: ..."
  FileIntegrity,
  Decompression,  // "Decompression error: ..."
  CorruptPack,
  CorruptIndexFragment,
  // one file's own problems while backing up or extracting (warnings)
  FileChanged,
  PatternNeverMatched,
  Backup,
  BackupRace,
  BackupOs,
  BackupPermission,
  BackupIo,
  BackupNotFound,
  BackupSymlinkParent,
  BackupPathTraversal,
  BackupTimeout,
  BackupBrokenSymlink,
  BackupDamagedChunks,
};

class [[nodiscard]] Error {
 public:
  Error(Code code, std::string message) : details_(new Details{code, std::move(message), {}, 0}) {}
  Error(Code code, std::string message, int os_error) : details_(new Details{code, std::move(message), {}, os_error}) {}

  Code code() const { return details_->code; }
  const std::string& message() const { return details_->message; }
  const std::vector<std::string>& places() const { return details_->places; }  // innermost first
  int os_error() const { return details_->os_error; }                          // errno, or 0

  // Adds where it happened ("reading pack 3f2a.."), for use on the way up.
  Error&& at(std::string place) && {
    details_->places.push_back(std::move(place));
    return std::move(*this);
  }
  // The same problem seen from a higher room.
  Error&& as(Code code) && {
    details_->code = code;
    return std::move(*this);
  }
  Error clone() const {
    Error copy(code(), message(), os_error());
    copy.details_->places = places();
    return copy;
  }
  // "message (innermost place; next place)" for logs.
  std::string text() const;

 private:
  struct Details {
    Code code;
    std::string message;
    std::vector<std::string> places;
    int os_error;
  };
  std::unique_ptr<Details> details_;
};

template <class T>
using Result = std::expected<T, Error>;
using Status = Result<void>;

// An errno as a value, in Borg's (Python's) wording: "[Errno 2] No such file or directory: 'path'". The code follows
// from the errno (NotFound, Denied, NoSpace, Io). An empty path leaves the ": 'path'" out.
Error os_error(int error_number, const std::string& path);

inline std::unexpected<Error> fail(Code code, std::string message) {
  return std::unexpected<Error>(Error(code, std::move(message)));
}
inline std::unexpected<Error> fail(Error error) { return std::unexpected<Error>(std::move(error)); }

}  // namespace cairn

// CAIRN_TRY(auto x, expression): declares x as the value of a Result, or returns its error to the caller.
// CAIRN_CHECKED(expression): the same for a Status.
#define CAIRN_CONCAT_(a, b) a##b
#define CAIRN_CONCAT(a, b) CAIRN_CONCAT_(a, b)
#define CAIRN_TRY_(temporary, declaration, ...)                           \
  auto temporary = (__VA_ARGS__);                                         \
  if (!temporary) [[unlikely]]                                            \
    return std::unexpected<::cairn::Error>(std::move(temporary).error()); \
  declaration = std::move(*temporary)
#define CAIRN_TRY(declaration, ...) CAIRN_TRY_(CAIRN_CONCAT(cairn_try_, __LINE__), declaration, __VA_ARGS__)
#define CAIRN_CHECKED(...)                                                     \
  do {                                                                         \
    if (auto cairn_status = (__VA_ARGS__); !cairn_status) [[unlikely]]         \
      return std::unexpected<::cairn::Error>(std::move(cairn_status).error()); \
  } while (false)

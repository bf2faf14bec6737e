// From error codes to Borg's exit codes, message ids and lines, and how several of them combine.
//
// Rendering   most errors carry the whole line in their message. These carry the argument of a template instead:
//             Error, Internal, Unsupported, Interrupted and the operating system's codes "Error: {}", Command
//             "Command error: {}", Integrity "Data integrity error: {}", FileIntegrity "File failed integrity check:
//             {}", Decompression "Decompression error: {}", CorruptPack and CorruptIndexFragment (the pack, the
//             fragment). Codes with a fixed text (Cancelled, CacheInitAborted ...) show it when their message is empty.
// Source      docs/format (cli, section 4).
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "base/error.h"

namespace cairn::cli {

int exit_code_of(Code code);                 // modern numbering
std::string_view message_id_of(Code code);   // "Repository.DoesNotExist"; empty if Borg has none
std::string error_line(const Error& error);  // the line that the user sees, with the places where it happened

enum class Severity { Success, Warning, Error, Signal };
Severity severity_of(int exit_code);

// Collects what happened in a run. Signal beats error beats warning; equal warnings keep their code, different ones
// make 1; of errors that did not end the run the first counts. A raised error or a child's code is final.
// Thread-safe.
class ExitStatus {
 public:
  void note(Code code) { note(exit_code_of(code)); }
  void note(int exit_code);
  void finish_with(int exit_code);        // a raised error
  void finish_with_child(int exit_code);  // of with-lock: not ours to renumber
  // `legacy`: every error 2, every warning 1; a child's code as it is.
  int result(bool legacy) const;

 private:
  mutable std::mutex mutex_;
  int worst_ = 0;
  int final_ = -1;
  bool is_childs_ = false;
};

bool legacy_exit_codes();  // from BORG_EXIT_CODES: anything but "modern" is legacy

}  // namespace cairn::cli

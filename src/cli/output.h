// The two standard streams. Everything that Cairn writes to them goes through one Output.
//
// Standard output carries requested data only, buffered; a reader that goes away (EPIPE) is no error, the rest is
// dropped silently. Standard error carries lines for people or JSON lines, each written at once. A progress line on a
// terminal is transient: it is wiped before anything else is written and comes back with the next update.
//
// Threads   all functions may be called from any thread.
// Errors    flush() reports the first failed write to standard output (a full disk), other than EPIPE.
// Source    docs/format (cli, section 1.2).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/error.h"

namespace cairn::cli {

class Output {
 public:
  explicit Output(int out_fd = 1, int error_fd = 2);
  Output(Output&&) noexcept;
  Output& operator=(Output&&) noexcept;
  ~Output();  // flushes

  // Standard output. Text is written as it stands: names in it go through out_text() first.
  void write(std::string_view text);
  void write_bytes(Bytes bytes) { write(text_of(bytes)); }  // file contents
  Status flush();
  // True once the reader is gone: a long listing may stop.
  bool reader_gone() const;

  // Standard error: a line, or several separated by line feeds. The final line feed is added.
  void error_line(std::string_view text);
  void error_text(std::string_view text);  // without a line feed at the end: prompts
  // Shows `line` (already short enough for the terminal) in place of the one before; empty wipes it. On something that
  // is no terminal nothing is shown.
  void show_transient(std::string_view line);

  // Text of unknown content in the form for that stream: see display_text.h.
  std::string out_text(std::string_view text) const;
  std::string error_display(std::string_view text) const;

  bool out_is_terminal() const;
  bool error_is_terminal() const;
  std::size_t out_columns() const;  // 80 if unknown; COLUMNS wins
  std::size_t error_columns() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cairn::cli

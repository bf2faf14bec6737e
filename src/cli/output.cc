#include "cli/output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <mutex>

#include "base/env.h"
#include "cli/display_text.h"

namespace cairn::cli {
namespace {

constexpr std::size_t kBufferSize = 64 * 1024;

std::size_t columns_of(int fd) {
  if (const auto text = env_nonempty("COLUMNS")) {
    const long columns = std::strtol(text->c_str(), nullptr, 10);
    if (columns > 0 && columns < 10000) return static_cast<std::size_t>(columns);
  }
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

// 0, or the errno of the write that failed.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count >= 0)
      text.remove_prefix(static_cast<std::size_t>(count));
    else if (errno != EINTR)
      return errno;
  }
  return 0;
}

}  // namespace

struct Output::State {
  int out_fd, error_fd;
  bool out_terminal, error_terminal;
  mutable std::mutex mutex;
  std::string buffer;      // of standard output
  int out_error = 0;       // errno of the first failed write
  bool transient = false;  // a progress line stands on the terminal
  std::string wipe_prefix() {
    if (!transient) return {};
    transient = false;
    return "\r\033[K";
  }
  void flush_locked() {
    if (!buffer.empty() && out_error == 0) {
      if (out_terminal && transient) write_all(error_fd, wipe_prefix());
      out_error = write_all(out_fd, buffer);
    }
    buffer.clear();
  }
};

Output::Output(int out_fd, int error_fd) : state_(std::make_unique<State>()) {
  state_->out_fd = out_fd;
  state_->error_fd = error_fd;
  state_->out_terminal = ::isatty(out_fd) == 1;
  state_->error_terminal = ::isatty(error_fd) == 1;
}
Output::Output(Output&&) noexcept = default;
Output& Output::operator=(Output&&) noexcept = default;
Output::~Output() {
  if (state_) state_->flush_locked();
}

void Output::write(std::string_view text) {
  const std::lock_guard lock(state_->mutex);
  if (state_->out_error != 0) return;
  if (text.size() >= kBufferSize) {
    state_->flush_locked();
    if (state_->out_error == 0) state_->out_error = write_all(state_->out_fd, text);
    return;
  }
  state_->buffer += text;
  const bool whole_line = state_->out_terminal && text.ends_with('\n');
  if (state_->buffer.size() >= kBufferSize || whole_line) state_->flush_locked();
}

Status Output::flush() {
  const std::lock_guard lock(state_->mutex);
  state_->flush_locked();
  if (state_->out_error != 0 && state_->out_error != EPIPE) return fail(os_error(state_->out_error, ""));
  return {};
}

bool Output::reader_gone() const {
  const std::lock_guard lock(state_->mutex);
  return state_->out_error == EPIPE;
}

void Output::error_line(std::string_view text) {
  const std::lock_guard lock(state_->mutex);
  if (state_->out_terminal) state_->flush_locked();
  // One write per record: lines of several processes on one file do not mix.
  write_all(state_->error_fd, state_->wipe_prefix() + std::string(text) + "\n");
}

void Output::error_text(std::string_view text) {
  const std::lock_guard lock(state_->mutex);
  if (state_->out_terminal) state_->flush_locked();
  write_all(state_->error_fd, state_->wipe_prefix() + std::string(text));
}

void Output::show_transient(std::string_view line) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->error_terminal) return;
  std::string text = state_->wipe_prefix() + std::string(line);
  state_->transient = !line.empty();
  if (!text.empty()) write_all(state_->error_fd, text);
}

std::string Output::out_text(std::string_view text) const {
  return state_->out_terminal ? terminal_safe(text) : replaced(text);
}
std::string Output::error_display(std::string_view text) const {
  return state_->error_terminal ? terminal_safe(text) : replaced(text);
}

bool Output::out_is_terminal() const { return state_->out_terminal; }
bool Output::error_is_terminal() const { return state_->error_terminal; }
std::size_t Output::out_columns() const { return columns_of(state_->out_fd); }
std::size_t Output::error_columns() const { return columns_of(state_->error_fd); }

}  // namespace cairn::cli

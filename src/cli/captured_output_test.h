// An Output into pipes or a pseudo-terminal, for tests.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <array>
#include <string>

#include "base/clock.h"
#include "base/fd.h"
#include "cli/output.h"

namespace cairn::cli {

// Reads what is there; the writer is done.
inline std::string drained(int fd) {
  ::fcntl(fd, F_SETFL, O_NONBLOCK);
  std::string text;
  std::array<char, 4096> block{};
  for (;;) {
    const ssize_t count = ::read(fd, block.data(), block.size());
    if (count <= 0) return text;
    text.append(block.data(), static_cast<std::size_t>(count));
  }
}

struct Pipe {
  Fd read_end, write_end;
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
    read_end = Fd(ends[0]);
    write_end = Fd(ends[1]);
  }
};

struct CapturedOutput {
  Pipe out, error;
  Output output{out.write_end.get(), error.write_end.get()};
  std::string out_text() {
    EXPECT_TRUE(output.flush());
    return drained(out.read_end.get());
  }
  std::string error_text() { return drained(error.read_end.get()); }
};

class SetClock : public Clock {
 public:
  Nanoseconds time = 1'796'050'002'500'000'000;
  Nanoseconds now() const override { return time; }
  Nanoseconds monotonic() const override { return time; }
  void sleep(Nanoseconds) const override {}
};

}  // namespace cairn::cli

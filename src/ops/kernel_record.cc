#include "ops/kernel_record.h"

#include <fcntl.h>

#include <fmt/format.h>

#include "base/fd.h"
#include "base/log.h"
#include "base/small_file.h"
#include "base/user_dirs.h"
#include "chunk/kernel_list.h"
#include "chunk/kernel_race.h"
#include "cpu/features.h"

namespace cairn::ops {
namespace {

constexpr std::size_t kMostBytes = 16384;
// A home directory may be shared by several kinds of machines.
constexpr std::size_t kMostLines = 64;

std::string record_directory() { return cache_dir() + "/cairn"; }
std::string record_path() { return record_directory() + "/kernels"; }

// The part of a line behind the kernel's name.
std::string machine_of(chunk::Algorithm algorithm) {
  std::string kernels;
  for (const chunk::KernelChoice& choice : chunk::kernels_of(algorithm)) {
    if (choice.runs) kernels += fmt::format("{}{}", kernels.empty() ? "" : ",", choice.name);
  }
  return fmt::format("{} {} {}", CAIRN_VERSION, kernels, cpu::model_name());
}

std::string line_of(chunk::Algorithm algorithm, std::string_view kernel) {
  return fmt::format("{} {} {}", chunk::name_of(algorithm), kernel, machine_of(algorithm));
}

// Takes the first line off `text`; what has no line feed at its end is no line.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end == std::string_view::npos ? 0 : end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

// Empty if it cannot be read or is no record.
std::string read_record() {
  const Fd fd(::open(record_path().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return {};
  const auto text = read_up_to(fd, kMostBytes + 1, record_path());
  return text && text->size() <= kMostBytes ? *text : std::string();
}

Status write_record(std::string_view text) {
  CAIRN_CHECKED(ensure_directory(record_directory()));
  return replace_file(record_path(), text, Synced::No);
}

}  // namespace

std::string_view recorded_kernel(std::string_view text, chunk::Algorithm algorithm) {
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    for (const chunk::KernelChoice& choice : chunk::kernels_of(algorithm)) {
      if (choice.runs && line == line_of(algorithm, choice.name)) return choice.name;
    }
  }
  return {};
}

std::string record_kernel(std::string_view text, chunk::Algorithm algorithm, std::string_view kernel) {
  std::string record = line_of(algorithm, kernel) + "\n";
  const std::string chunker = std::string(chunk::name_of(algorithm)) + " ";
  const std::string machine = " " + machine_of(algorithm);
  for (std::size_t lines = 1; !text.empty() && lines < kMostLines;) {
    const std::string_view line = take_line(text);
    if (line.empty() || (line.starts_with(chunker) && line.ends_with(machine))) continue;
    if (record.size() + line.size() >= kMostBytes) continue;
    record.append(line).push_back('\n');
    ++lines;
  }
  return record;
}

void settle_kernel(chunk::Algorithm algorithm) {
  if (chunk::is_kernel_settled(algorithm) || chunk::kernels_of(algorithm).empty()) return;
  const std::string text = read_record();
  std::string_view kernel = recorded_kernel(text, algorithm);
  if (kernel.empty()) {
    kernel = chunk::fastest_kernel(algorithm);
    log(Level::Debug, "borg.chunkers",
        fmt::format("{}: the fastest scan kernel is {}", chunk::name_of(algorithm), kernel));
    if (const Status written = write_record(record_kernel(text, algorithm, kernel)); !written) {
      log(Level::Debug, "borg.chunkers", written.error().text());
    }
  }
  if (const Status preferred = chunk::prefer_kernel(algorithm, kernel); !preferred) {
    log(Level::Debug, "borg.chunkers", preferred.error().text());
  }
}

}  // namespace cairn::ops

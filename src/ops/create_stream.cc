// Content that is no file of the walk: standard input, a command's output, and FIFOs and devices read like files.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <functional>

#include <fmt/format.h>

#include "ops/backup_error.h"
#include "ops/child_output.h"
#include "ops/create_run.h"

namespace cairn::ops {
namespace {

// A descriptor that may be a pipe. With a time-out: before the first byte an empty read means "no writer yet".
class StreamSource final : public Source {
 public:
  // `stopping` is asked while there is nothing to read, so that Ctrl-C need not wait for a slow writer.
  StreamSource(int fd, std::string shown, std::function<bool()> stopping,
               std::optional<std::uint64_t> timeout_seconds = std::nullopt)
      : fd_(fd),
        shown_(std::move(shown)),
        stopping_(std::move(stopping)),
        timeout_(timeout_seconds),
        waiting_since_(system_clock().monotonic()) {}

  Result<std::size_t> read(MutableBytes out) override {
    std::size_t fill = 0;
    while (fill < out.size()) {
      CAIRN_CHECKED(wait_for_bytes());
      const ssize_t count = ::read(fd_, out.data() + fill, out.size() - fill);
      if (count > 0) {
        fill += static_cast<std::size_t>(count);
        any_ = true;
        waiting_since_ = system_clock().monotonic();
        continue;
      }
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno != EAGAIN) return fail(os_error(errno, shown_));
      if (count == 0 && (any_ || !timeout_)) break;
      if (fill > 0) break;
      if (count == 0) system_clock().sleep(kStep * 1'000'000);  // no writer yet
    }
    return fill;
  }

 private:
  static constexpr int kStep = 100;  // milliseconds

  Status wait_for_bytes() {
    while (true) {
      if (stopping_()) return fail(Code::Interrupted, "Got Ctrl-C / SIGINT.");
      pollfd poll{.fd = fd_, .events = POLLIN, .revents = 0};
      if (::poll(&poll, 1, kStep) != 0) return check_time();  // readable, or something that read() will tell
      CAIRN_CHECKED(check_time());
    }
  }
  Status check_time() const {
    if (timeout_ && *timeout_ > 0 &&
        system_clock().monotonic() - waiting_since_ > static_cast<Nanoseconds>(*timeout_) * kSecond) {
      return fail(
          Error(Code::BackupTimeout, fmt::format("no data received for more than {} seconds", *timeout_), ETIMEDOUT));
    }
    return {};
  }

  const int fd_;
  const std::string shown_;
  const std::function<bool()> stopping_;
  const std::optional<std::uint64_t> timeout_;
  Nanoseconds waiting_since_;
  bool any_ = false;
};

}  // namespace

archive::Item CreateRun::stream_item() const {
  archive::Item item;
  item.path = request_.stdin_name;
  item.mode = S_IFREG | (request_.stdin_mode & 0107777U);
  const Nanoseconds now = system_clock().now() / kSecond * kSecond;
  item.mtime = now;
  item.atime = now;
  item.ctime = now;
  if (request_.stdin_user) {
    item.user = request_.stdin_user;
    item.uid = fs::user_id(*request_.stdin_user);
  }
  if (request_.stdin_group) {
    item.group = request_.stdin_group;
    item.gid = fs::group_id(*request_.stdin_group);
  }
  return item;
}

CreateRun::Read CreateRun::reading(Source& source, exec::Worker& worker) {
  return [this, &source, &worker](const std::shared_ptr<Content>& content, std::vector<hash::Digest>& digests) {
    return read_content(worker, *content_, source, content, scratch_(worker).cutting, digests);
  };
}

// Reads to the end on this thread and completes the slot `number`.
Status CreateRun::read_stream(const Read& read, archive::Item item, char letter, const std::string& shown,
                              std::uint64_t number, exec::Worker& worker) {
  auto content = std::make_shared<Content>();
  CAIRN_TRY(auto digests, start_digests());
  CAIRN_CHECKED(read(content, digests));
  content->finish(
      [this, raw = content.get(), item = std::move(item), letter, shown, number,
       digests = std::move(digests)](exec::Worker& on) mutable {
        Outcome out;
        if (!stop_.requested()) {
          out.letter = letter;
          out.shown = shown;
          take_content(*raw, digests, item, out);
        }
        complete(number, std::move(out), on);
      },
      worker);
  return {};
}

void CreateRun::standard_input() {
  if (request_.dry_run) {
    Outcome outcome;
    outcome.letter = '+';
    outcome.shown = request_.stdin_name;
    outcome.is_file = true;
    put(std::move(outcome));
    return;
  }
  StreamSource source(STDIN_FILENO, request_.stdin_name, [this] { return stop_.requested(); });
  const std::uint64_t number = ordered_.reserve(main_);
  if (auto status = read_stream(reading(source, main_), stream_item(), 'i', request_.stdin_name, number, main_);
      !status) {
    if (!stop_.requested()) {
      Outcome outcome;
      outcome.letter = 'E';
      outcome.shown = request_.stdin_name;
      outcome.warning.emplace(backup_error(request_.stdin_name, "read", status.error()));
      complete(number, std::move(outcome), main_);
    } else {
      complete(number, Outcome{}, main_);
    }
  }
}

Status CreateRun::command_output() {
  if (request_.dry_run) {
    standard_input();
    return {};
  }
  CAIRN_TRY(ChildOutput child, ChildOutput::start(request_.content_command));
  StreamSource source(child.output(), request_.stdin_name, [this] { return stop_.requested(); });
  const std::uint64_t number = ordered_.reserve(main_);
  auto status = read_stream(reading(source, main_), stream_item(), 'i', request_.stdin_name, number, main_);
  if (!status) complete(number, Outcome{}, main_);
  pool_.drain();
  if (!status) return status;
  return child.wait();
}

// --read-special: a FIFO or device is stored as a regular file with what can be read from it.
Result<CreateRun::Step> CreateRun::read_special(Work& work, exec::Worker& worker, const fs::Stat& stat) {
  const int directory = work.directory ? work.directory->fd.get() : AT_FDCWD;
  const bool block = S_ISBLK(stat.mode);
  const Fd fd(::openat(directory, work.name.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | (block ? 0 : O_NONBLOCK)));
  if (!fd) return fail(backup_error(work.shown, "open", os_error(errno, work.shown)));
  auto attributes = fs::read_attributes(-1, directory, work.name, stat, attribute_options(), work.shown);
  if (!attributes) return fail(backup_error(work.shown, "extended stat", attributes.error()));
  archive::Item item = item_from(stat, *attributes, work.stored);
  item.mode = S_IFREG | (stat.mode & 07777U);
  item.hlid.reset();
  StreamSource source(
      fd.get(), work.shown, [this] { return stop_.requested(); },
      block ? std::nullopt : std::optional<std::uint64_t>(request_.read_special_timeout));
  Read read = reading(source, worker);
  if (block && mapped(work)) {
    read = [&](const std::shared_ptr<Content>& content, std::vector<hash::Digest>& digests) -> Status {
      const off_t size = ::lseek(fd.get(), 0, SEEK_END);
      if (size < 0) return fail(os_error(errno, work.shown));
      return read_mapped(fd.get(), work.shown, static_cast<std::uint64_t>(size), worker, content, digests);
    };
  }
  if (auto status = read_stream(read, std::move(item), 'A', work.shown, work.number, worker); !status) {
    if (stop_.requested()) return Step::Done;
    return fail(backup_error(work.shown, "read", status.error()));
  }
  return Step::Pending;
}

}  // namespace cairn::ops

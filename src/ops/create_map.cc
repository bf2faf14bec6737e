// The content of the one input of --map: ranges that are read or known to be zero are cut anew, and chunks of the
// archive of --reuse-from take the place of what did not change since. Nothing of the latter is read.
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "archive/python_text.h"
#include "exec/memory_bound.h"
#include "exec/memory_read.h"
#include "ops/archives.h"
#include "ops/create_run.h"

namespace cairn::ops {
namespace {

constexpr std::uint64_t kStream = std::uint64_t{8} << 20U;

// Ranges of a file or block device, one after the other. Those that are zero are not read.
class MappedSource final : public Source {
 public:
  MappedSource(int fd, const std::string& shown, const InputMap& ranges)
      : fd_(fd), shown_(shown), ranges_(ranges), position_(ranges.front().start) {
    stream_ = static_cast<std::size_t>(std::min<std::uint64_t>(covered_bytes(ranges) - position_, kStream));
  }

  std::uint64_t position() const { return position_; }

  Result<std::size_t> read(MutableBytes out) override {
    if (done()) return 0;
    const InputRange& range = ranges_[at_];
    out = out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), left(range))));
    while (true) {
      const ssize_t count = exec::read_at(fd_, out, position_, exec::side_by_side(stream_));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return fail(os_error(errno, shown_));
      pass(static_cast<std::uint64_t>(count));
      return static_cast<std::size_t>(count);
    }
  }

  Result<std::uint64_t> zeros_ahead() override {
    return done() || ranges_[at_].state != RangeState::Zero ? 0 : left(ranges_[at_]);
  }

  void skip_zeros(std::uint64_t count) override { pass(count); }

 private:
  bool done() const { return at_ == ranges_.size(); }
  std::uint64_t left(const InputRange& range) const { return range.start + range.length - position_; }
  void pass(std::uint64_t count) {
    position_ += count;
    while (!done() && left(ranges_[at_]) == 0) ++at_;
  }

  const int fd_;
  const std::string& shown_;
  const InputMap& ranges_;
  std::size_t at_ = 0;
  std::uint64_t position_;
  std::size_t stream_;  // what is read soon, for the memory gate
};

}  // namespace

Result<std::vector<archive::ChunkRef>> reference_content(repo::Repository& repository, exec::Pool& pool,
                                                         const archive::Metadata& metadata,
                                                         const std::optional<std::string>& path) {
  std::size_t found = 0;
  archive::Item item;
  CAIRN_CHECKED(for_each_item(repository, pool, metadata, [&](archive::Item&& next) -> Status {
    if (!next.chunks || (path && next.path != *path)) return {};
    if (++found == 1) item = std::move(next);
    return {};
  }));
  if (path && found == 0) {
    return fail(Code::Command, fmt::format("--reuse-from: no file item with path {} in reference archive.",
                                           archive::python_repr(*path)));
  }
  if (found != 1) {
    return fail(Code::Command, fmt::format("--reuse-from: reference archive has {} file items, use --reuse-path to "
                                           "select the reference item.",
                                           found));
  }
  // A chunk of another size than the item says would put all that follows in the wrong place.
  std::uint64_t size = 0;
  for (const archive::ChunkRef& chunk : *item.chunks) {
    const auto known = repository.index().plain_size(chunk.id);
    if (known && *known != chunk.size) {
      return fail(Code::Integrity, fmt::format("--reuse-from: {}: chunk {} has {} bytes, but the archive says {}.",
                                               item.path, chunk.id.hex(), *known, chunk.size));
    }
    size += chunk.size;
  }
  if (item.size && *item.size != size) {
    return fail(Code::Integrity, fmt::format("--reuse-from: {}: the chunks have {} bytes, but the file has {}.",
                                             item.path, size, *item.size));
  }
  return std::move(*item.chunks);
}

Status CreateRun::read_mapped(int fd, const std::string& shown, std::uint64_t size, exec::Worker& worker,
                              const std::shared_ptr<Content>& content, std::vector<hash::Digest>& digests) {
  const InputMap& map = *request_.map;
  // A map of something else, or an input that is not what it was: all of the archive would be in doubt.
  auto refuse = [&](std::uint64_t found) {
    stop_.fail(not_covered(map, found));
    return stop_.result();
  };
  if (covered_bytes(map) != size) return refuse(size);
  const std::vector<InputPart> parts = plan_input(map, request_.reference, [this](const archive::ChunkRef& chunk) {
    return repository_.index().contains(chunk.id);
  });
  // Digests are of the whole content.
  if (std::ranges::any_of(parts, [](const InputPart& part) { return !part.reused.empty(); })) digests.clear();
  exec::StageClock& clock = scratch_(worker).cutting;
  for (const InputPart& part : parts) {
    for (const archive::ChunkRef& chunk : part.reused) {
      const std::size_t number = content->begin_chunk();
      content->end_chunk(number, {.id = chunk.id, .size = chunk.size, .is_new = false}, worker);
    }
    if (part.ranges.empty()) continue;
    MappedSource source(fd, shown, part.ranges);
    CAIRN_CHECKED(read_content(worker, *content_, source, content, clock, digests));
    // Short of its end, everything behind would be in the wrong place.
    if (source.position() != covered_bytes(part.ranges)) return refuse(source.position());
  }
  return {};
}

}  // namespace cairn::ops

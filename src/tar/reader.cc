// See the header.
#include "tar/reader.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include "tar/fields.h"
#include "tar/pax_records.h"

namespace cairn::tar {
namespace {

constexpr std::size_t kInput = std::size_t{256} << 10U;
constexpr std::uint64_t kMostExtra = std::uint64_t{1} << 30U;
constexpr std::size_t kStep = std::size_t{1} << 20U;
// Old GNU sparse files: offset and size, 12 bytes each.
constexpr std::size_t kOldMap = 386, kOldMapEntries = 4, kOldExtended = 482, kOldRealSize = 483;
constexpr std::size_t kMoreEntries = 21, kMoreExtended = 504;

bool is_zero_block(Bytes block) {
  return std::ranges::all_of(block, [](std::byte byte) { return byte == std::byte{0}; });
}

// Content follows, other than for links and special files, whatever their size field says.
bool has_content(char type) {
  switch (type) {
    case kHardLink:
    case kSymlink:
    case kCharDevice:
    case kBlockDevice:
    case kDirectory:
    case kFifo:
      return false;
    default:
      return true;
  }
}

}  // namespace

Reader::Reader(ReadBytes source, bool ignore_zeros)
    : source_(std::move(source)), ignore_zeros_(ignore_zeros), input_(kInput), block_(kBlock) {}

std::string Reader::where() const { return fmt::format("the tar archive's member at offset {}", header_at_); }

Result<std::size_t> Reader::some(MutableBytes out) {
  if (input_at_ == input_end_) {
    // Large pieces need no copy.
    if (out.size() >= kInput) {
      CAIRN_TRY(const std::size_t count, source_(out));
      offset_ += count;
      return count;
    }
    CAIRN_TRY(input_end_, source_(input_.span()));
    input_at_ = 0;
  }
  const std::size_t count = std::min(out.size(), input_end_ - input_at_);
  std::memcpy(out.data(), input_.data() + input_at_, count);
  input_at_ += count;
  offset_ += count;
  return count;
}

Status Reader::exactly(MutableBytes out) {
  for (std::size_t fill = 0; fill < out.size();) {
    CAIRN_TRY(const std::size_t count, some(out.subspan(fill)));
    if (count == 0)
      return fail(Code::Integrity, fmt::format("the tar archive ends in the middle, after {} bytes", offset_));
    fill += count;
  }
  return {};
}

Result<Bytes> Reader::block() {
  std::size_t fill = 0;
  while (fill < kBlock) {
    CAIRN_TRY(const std::size_t count, some(block_.span().subspan(fill)));
    if (count == 0) break;
    fill += count;
  }
  if (fill == 0) return Bytes();
  if (fill < kBlock)
    return fail(Code::Integrity, fmt::format("the tar archive ends in the middle, after {} bytes", offset_));
  return block_.view();
}

Status Reader::pass(std::uint64_t count) {
  while (count > 0) {
    if (input_at_ == input_end_) {
      CAIRN_TRY(input_end_, source_(input_.span()));
      input_at_ = 0;
      if (input_end_ == 0) {
        return fail(Code::Integrity, fmt::format("the tar archive ends in the middle, after {} bytes", offset_));
      }
    }
    const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(count, input_end_ - input_at_));
    input_at_ += step;
    offset_ += step;
    count -= step;
  }
  return {};
}

Status Reader::drain() {
  for (input_at_ = input_end_;;) {
    CAIRN_TRY(const std::size_t count, source_(input_.span()));
    if (count == 0) return {};
  }
}

// Grows with what is there, not with what is claimed.
Result<Buffer> Reader::extra(std::uint64_t size) {
  if (size > kMostExtra) return fail(Code::Integrity, fmt::format("an extended header claims {} bytes", size));
  Buffer content;
  for (std::uint64_t left = size; left > 0;) {
    const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(left, kStep));
    const std::size_t old = content.size();
    content.resize(old + step);
    CAIRN_CHECKED(exactly(content.span().subspan(old)));
    left -= step;
  }
  CAIRN_CHECKED(pass(padding(size)));
  return content;
}

Result<std::string> Reader::long_name(std::uint64_t size) {
  CAIRN_TRY(const Buffer content, extra(size));
  const std::string_view text = text_of(content);
  return std::string(text.substr(0, text.find('\0')));
}

Result<bool> Reader::next(Member& member) {
  if (ended_) return false;
  CAIRN_CHECKED(pass(stored_left_ + padding_));
  stored_left_ = 0;
  padding_ = 0;
  std::vector<Record> records;
  std::optional<std::string> path, link;
  bool extended = false;
  while (true) {
    header_at_ = offset_;
    CAIRN_TRY(const Bytes header, block());
    if (header.empty() || (is_zero_block(header) && !ignore_zeros_)) {
      if (extended) return fail(Code::Integrity, "the tar archive ends behind an extended header");
      if (header.empty() && !any_ && !ignore_zeros_) return fail(Code::Integrity, "the tar archive is empty");
      ended_ = true;
      return false;
    }
    if (is_zero_block(header)) continue;
    if (!checksum_matches(header)) {
      if (ignore_zeros_ && !extended) continue;
      return fail(Code::Integrity, fmt::format("no tar header at offset {}", header_at_));
    }
    any_ = true;
    const char type = static_cast<char>(header[kType.offset]);
    auto size = get_number(header, kSize, "size");
    if (!size) return fail(std::move(size).error().at(where()));
    if (*size < 0) return fail(Error(Code::Integrity, "the size is negative").at(where()));
    const auto count = static_cast<std::uint64_t>(*size);
    if (type == 'x' || type == 'X' || type == 'g') {
      CAIRN_TRY(const Buffer content, extra(count));
      if (auto status = parse_records(content, type == 'g' ? global_ : records); !status) {
        return fail(std::move(status).error().at(where()));
      }
      extended = extended || type != 'g';
      continue;
    }
    if (type == 'L' || type == 'K') {
      CAIRN_TRY(auto name, long_name(count));
      (type == 'L' ? path : link) = std::move(name);
      extended = true;
      continue;
    }
    member = Member{};
    member.records = global_;
    member.records.insert(member.records.end(), std::make_move_iterator(records.begin()),
                          std::make_move_iterator(records.end()));
    auto status = [&]() -> Status {
      CAIRN_CHECKED(fill(header, count, member));
      if (path) member.path = std::move(*path);
      if (link) member.link = std::move(*link);
      return prepare(header, member);
    }();
    if (!status) return fail(std::move(status).error().at(where()));
    return true;
  }
}

// What the header block itself says.
Status Reader::fill(Bytes header, std::uint64_t size, Member& member) {
  member.type = static_cast<char>(header[kType.offset]);
  member.path = get_text(header, kName);
  member.size = size;
  CAIRN_TRY(const std::int64_t mode, get_number(header, kMode, "mode"));
  member.mode = static_cast<std::uint32_t>(mode & 07777);
  CAIRN_TRY(member.uid, get_number(header, kUid, "user id"));
  CAIRN_TRY(member.gid, get_number(header, kGid, "group id"));
  CAIRN_TRY(const std::int64_t mtime, get_number(header, kMtime, "time"));
  member.mtime = std::clamp<std::int64_t>(mtime, INT64_MIN / kSecond, INT64_MAX / kSecond) * kSecond;
  member.link = get_text(header, kLinkName);
  if (member.type == kCharDevice || member.type == kBlockDevice) {
    CAIRN_TRY(const std::int64_t major, get_number(header, kMajor, "device number"));
    CAIRN_TRY(const std::int64_t minor, get_number(header, kMinor, "device number"));
    member.major = static_cast<std::uint64_t>(major);
    member.minor = static_cast<std::uint64_t>(minor);
  }
  const std::string magic = get_text(header, kMagic);
  if (member.type == '\0') member.type = kRegular;
  if (magic.starts_with("ustar")) {  // v7 has no names of owners
    member.user = get_text(header, kUser);
    member.group = get_text(header, kGroup);
    // GNU's own header has other things where ustar has the prefix.
    const std::string prefix = magic == "ustar" ? get_text(header, kPrefix) : std::string();
    if (!prefix.empty()) member.path = prefix + "/" + member.path;
  }
  return {};
}

// Records, sparse maps, and where the content is.
Status Reader::prepare(Bytes header, Member& member) {
  const char given = member.type;
  std::uint64_t stored = member.size;
  CAIRN_CHECKED(apply_records(member, stored));
  if (given == '7') member.type = kRegular;  // contiguous
  if (member.type == kRegular && member.path.ends_with('/')) member.type = kDirectory;
  sparse_ = false;
  map_ = {};
  range_ = 0;
  position_ = 0;
  size_ = stored;
  stored_left_ = has_content(member.type) ? stored : 0;
  padding_ = has_content(member.type) ? padding(stored) : 0;
  if (!has_content(member.type)) size_ = 0;
  const auto count_of = [&](const char* keyword) -> Result<std::optional<std::uint64_t>> {
    const std::string* value = find_record(member, keyword);
    if (value == nullptr) return std::nullopt;
    CAIRN_TRY(const std::uint64_t count, parse_count(*value, keyword));
    return count;
  };
  if (given == 'S') {
    member.type = kRegular;
    CAIRN_CHECKED(old_sparse(header));
  } else if (member.type == kRegular) {
    CAIRN_TRY(const auto real_size, count_of("GNU.sparse.size"));
    CAIRN_TRY(const auto real_size_1, count_of("GNU.sparse.realsize"));
    map_.real_size = real_size_1.value_or(real_size.value_or(0));
    const std::string* version = find_record(member, "GNU.sparse.major");
    if (const std::string* map = find_record(member, "GNU.sparse.map"); map != nullptr) {
      CAIRN_CHECKED(text_sparse(*map));
    } else if (version != nullptr && *version == "1") {
      CAIRN_CHECKED(stored_sparse());
    } else if (real_size) {
      CAIRN_CHECKED(pairs_sparse(member.records));
    }
    if (sparse_) {
      if (const std::string* name = find_record(member, "GNU.sparse.name"); name != nullptr) member.path = *name;
    }
  }
  if (sparse_) {
    CAIRN_CHECKED(check_and_tidy(map_));
    if (map_.stored_bytes() != stored_left_) {
      return fail(Code::Integrity, "the map of a sparse file does not fit its data");
    }
    size_ = map_.real_size;
  }
  while (member.path.size() > 1 && member.path.ends_with('/')) member.path.pop_back();
  member.size = size_;
  return {};
}

Status Reader::apply_records(Member& member, std::uint64_t& stored) {
  for (const auto& [keyword, value] : member.records) {
    // An empty value takes back what a global header said.
    if (keyword == "path") {
      if (!value.empty()) member.path = value;
    } else if (keyword == "linkpath") {
      if (!value.empty()) member.link = value;
    } else if (keyword == "uname") {
      member.user = value;
    } else if (keyword == "gname") {
      member.group = value;
    } else if (value.empty()) {
      continue;
    } else if (keyword == "size") {
      CAIRN_TRY(stored, parse_count(value, "size"));
      if (stored > INT64_MAX) return fail(Code::Integrity, "the size is too large");
    } else if (keyword == "mtime") {
      CAIRN_TRY(member.mtime, parse_time(value));
    } else if (keyword == "uid" || keyword == "gid") {
      const bool negative = value.starts_with('-');
      CAIRN_TRY(const std::uint64_t id, parse_count(std::string_view(value).substr(negative ? 1 : 0), keyword));
      if (id > INT64_MAX) return fail(Code::Integrity, fmt::format("the {} is too large", keyword));
      (keyword == "uid" ? member.uid : member.gid) =
          negative ? -static_cast<std::int64_t>(id) : static_cast<std::int64_t>(id);
    }
  }
  return {};
}

// GNU's first form: four ranges in the header, more in blocks behind it.
Status Reader::old_sparse(Bytes header) {
  sparse_ = true;
  CAIRN_TRY(const std::int64_t real_size, get_number(header, {kOldRealSize, 12}, "real size"));
  if (real_size < 0) return fail(Code::Integrity, "the real size is negative");
  map_.real_size = static_cast<std::uint64_t>(real_size);
  const auto take = [&](Bytes block, std::size_t at, std::size_t entries) -> Status {
    for (std::size_t i = 0; i < entries; ++i) {
      const std::size_t entry = at + i * 24;
      if (block[entry + 12] == std::byte{0}) break;
      CAIRN_TRY(const std::int64_t offset, get_number(block, {entry, 12}, "offset of a range"));
      CAIRN_TRY(const std::int64_t size, get_number(block, {entry + 12, 12}, "size of a range"));
      if (offset < 0 || size < 0) return fail(Code::Integrity, "the map of a sparse file is damaged");
      map_.data.push_back({static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(size)});
    }
    return {};
  };
  CAIRN_CHECKED(take(header, kOldMap, kOldMapEntries));
  bool more = header[kOldExtended] != std::byte{0};
  while (more) {
    CAIRN_TRY(const Bytes extension, block());
    if (extension.empty()) return fail(Code::Integrity, "the tar archive ends within a sparse map");
    CAIRN_CHECKED(take(extension, 0, kMoreEntries));
    more = extension[kMoreExtended] != std::byte{0};
  }
  return {};
}

// Version 0.1: "offset,size,offset,size" in one record.
Status Reader::text_sparse(std::string_view text) {
  sparse_ = true;
  std::vector<std::uint64_t> numbers;
  while (!text.empty()) {
    const auto comma = text.find(',');
    CAIRN_TRY(const std::uint64_t number, parse_count(text.substr(0, comma), "sparse map"));
    numbers.push_back(number);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  if (numbers.size() % 2 != 0) return fail(Code::Integrity, "the map of a sparse file is damaged");
  for (std::size_t i = 0; i < numbers.size(); i += 2) map_.data.push_back({numbers[i], numbers[i + 1]});
  return {};
}

// Version 0.0: a record for every number.
Status Reader::pairs_sparse(const std::vector<Record>& records) {
  sparse_ = true;
  std::optional<std::uint64_t> offset;
  for (const auto& [keyword, value] : records) {
    if (keyword == "GNU.sparse.offset") {
      CAIRN_TRY(offset, parse_count(value, "sparse map"));
    } else if (keyword == "GNU.sparse.numbytes") {
      if (!offset) return fail(Code::Integrity, "the map of a sparse file is damaged");
      CAIRN_TRY(const std::uint64_t size, parse_count(value, "sparse map"));
      map_.data.push_back({*offset, size});
      offset.reset();
    }
  }
  return {};
}

// Version 1.0: lines of numbers in front of the data.
Status Reader::stored_sparse() {
  sparse_ = true;
  Buffer text;
  std::size_t at = 0;
  const auto number = [&]() -> Result<std::uint64_t> {
    while (true) {
      const std::string_view known = text_of(text.view(at, text.size() - at));
      if (const auto end = known.find('\n'); end != std::string_view::npos) {
        at += end + 1;
        return parse_count(known.substr(0, end), "sparse map");
      }
      if (known.size() > kBlock || stored_left_ < kBlock)
        return fail(Code::Integrity, "the map of a sparse file is damaged");
      // What was read before is done with, but for the line that is not complete.
      Buffer rest;
      rest.append(bytes_of(known));
      text = std::move(rest);
      at = 0;
      CAIRN_TRY(const Bytes next, block());
      if (next.empty()) return fail(Code::Integrity, "the tar archive ends within a sparse map");
      text.append(next);
      stored_left_ -= kBlock;
    }
  };
  CAIRN_TRY(const std::uint64_t count, number());
  for (std::uint64_t i = 0; i < count; ++i) {
    CAIRN_TRY(const std::uint64_t offset, number());
    CAIRN_TRY(const std::uint64_t size, number());
    map_.data.push_back({offset, size});
  }
  return {};
}

std::uint64_t Reader::hole_ahead() const {
  if (!sparse_) return 0;
  const std::uint64_t next = range_ < map_.data.size() ? map_.data[range_].offset : size_;
  return next > position_ ? next - position_ : 0;
}

Result<std::size_t> Reader::read(MutableBytes out) {
  if (position_ >= size_ || out.empty()) return 0;
  if (const std::uint64_t hole = hole_ahead(); hole > 0) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(hole, out.size()));
    std::memset(out.data(), 0, count);
    position_ += count;
    return count;
  }
  const std::uint64_t end = sparse_ ? map_.data[range_].offset + map_.data[range_].size : size_;
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), end - position_));
  CAIRN_TRY(const std::size_t count, some(out.first(wanted)));
  if (count == 0)
    return fail(
        Error(Code::Integrity, fmt::format("the tar archive ends in the middle, after {} bytes", offset_)).at(where()));
  position_ += count;
  stored_left_ -= count;
  if (sparse_ && position_ == end) ++range_;
  return count;
}

}  // namespace cairn::tar

// See the header.
#include "tar/writer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "base/utf8.h"
#include "tar/fields.h"
#include "tar/pax_records.h"

namespace cairn::tar {
namespace {

constexpr std::string_view kPaxMagic(
    "ustar\0"
    "00",
    8);
constexpr std::string_view kGnuMagic("ustar  \0", 8);
constexpr std::string_view kSparseFolder = "GNUSparseFile.0/";

void append_zeros(std::size_t count, Buffer& out) {
  const std::size_t old = out.size();
  out.resize(old + count);
  std::memset(out.data() + old, 0, count);
}

// Every code point that is not ASCII, and every byte that is no part of one, is a question mark.
std::string replaced_by_ascii(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const bool plain = static_cast<unsigned char>(text[0]) < 0x80;
    out += plain ? text[0] : '?';
    text.remove_prefix(std::max<std::size_t>(1, utf8_sequence(text)));
  }
  return out;
}

// One header block. Numbers that do not fit are given as 0 where a record holds them.
void append_block(const Member& member, std::string_view magic, std::int64_t mtime, Buffer& out) {
  const std::size_t old = out.size();
  append_zeros(kBlock, out);
  const MutableBytes block = out.span().subspan(old);
  put_text(block, kName, member.path);
  put_number(block, kMode, member.mode & 07777U);
  put_number(block, kUid, member.uid);
  put_number(block, kGid, member.gid);
  put_number(block, kSize, static_cast<std::int64_t>(member.size));
  put_number(block, kMtime, mtime);
  block[kType.offset] = static_cast<std::byte>(member.type);
  put_text(block, kLinkName, member.link);
  put_text(block, kMagic, magic);
  put_text(block, kUser, member.user);
  put_text(block, kGroup, member.group);
  if (member.type == kCharDevice || member.type == kBlockDevice) {
    put_number(block, kMajor, static_cast<std::int64_t>(member.major));
    put_number(block, kMinor, static_cast<std::int64_t>(member.minor));
  }
  put_checksum(block);
}

// A member whose content is about the next one.
void append_extra(std::string_view name, char type, std::string_view magic, Bytes content, Buffer& out) {
  Member extra;
  extra.path = name;
  extra.type = type;
  extra.size = content.size();
  append_block(extra, magic, 0, out);
  out.append(content);
  append_zeros(padding(content.size()), out);
}

void encode_gnu(Member member, Buffer& out) {
  for (const auto& [text, type, longest] :
       {std::tuple(&member.link, 'K', kLinkName.size), std::tuple(&member.path, 'L', kName.size)}) {
    if (text->size() <= longest) continue;
    // The NUL at the end is part of it.
    append_extra("././@LongLink", type, kGnuMagic, Bytes(bytes_of(std::string_view(text->c_str(), text->size() + 1))),
                 out);
  }
  append_block(member, kGnuMagic, member.mtime / kSecond, out);
}

bool has_record(const std::vector<Record>& records, std::string_view keyword) {
  return std::ranges::any_of(records, [&](const Record& record) { return record.first == keyword; });
}

void encode_pax(Member member, bool size_as_record, Buffer& out) {
  std::vector<Record> records = std::move(member.records);
  const auto text = [&](std::string& value, const char* keyword, Field field) {
    if (!has_record(records, keyword) && (ascii_length(value) < value.size() || value.size() > field.size)) {
      records.emplace_back(keyword, value);
    }
    value = replaced_by_ascii(value);
  };
  text(member.path, "path", kName);
  text(member.link, "linkpath", kLinkName);
  text(member.user, "uname", kUser);
  text(member.group, "gname", kGroup);
  const auto number = [&](auto& value, const char* keyword, Field field) {
    if (fits_octal(static_cast<std::int64_t>(value), field)) return;
    if (!has_record(records, keyword)) records.emplace_back(keyword, fmt::format("{}", value));
    value = 0;
  };
  number(member.uid, "uid", kUid);
  number(member.gid, "gid", kGid);
  if (size_as_record) number(member.size, "size", kSize);

  if (!records.empty()) {
    Buffer encoded;
    if (!std::ranges::all_of(records, [](const Record& record) { return is_utf8(record.second); })) {
      append_record("hdrcharset", "BINARY", encoded);
    }
    for (const auto& [keyword, value] : records) append_record(keyword, value, encoded);
    append_extra("././@PaxHeader", 'x', kPaxMagic, encoded, out);
  }
  // Rounded, as the record that has the fraction says more.
  auto mtime = static_cast<std::int64_t>(std::nearbyint(static_cast<double>(member.mtime) / 1e9));
  if (!fits_octal(mtime, kMtime)) mtime = 0;
  append_block(member, kPaxMagic, mtime, out);
}

// A directory ends in a slash.
Member with_slash(const Member& member) {
  Member copy = member;
  if (copy.type == kDirectory && !copy.path.ends_with('/')) copy.path += '/';
  return copy;
}

}  // namespace

void encode_member(const Member& member, Format format, Buffer& out) {
  if (format == Format::Gnu) {
    encode_gnu(with_slash(member), out);
  } else {
    encode_pax(with_slash(member), true, out);
  }
}

void encode_sparse_member(const Member& member, std::uint64_t real_size, Buffer& out) {
  Member mangled = member;
  mangled.path = std::string(kSparseFolder) + member.path;
  mangled.records.insert(mangled.records.begin(), {"path", mangled.path});
  mangled.records.emplace_back("GNU.sparse.major", "1");
  mangled.records.emplace_back("GNU.sparse.minor", "0");
  mangled.records.emplace_back("GNU.sparse.name", member.path);
  mangled.records.emplace_back("GNU.sparse.realsize", fmt::format("{}", real_size));
  encode_pax(std::move(mangled), false, out);
}

void encode_end(std::uint64_t written, Buffer& out) {
  append_zeros(2 * kBlock, out);
  append_zeros(static_cast<std::size_t>((kRecord - (written + 2 * kBlock) % kRecord) % kRecord), out);
}

}  // namespace cairn::tar

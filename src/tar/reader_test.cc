// Members written and read back, in pieces of any size; and archives that are not what they should be.
// What other programs write is compared in tests/tar_test.py.
#include "tar/reader.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tar/fields.h"
#include "tar/pax_records.h"
#include "tar/writer.h"

namespace cairn::tar {
namespace {

ReadBytes pieces_of(const Buffer& archive, std::size_t piece) {
  return [bytes = archive.view(), piece](MutableBytes out) mutable -> Result<std::size_t> {
    const std::size_t count = std::min({piece, out.size(), bytes.size()});
    if (count > 0) std::memcpy(out.data(), bytes.data(), count);
    bytes = bytes.subspan(count);
    return count;
  };
}

void append_content(std::string_view content, Buffer& out) {
  out.append(bytes_of(content));
  out.append(bytes_of(std::string(padding(content.size()), '\0')));
}

Member file(std::string path, std::string_view content) {
  Member member;
  member.path = std::move(path);
  member.mode = 0640;
  member.size = content.size();
  return member;
}

Result<std::string> content_of(Reader& reader, std::size_t step) {
  std::string content;
  Buffer buffer(step);
  while (true) {
    CAIRN_TRY(const std::size_t count, reader.read(buffer.span()));
    if (count == 0) return content;
    content += text_of(buffer.view(0, count));
  }
}

Buffer small_archive(Format format) {
  Buffer archive;
  const std::string content(1300, 'c');
  Member first = file(std::string(150, 'p') + "/file", content);
  first.uid = 3'000'000;
  encode_member(first, format, archive);
  append_content(content, archive);
  Member link = file("link", "");
  link.type = kSymlink;
  link.link = std::string(200, 't');
  encode_member(link, format, archive);
  Member device = file("device", "");
  device.type = kBlockDevice;
  device.major = 8;
  device.minor = 70'000;
  encode_member(device, format, archive);
  encode_member(file("empty", ""), format, archive);
  encode_end(archive.size(), archive);
  return archive;
}

TEST(TarReader, GivesBackWhatWasWritten) {
  for (const Format format : {Format::Gnu, Format::Pax}) {
    const Buffer archive = small_archive(format);
    for (const std::size_t piece : {1U, 511U, 512U, 700U, 1U << 20U}) {
      Reader reader(pieces_of(archive, piece));
      Member member;
      ASSERT_TRUE(reader.next(member).value_or(false));
      EXPECT_EQ(member.path, std::string(150, 'p') + "/file");
      EXPECT_EQ(member.uid, 3'000'000);
      EXPECT_EQ(member.mode, 0640U);
      EXPECT_EQ(*content_of(reader, 333), std::string(1300, 'c'));
      ASSERT_TRUE(reader.next(member).value_or(false));
      EXPECT_EQ(member.type, kSymlink);
      EXPECT_EQ(member.link, std::string(200, 't'));
      ASSERT_TRUE(reader.next(member).value_or(false));
      EXPECT_EQ(member.minor, 70'000U);
      ASSERT_TRUE(reader.next(member).value_or(false));
      EXPECT_EQ(member.path, "empty");
      const auto end = reader.next(member);
      ASSERT_TRUE(end);
      EXPECT_FALSE(*end);
    }
  }
}

TEST(TarReader, ContentThatIsNotReadIsPassed) {
  const Buffer archive = small_archive(Format::Pax);
  Reader reader(pieces_of(archive, 100));
  Member member;
  int members = 0;
  while (*reader.next(member)) ++members;
  EXPECT_EQ(members, 4);
}

TEST(TarReader, SparseFilesAreFilledIn) {
  const SparseMap map{.data = {{512, 600}, {2048, 100}}, .real_size = 5000};
  const std::string text = map_text(map);
  Buffer archive;
  Member member = file("sparse", "");
  member.size = text.size() + map.stored_bytes();
  encode_sparse_member(member, map.real_size, archive);
  append_content(text + std::string(600, 'a') + std::string(100, 'b'), archive);
  encode_end(archive.size(), archive);
  Reader reader(pieces_of(archive, 77));
  Member read;
  ASSERT_TRUE(reader.next(read).value_or(false));
  EXPECT_EQ(read.path, "sparse");
  EXPECT_EQ(read.size, 5000U);
  EXPECT_EQ(reader.hole_ahead(), 512U);
  reader.skip_hole(500);
  EXPECT_EQ(reader.hole_ahead(), 12U);
  const std::string want = std::string(12, '\0') + std::string(600, 'a') + std::string(2048 - 1112, '\0') +
                           std::string(100, 'b') + std::string(5000 - 2148, '\0');
  EXPECT_EQ(*content_of(reader, 100), want);
  EXPECT_FALSE(*reader.next(read));
}

TEST(TarReader, EveryCutInTheMiddleIsAnError) {
  const Buffer archive = small_archive(Format::Pax);
  const std::size_t members_end = archive.size() - archive.size() % kRecord;
  for (std::size_t size = 1; size < 4000 && size < members_end; size += 13) {
    Buffer cut;
    cut.append(archive.view(0, size));
    Reader reader(pieces_of(cut, 4096));
    Member member;
    auto status = [&]() -> Status {
      while (true) {
        CAIRN_TRY(const bool more, reader.next(member));
        if (!more) return {};
        CAIRN_TRY(const std::string content, content_of(reader, 512));
        if (content.size() != member.size) return fail(Code::Error, "short content");
      }
    }();
    if (size % kBlock != 0) {
      EXPECT_FALSE(status) << size;
    }
    if (!status) {
      EXPECT_EQ(status.error().code(), Code::Integrity) << size;
    }
  }
}

TEST(TarReader, NoiseIsRefusedAndPassedOverOnRequest) {
  Buffer archive;
  archive.append(bytes_of(std::string(kBlock, 'x')));
  archive.append(small_archive(Format::Gnu));
  archive.append(small_archive(Format::Pax));
  Member member;
  Reader strict(pieces_of(archive, 1000));
  EXPECT_FALSE(strict.next(member));
  Reader lenient(pieces_of(archive, 1000), true);
  int members = 0;
  while (*lenient.next(member)) ++members;
  EXPECT_EQ(members, 8);
}

TEST(TarReader, GlobalRecordsHoldUntilTheMembersOwn) {
  Buffer records, archive;
  append_record("uname", "somebody", records);
  append_record("comment", "c", records);
  Member global = file("g", text_of(records));
  global.type = 'g';
  encode_member(global, Format::Pax, archive);
  append_content(text_of(records), archive);
  Member own = file("own", "");
  own.records = {{"uname", "me"}};
  encode_member(own, Format::Pax, archive);
  encode_member(file("other", ""), Format::Pax, archive);
  Reader reader(pieces_of(archive, 4096));
  Member member;
  ASSERT_TRUE(reader.next(member).value_or(false));
  EXPECT_EQ(member.user, "me");
  ASSERT_TRUE(reader.next(member).value_or(false));
  EXPECT_EQ(member.user, "somebody");
  EXPECT_FALSE(*reader.next(member));  // the input's end is the archive's
}

TEST(TarReader, ClaimedSizesAreNotBelieved) {
  Buffer archive;
  Member extended = file("x", "");
  extended.type = 'x';
  extended.size = std::uint64_t{1} << 60U;
  encode_member(extended, Format::Gnu, archive);
  Member member;
  EXPECT_FALSE(Reader(pieces_of(archive, 4096)).next(member));
  archive.clear();
  Member long_name = file("L", "");
  long_name.type = 'L';
  long_name.size = std::uint64_t{1} << 29U;
  encode_member(long_name, Format::Gnu, archive);
  archive.append(bytes_of(std::string(2000, 'n')));
  EXPECT_FALSE(Reader(pieces_of(archive, 4096)).next(member));
}

}  // namespace
}  // namespace cairn::tar

// Headers as Python's tarfile, and so Borg, writes them.
#include "tar/writer.h"

#include <gtest/gtest.h>

#include "tar/fields.h"
#include "tar/pax_records.h"
#include "tar/sparse_map.h"

namespace cairn::tar {
namespace {

std::string field(const Buffer& archive, std::size_t block, Field field) {
  return std::string(text_of(archive.view(block * kBlock + field.offset, field.size)));
}

Member file(std::string path) {
  Member member;
  member.path = std::move(path);
  member.mode = 0644;
  member.user = "root";
  member.group = "root";
  member.mtime = 1'796'069'155'917'225'100;
  return member;
}

TEST(TarWriter, PlainMemberIsOneBlock) {
  Buffer out;
  Member member = file("file");
  member.size = 6;
  encode_member(member, Format::Gnu, out);
  ASSERT_EQ(out.size(), kBlock);
  EXPECT_EQ(field(out, 0, kName).c_str(), std::string("file"));
  EXPECT_EQ(field(out, 0, kMode), std::string("0000644\0", 8));
  EXPECT_EQ(field(out, 0, kSize), std::string("00000000006\0", 12));
  EXPECT_EQ(field(out, 0, kMtime), std::string("15303353443\0", 12));  // whole seconds, rounded down
  EXPECT_EQ(field(out, 0, kMagic), std::string("ustar  \0", 8));
  EXPECT_EQ(field(out, 0, kMajor), std::string(8, '\0'));
  EXPECT_TRUE(checksum_matches(out));
}

TEST(TarWriter, PaxRoundsTheTimeOfTheHeader) {
  Buffer out;
  encode_member(file("file"), Format::Pax, out);
  ASSERT_EQ(out.size(), kBlock);  // nothing that ustar cannot hold
  EXPECT_EQ(field(out, 0, kMtime), std::string("15303353444\0", 12));
  EXPECT_EQ(field(out, 0, kMagic), std::string("ustar\0"
                                               "00",
                                               8));
}

TEST(TarWriter, DirectoryEndsInASlash) {
  Buffer out;
  Member member = file("dir");
  member.type = kDirectory;
  encode_member(member, Format::Pax, out);
  EXPECT_EQ(field(out, 0, kName).c_str(), std::string("dir/"));
}

TEST(TarWriter, WhatIsNotAsciiBecomesARecord) {
  Buffer out;
  Member member = file("\xc3\xa4\xff");
  member.records.emplace_back("mtime", "2.0");
  encode_member(member, Format::Pax, out);
  ASSERT_EQ(out.size(), 3 * kBlock);
  EXPECT_EQ(field(out, 0, kName).c_str(), std::string("././@PaxHeader"));
  EXPECT_EQ(std::string(text_of(out.view(kBlock, 46))), "21 hdrcharset=BINARY\n13 mtime=2.0\n12 path=\xc3\xa4\xff\n");
  EXPECT_EQ(field(out, 2, kName).c_str(), std::string("??"));
}

TEST(TarWriter, LongNamesAndLargeNumbers) {
  Member member = file(std::string(101, 'n'));
  member.link = std::string(150, 't');
  member.type = kSymlink;
  member.uid = 3'000'000;
  member.gid = -1;
  Buffer gnu;
  encode_member(member, Format::Gnu, gnu);
  ASSERT_EQ(gnu.size(), 5 * kBlock);
  EXPECT_EQ(field(gnu, 0, kType), "K");
  EXPECT_EQ(field(gnu, 0, kSize), std::string("00000000227\0", 12));
  EXPECT_EQ(field(gnu, 2, kType), "L");
  EXPECT_EQ(field(gnu, 4, kUid), std::string("\x80\0\0\0\0\x2d\xc6\xc0", 8));
  EXPECT_EQ(field(gnu, 4, kGid), std::string(8, '\xff'));
  Buffer pax;
  encode_member(member, Format::Pax, pax);
  const std::string records(text_of(pax.view(kBlock, kBlock)));
  EXPECT_NE(records.find("\n15 uid=3000000\n"), std::string::npos);
  EXPECT_NE(records.find("\n9 gid=-1\n"), std::string::npos);
  EXPECT_NE(records.find(std::string("164 linkpath=ttt")), std::string::npos);
}

TEST(TarWriter, SizesFrom8GiBOn) {
  Member member = file("large");
  member.size = std::uint64_t{1} << 33U;
  Buffer pax;
  encode_member(member, Format::Pax, pax);
  EXPECT_EQ(std::string(text_of(pax.view(kBlock, 19))), "19 size=8589934592\n");
  EXPECT_EQ(field(pax, 2, kSize), std::string("00000000000\0", 12));
  // Readers would take the record for the real size of a sparse file.
  Buffer sparse;
  encode_sparse_member(member, std::uint64_t{1} << 40U, sparse);
  EXPECT_EQ(std::string(text_of(sparse.view(kBlock, 30))), "30 path=GNUSparseFile.0/large\n");
  EXPECT_EQ(std::string(text_of(sparse)).find("\n19 size="), std::string::npos);
  EXPECT_EQ(field(sparse, 2, kSize)[0], '\x80');
}

TEST(TarWriter, EndFillsUpRecords) {
  for (const std::uint64_t written : {0U, 512U, 10240U - 1024U, 10240U - 512U, 10240U}) {
    Buffer end;
    encode_end(written, end);
    EXPECT_GE(end.size(), 2 * kBlock);
    EXPECT_LT(end.size(), 2 * kBlock + kRecord);
    EXPECT_EQ((written + end.size()) % kRecord, 0U) << written;
  }
}

TEST(PaxRecords, LengthCountsItsOwnDigits) {
  for (std::size_t size = 0; size < 1200; ++size) {
    Buffer out;
    append_record("k", std::string(size, '\n'), out);
    std::vector<Record> records;
    ASSERT_TRUE(parse_records(out, records)) << size;
    ASSERT_EQ(records.size(), 1U);
    EXPECT_EQ(records[0].second.size(), size);
  }
}

TEST(PaxRecords, DamagedOnesAreRefused) {
  for (const std::string text :
       {"x", "5 a=b", "6 a=b\n\n5 a\n", "7 a=b\n", "99 a=b\n", "6 =bc\n", "-6 a=b\n", "999999999999999999999 a=b\n"}) {
    std::vector<Record> records;
    EXPECT_FALSE(parse_records(bytes_of(text), records)) << text;
  }
}

TEST(PaxRecords, Times) {
  EXPECT_EQ(time_text(1'796'049'618'619'469'138), "1796049618.619469138");
  EXPECT_EQ(time_text(1'796'049'618'619'460'000), "1796049618.61946");
  EXPECT_EQ(time_text(-1'500'000'000), "-1.5");
  EXPECT_EQ(time_text(0), "0.0");
  EXPECT_EQ(time_text(INT64_MIN), "-9223372036.854775808");
  EXPECT_EQ(time_text(2'000'000'000), "2.0");
  EXPECT_EQ(time_text(5), "0.000000005");
  EXPECT_EQ(*parse_time("1796049618.619469138"), 1'796'049'618'619'469'138);
  EXPECT_EQ(*parse_time("1796049618.6194691389"), 1'796'049'618'619'469'138);
  EXPECT_EQ(*parse_time("-1.5"), -1'500'000'000);
  EXPECT_EQ(*parse_time("5e-09"), 5);
  EXPECT_EQ(*parse_time("7"), 7 * kSecond);
  EXPECT_GT(*parse_time("99999999999999999999999"), 9'000'000'000 * kSecond);
  for (const char* bad : {"", ".", "-", "1.5x", "0x1", "1e400", "nan", "+1"}) EXPECT_FALSE(parse_time(bad)) << bad;
}

TEST(SparseMap, HolesShrinkToBlocks) {
  const DataRange zeros[] = {{100, 2000}, {4096, 1000}, {9000, 1000}};
  const SparseMap map = map_without_holes(zeros, 10000);
  const std::vector<DataRange> data = {{0, 512}, {2048, 2048}, {4608, 4608}};
  EXPECT_EQ(map.data, data);  // the last hole reaches the end
  EXPECT_EQ(map_text(map).substr(0, 41), "4\n0\n512\n2048\n2048\n4608\n4608\n10000\n0\n" + std::string(5, '\0'));
  EXPECT_EQ(map_text(map).size(), kBlock);
}

TEST(SparseMap, WhatOverlapsIsRefused) {
  SparseMap map{.data = {{0, 512}, {500, 10}}, .real_size = 1000};
  EXPECT_FALSE(check_and_tidy(map));
  map.data = {{0, 512}, {990, 11}};
  EXPECT_FALSE(check_and_tidy(map));
  map.data = {{0, 512}, {1000, 0}};
  ASSERT_TRUE(check_and_tidy(map));
  EXPECT_EQ(map.data.size(), 1U);
}

}  // namespace
}  // namespace cairn::tar

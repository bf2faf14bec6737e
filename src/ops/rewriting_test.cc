// import-tar, recreate and transfer with any number of threads and with stores that fail at every operation.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>

#include "exec/delay.h"
#include "hash/digest.h"
#include "ops/archives.h"
#include "ops/import_tar.h"
#include "ops/recreate.h"
#include "ops/transfer.h"
#include "repo/test_repository.h"
#include "tar/writer.h"

namespace cairn::ops {
namespace {

using repo::testing::noise;
using repo::testing::TestRepository;

class Quiet final : public CreateObserver {
 public:
  void status(char letter, const std::string& path) override { lines.push_back(std::string(1, letter) + " " + path); }
  void warning(const std::string& /*path*/, const Error& error) override { lines.push_back(error.message()); }
  void complaint(const std::string& /*path*/, const std::string& message, std::string_view /*reason*/) override {
    complaints.push_back(message);
  }
  void progress(const CreateProgress& /*now*/) override {}
  std::vector<std::string> lines, complaints;
};

class QuietTransfer final : public TransferObserver {
 public:
  void is_present(const archive::ArchiveSummary& /*archive*/) override { ++present; }
  void begins(const archive::ArchiveSummary& /*archive*/) override {}
  void ends(const archive::ArchiveSummary& /*archive*/, const TransferCount& count) override {
    bytes.push_back(count.transferred);
    bytes.push_back(count.present);
  }
  void warning(const std::string& /*path*/, const Error& error) override { warnings.push_back(error.message()); }
  void progress(const CreateProgress& /*now*/) override {}
  int present = 0;
  std::vector<std::uint64_t> bytes;
  std::vector<std::string> warnings;
};

// A tar archive of many small files, some large ones, and links to both.
Buffer tar_archive() {
  Buffer out;
  auto add = [&](const std::string& path, char type, const std::string& content, const std::string& link) {
    tar::Member member;
    member.path = path;
    member.type = type;
    member.mode = 0644;
    member.size = content.size();
    member.link = link;
    member.mtime = 1'700'000'000 * kSecond;
    tar::encode_member(member, tar::Format::Pax, out);
    out.append(bytes_of(content));
    out.append(bytes_of(std::string(tar::padding(content.size()), '\0')));
  };
  for (std::size_t i = 0; i < 200; ++i) {
    add(fmt::format("d{}/f{}", i % 7, i), tar::kRegular, noise(i * 13, i / 2), "");
    if (i % 40 == 0)
      add(fmt::format("large{}", i), tar::kRegular, noise(90'000 + i, i) + std::string(70'000, '\0'), "");
    if (i % 50 == 1) add(fmt::format("link{}", i), tar::kHardLink, "", fmt::format("d{}/f{}", (i - 1) % 7, i - 1));
  }
  add("symlink", tar::kSymlink, "", "large0");
  add("again", tar::kHardLink, "", "symlink");
  tar::encode_end(out.size(), out);
  return out;
}

chunk::Params small_chunks(int mask_bits) {
  chunk::Params params;
  params.min_exp = 10;
  params.max_exp = 16;
  params.mask_bits = mask_bits;
  return params;
}

ImportTarRequest request_for(const Buffer& tar) {
  ImportTarRequest request;
  request.name = "archive";
  request.chunker = small_chunks(13);
  request.want_status = true;
  request.digests = {"sha256"};
  request.source = [rest = tar.view()](MutableBytes out) mutable -> Result<std::size_t> {
    const std::size_t count = std::min({out.size(), rest.size(), std::size_t{10'000}});
    if (count > 0) std::memcpy(out.data(), rest.data(), count);
    rest = rest.subspan(count);
    return count;
  };
  return request;
}

// Every item of every live archive, with its content's digest computed again.
Result<std::vector<std::string>> contents(const TestRepository& made) {
  CAIRN_TRY(const auto repository, made.open());
  exec::Pool pool(1);
  CAIRN_CHECKED(repository->load_index(repo::BadFragments::Error, pool));
  CAIRN_TRY(const auto archives, load_archives(*repository, pool));
  std::vector<std::string> lines;
  for (const auto& archive : archives) {
    CAIRN_TRY(const auto metadata, load_metadata(*repository, archive.id));
    const auto reader = repository->make_reader();
    Buffer object, plain;
    auto status = for_each_item(*repository, pool, metadata, [&](archive::Item&& item) -> Status {
      std::string line = fmt::format("{} {:o} {}", item.path, item.mode, item.target.value_or(""));
      if (item.chunks) {
        CAIRN_TRY(hash::Digest digest, hash::Digest::make("sha256"));
        for (const auto& chunk : *item.chunks) {
          CAIRN_TRY(const auto meta, repository->load_object(*reader, chunk.id, 'F', repo::Verify::Id, object, plain));
          (void)meta;
          digest.update(plain);
        }
        const std::string found = digest.finish();
        if (item.digests && item.digests->front().second != found) return fail(Code::Error, item.path);
        line += std::to_string(std::hash<std::string>{}(found));
      }
      lines.push_back(std::move(line));
      return {};
    });
    if (!status) return fail(std::move(status).error());
  }
  return lines;
}

class RewritingTest : public repo::testing::HomeTest {
 protected:
  void SetUp() override { ::setenv("BORG_PACK_MAX_SIZE", "200000", 1); }
  Status import(const TestRepository& made, unsigned threads, store::Fault fault = {}) {
    CAIRN_TRY(const auto repository, made.open(std::move(fault)));
    exec::Pool pool(threads);
    Quiet quiet;
    CAIRN_CHECKED(import_tar(*repository, pool, request_for(tar_), quiet));
    lines_ = quiet.lines;
    if (!quiet.complaints.empty()) return fail(Code::Error, quiet.complaints.front());
    return {};
  }
  Buffer tar_ = tar_archive();
  std::vector<std::string> lines_;
};

TEST_F(RewritingTest, AnyNumberOfThreadsImportsTheSame) {
  std::vector<std::string> first_contents, first_lines;
  for (const unsigned threads : {1U, 2U, 8U, 33U}) {
    TestRepository made;
    exec::set_delay_seed(threads);
    const auto status = import(made, threads);
    exec::set_delay_seed(0);
    ASSERT_TRUE(status) << status.error().text();
    const auto found = contents(made);
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ(found->size(), 200U + 5 + 4 + 2);
    if (threads == 1) {
      first_contents = *found;
      first_lines = lines_;
    }
    EXPECT_EQ(*found, first_contents) << threads;
    EXPECT_EQ(lines_, first_lines) << threads;
  }
}

TEST_F(RewritingTest, ImportThatFailsMakesNoArchiveOrAWholeOne) {
  for (std::uint64_t at = 2; at < 30; ++at) {
    TestRepository made;
    const auto status =
        import(made, 2, {.kind = store::Fault::Kind::Fail, .at = at, .lasting = true, .error_number = ENOSPC});
    made.break_locks();
    const auto found = contents(made);
    ASSERT_TRUE(found) << at << found.error().text();
    // The last step is to make sure that the entry is on the disk: when that fails it may be there.
    if (status || !found->empty()) {
      EXPECT_EQ(found->size(), 200U + 5 + 4 + 2) << at;
    }
  }
}

TEST_F(RewritingTest, RecreateLosesNothingWhateverFails) {
  TestRepository reference;
  ASSERT_TRUE(import(reference, 1));
  const auto want = contents(reference);
  ASSERT_TRUE(want);
  match::Matcher everything;
  everything.set_fallback(true);
  int complete = 0;
  for (std::uint64_t at = 5; at < 200; at += 4) {
    for (const unsigned threads : {1U, 3U}) {
      TestRepository made;
      ASSERT_TRUE(import(made, 1));
      {
        auto repository = made.open({.kind = store::Fault::Kind::Fail, .at = at, .lasting = true, .error_number = EIO});
        exec::Pool pool(threads);
        if (repository && (*repository)->load_index(repo::BadFragments::Error, pool)) {
          const auto archives = load_archives(**repository, pool);
          if (archives && archives->size() == 1 &&
              archives->front().problem == archive::ArchiveSummary::Problem::None) {
            RecreateRequest request;
            request.matcher = &everything;
            request.chunker = small_chunks(11);
            Quiet quiet;
            if (recreate(**repository, pool, archives->front(), request, quiet)) ++complete;
          }
        }
      }
      made.break_locks();
      auto found = contents(made);
      ASSERT_TRUE(found) << at << found.error().text();
      // Between the new entry and the end of the old one both are there.
      ASSERT_GE(found->size(), want->size()) << at;
      found->resize(want->size());
      EXPECT_EQ(*found, *want) << at;
    }
  }
  EXPECT_GT(complete, 0);
}

TEST_F(RewritingTest, TransferCutsAgainAndSkipsWhatIsThere) {
  TestRepository source;
  ASSERT_TRUE(import(source, 2));
  const auto want = contents(source);
  ASSERT_TRUE(want);
  for (const unsigned threads : {1U, 2U, 8U}) {
    TestRepository fresh;
    for (int run = 0; run < 2; ++run) {
      auto from = source.open(), to = fresh.open();
      ASSERT_TRUE(from && to);
      exec::Pool pool(threads);
      ASSERT_TRUE((*from)->load_index(repo::BadFragments::Error, pool));
      const auto archives = load_archives(**from, pool);
      ASSERT_TRUE(archives);
      TransferRequest request;
      QuietTransfer quiet;
      const auto refused = transfer(**from, **to, pool, *archives, request, quiet);
      ASSERT_FALSE(refused);  // made by themselves, so with keys of their own
      request.rechunk = small_chunks(12);
      exec::set_delay_seed(threads);
      const auto status = transfer(**from, **to, pool, *archives, request, quiet);
      exec::set_delay_seed(0);
      ASSERT_TRUE(status) << status.error().text();
      EXPECT_EQ(quiet.present, run);
      EXPECT_TRUE(quiet.warnings.empty());
    }
    const auto found = contents(fresh);
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ(*found, *want);
  }
}

}  // namespace
}  // namespace cairn::ops

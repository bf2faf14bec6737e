// Marking archives as deleted, and deleting a repository with what this machine keeps about it.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "ops/delete_archives.h"
#include "ops/delete_repository.h"
#include "ops/foreground_child.h"
#include "ops/repository_cache.h"
#include "repo/test_repository.h"

namespace cairn::ops {
namespace {

using repo::testing::TestRepository;

class DeleteTest : public repo::testing::HomeTest {
 protected:
  DeleteTest() {
    auto opened = made_.open();
    CAIRN_CHECK(opened, "open");
    repository_ = std::move(*opened);
    for (const std::byte first : {std::byte{1}, std::byte{2}, std::byte{3}}) {
      archive::ArchiveSummary archive;
      archive.id.raw[0] = first;
      CAIRN_CHECK(repository_->commit_archive(archive.id), "archive");
      archives_.push_back(archive);
    }
  }
  std::size_t count(store::Which which) { return repository_->list_archives(which)->size(); }
  Status mark(Mark mark, std::size_t stop_after = 99) {
    std::atomic<bool> stop{stop_after == 0};
    return mark_archives(
        *repository_, archives_, mark,
        [&](std::size_t index) -> Status {
          if (index + 1 == stop_after) stop = true;
          return {};
        },
        stop);
  }

  TestRepository made_;
  std::unique_ptr<repo::Repository> repository_;
  std::vector<archive::ArchiveSummary> archives_;
};

TEST_F(DeleteTest, DeletedArchivesComeBack) {
  ASSERT_TRUE(mark(Mark::Deleted));
  EXPECT_EQ(count(store::Which::Live), 0U);
  EXPECT_EQ(count(store::Which::Deleted), 3U);
  ASSERT_TRUE(mark(Mark::Live));
  EXPECT_EQ(count(store::Which::Live), 3U);
  EXPECT_EQ(count(store::Which::Deleted), 0U);
}

TEST_F(DeleteTest, WhatIsMarkedOutlivesAPowerFailure) {
  ASSERT_TRUE(mark(Mark::Deleted));
  made_.disk->lose_power(1);
  EXPECT_EQ(count(store::Which::Live), 0U);
}

TEST_F(DeleteTest, AStopBetweenTwoArchivesKeepsTheRest) {
  const Status status = mark(Mark::Deleted, 1);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), Code::Interrupted);
  EXPECT_EQ(count(store::Which::Live), 2U);
}

TEST_F(DeleteTest, AnArchiveThatHasGoneDoesNotStopTheOthers) {
  ASSERT_TRUE(repository_->delete_archive(archives_[0].id));
  ASSERT_TRUE(mark(Mark::Deleted));
  EXPECT_EQ(count(store::Which::Live), 0U);
}

TEST_F(DeleteTest, ADeletedRepositoryIsGone) {
  EXPECT_TRUE(*looks_like_repository(repository_->store()));
  ASSERT_TRUE(delete_repository(*repository_));
  EXPECT_FALSE(made_.open());
}

TEST_F(DeleteTest, BothCacheDirectoriesGo) {
  const RepositoryId id = repository_->id();
  ASSERT_TRUE(ensure_own_cache(id));
  std::filesystem::create_directories(repository_cache_path(id));
  std::ofstream(repository_cache_path(id) + "/config") << "x";
  ASSERT_TRUE(delete_caches(id));
  EXPECT_FALSE(std::filesystem::exists(own_cache_path(id)));
  EXPECT_FALSE(std::filesystem::exists(repository_cache_path(id)));
  EXPECT_TRUE(delete_caches(id));
}

TEST(ForegroundChild, GivesTheExitCodeOrTheSignal) {
  EXPECT_EQ(*run_in_foreground({"sh", "-c", "exit 7"}), 7);
  EXPECT_EQ(*run_in_foreground({"sh", "-c", "kill -9 $$"}), 128 + 9);
}

TEST(ForegroundChild, WhatCannotStartIsACommandError) {
  const auto result = run_in_foreground({"/nope/x"});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Code::Command);
  EXPECT_EQ(result.error().message(), "Failed to execute command: [Errno 2] No such file or directory: '/nope/x'");
}

TEST(ForegroundChild, GetsTheSignalThatEndsCairn) {
  EXPECT_EQ(*run_in_foreground({"sh", "-c", "trap 'exit 5' TERM; kill -TERM $PPID; while :; do :; done"}), 5);
}

}  // namespace
}  // namespace cairn::ops

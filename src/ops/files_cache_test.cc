#include "ops/files_cache.h"

#include <gtest/gtest.h>

#include "fs/scratch_for_tests.h"

namespace cairn::ops {
namespace {

constexpr FilesCacheMode kByCtime;
constexpr FilesCacheMode kByMtime{
    .enabled = true, .rechunk = false, .by_ctime = false, .by_size = true, .by_inode = true};

class FilesCacheTest : public ::testing::Test {
 protected:
  PathKey key(const std::string& path) const { return path_key(secret_, path); }
  static CachedFile file(Nanoseconds ctime, Nanoseconds mtime) {
    CachedFile file{
        .facts = {.inode = 7, .size = 5, .ctime = ctime, .mtime = mtime, .bsdflags = 0}, .chunks = {}, .digests = {}};
    file.chunks.push_back({.id = {}, .size = 5});
    return file;
  }
  // What the next run knows of "a" and "b" after this one has saved them.
  FilesCache saved(const CachedFile& a, const CachedFile& b, const FilesCacheMode& mode, Nanoseconds limit) {
    FilesCache cache;
    cache.remember(key("a"), a, FilesCache::Origin::Read);
    cache.remember(key("b"), b, FilesCache::Origin::Read);
    const std::string path = scratch_ / "files";
    EXPECT_TRUE(cache.save(path, secret_, mode, limit, 2));
    auto loaded = FilesCache::load(path, secret_);
    EXPECT_TRUE(loaded.has_value());
    return loaded ? std::move(*loaded) : FilesCache();
  }

  fs::Scratch scratch_;
  hash::Key256 secret_{};
};

TEST_F(FilesCacheTest, OnlyTheTimeOfTheModeDecides) {
  const CachedFile copied = file(90, 10);  // an old file that came here lately
  const CachedFile future = file(10, 90);
  const FilesCache by_mtime = saved(copied, future, kByMtime, 50);
  ASSERT_TRUE(by_mtime.find(key("a")));
  EXPECT_TRUE(FilesCache::unchanged(kByMtime, by_mtime.find(key("a"))->facts, copied.facts));
  EXPECT_FALSE(by_mtime.find(key("b")));
  const FilesCache by_ctime = saved(copied, future, kByCtime, 50);
  EXPECT_FALSE(by_ctime.find(key("a")));
  ASSERT_TRUE(by_ctime.find(key("b")));
  EXPECT_TRUE(FilesCache::unchanged(kByCtime, by_ctime.find(key("b"))->facts, future.facts));
}

TEST_F(FilesCacheTest, ATimeThatIsTooNewIsNotReliedOnInAnotherMode) {
  const CachedFile copied = file(90, 10), future = file(10, 90), old = file(20, 30);
  const FilesCache by_mtime = saved(copied, old, kByMtime, 50);
  EXPECT_FALSE(FilesCache::unchanged(kByCtime, by_mtime.find(key("a"))->facts, copied.facts));
  EXPECT_TRUE(FilesCache::unchanged(kByCtime, by_mtime.find(key("b"))->facts, old.facts));
  const FilesCache by_ctime = saved(future, old, kByCtime, 50);
  EXPECT_FALSE(FilesCache::unchanged(kByMtime, by_ctime.find(key("a"))->facts, future.facts));
  EXPECT_TRUE(FilesCache::unchanged(kByMtime, by_ctime.find(key("b"))->facts, old.facts));
}

TEST_F(FilesCacheTest, TheLimitItselfIsTooNew) {
  const FilesCache cache = saved(file(50, 50), file(49, 49), kByCtime, 50);
  EXPECT_FALSE(cache.find(key("a")));
  EXPECT_TRUE(cache.find(key("b")));
}

TEST_F(FilesCacheTest, WhatWasFoundUnchangedIsHeldToNoLimit) {
  const CachedFile newer = file(70, 80), old = file(40, 40);
  FilesCache cache;
  cache.remember(key("a"), newer, FilesCache::Origin::Known);
  cache.remember(key("b"), old, FilesCache::Origin::Read);
  const std::string path = scratch_ / "files";
  ASSERT_TRUE(cache.save(path, secret_, kByCtime, 50, 2));
  auto loaded = FilesCache::load(path, secret_);
  ASSERT_TRUE(loaded);
  ASSERT_TRUE(loaded->find(key("a")));
  EXPECT_EQ(loaded->find(key("a"))->facts.ctime, 70);
  EXPECT_EQ(loaded->find(key("a"))->facts.mtime, 80);
  EXPECT_TRUE(loaded->find(key("b")));
}

TEST_F(FilesCacheTest, EntriesThatNobodyAsksForAgeFromTheDayTheyWereRead) {
  const std::string path = scratch_ / "files";
  FilesCache first;
  first.remember(key("a"), file(10, 10), FilesCache::Origin::Read);
  ASSERT_TRUE(first.save(path, secret_, kByCtime, 50, 3));
  for (const bool there : {true, true, true, false}) {
    auto loaded = FilesCache::load(path, secret_);
    ASSERT_TRUE(loaded);
    EXPECT_EQ(loaded->size(), there ? 1U : 0U);
    ASSERT_TRUE(loaded->save(path, secret_, kByCtime, 50, 3));
  }
}

}  // namespace
}  // namespace cairn::ops

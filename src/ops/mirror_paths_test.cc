#include "ops/mirror_paths.h"

#include <gtest/gtest.h>

namespace cairn::ops {
namespace {

TEST(MirrorPaths, KnowsWhatWasAddedAndItsParents) {
  MirrorPaths paths;
  EXPECT_TRUE(paths.empty());
  paths.add("top/inner/file", false);
  paths.add("top/inner/other", false);
  paths.add("top/empty", true);
  paths.add("alone", false);
  paths.seal();
  EXPECT_FALSE(paths.empty());
  for (const char* one : {"top", "top/inner", "top/empty"}) EXPECT_EQ(paths.wanted(one), fs::Wanted::Directory) << one;
  for (const char* one : {"top/inner/file", "top/inner/other", "alone"}) {
    EXPECT_EQ(paths.wanted(one), fs::Wanted::Other) << one;
  }
  for (const char* one : {"to", "top/", "top/inner/fil", "inner", "file", "", "top/empty/x"}) {
    EXPECT_EQ(paths.wanted(one), fs::Wanted::Nothing) << one;
  }
}

TEST(MirrorPaths, DirectoryCountsWhereBothAreThere) {
  MirrorPaths paths;
  paths.add("twice", false);
  paths.add("twice", true);
  paths.seal();
  EXPECT_EQ(paths.wanted("twice"), fs::Wanted::Directory);
}

}  // namespace
}  // namespace cairn::ops

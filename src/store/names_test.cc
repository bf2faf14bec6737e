#include <gtest/gtest.h>

#include "store/store.h"

namespace cairn::store {
namespace {

TEST(Names, RulesAcceptAndRefuse) {
  EXPECT_TRUE(is_valid_name(""));
  EXPECT_TRUE(is_valid_name("config/config"));
  EXPECT_TRUE(is_valid_name("cache/referenced-by-archive." + std::string(64, 'f')));
  EXPECT_TRUE(is_valid_name(std::string(100, 'a')));
  EXPECT_FALSE(is_valid_name(std::string(101, 'a')));
  EXPECT_FALSE(is_valid_name(std::string(97, 'a') + ".del"));
  EXPECT_FALSE(is_valid_name("caf\xc3\xa9"));
  EXPECT_FALSE(is_valid_name("a b"));
  EXPECT_FALSE(is_valid_name("a\nb"));
  EXPECT_FALSE(is_valid_name(std::string_view("a\0b", 3)));
  EXPECT_FALSE(is_valid_name("a\\b"));
  EXPECT_FALSE(is_valid_name("/a"));
  EXPECT_FALSE(is_valid_name("a/"));
  EXPECT_FALSE(is_valid_name("a/../b"));
  EXPECT_FALSE(is_valid_name("a..b"));
  EXPECT_TRUE(is_valid_name("a.b"));
  EXPECT_FALSE(is_valid_name("a/B"));
  EXPECT_FALSE(is_valid_name("a/b.tmp"));
  EXPECT_FALSE(is_valid_name("quota.hid"));
  EXPECT_TRUE(is_valid_name("a/b.del"));
  EXPECT_TRUE(is_valid_name("a/tmp"));
}

TEST(Names, OnlyPacksAreNested) {
  EXPECT_EQ(nested("packs/5897f0"), "packs/58/5897f0");
  EXPECT_EQ(nested("packs/5897f0.del"), "packs/58/5897f0.del");
  EXPECT_EQ(nested("archives/5897f0.del"), "archives/5897f0.del");
  EXPECT_EQ(nested("packs"), "packs");
  EXPECT_EQ(nested(""), "");
  EXPECT_EQ(nested("packs/5"), "packs/5/5");
  EXPECT_EQ(nested("packsx/5897"), "packsx/5897");
  EXPECT_EQ(unnested("packs/58/5897f0"), "packs/5897f0");
  EXPECT_EQ(unnested("packs/58/5897f0.del"), "packs/5897f0.del");
  EXPECT_EQ(unnested("config/config"), "config/config");
}

TEST(Names, ObjectsNeedAKnownNamespaceAndOneKey) {
  EXPECT_TRUE(check_object_name("locks/ab"));
  EXPECT_FALSE(check_object_name("lock/ab"));
  EXPECT_FALSE(check_object_name("locks"));
  EXPECT_FALSE(check_object_name("locks/a/b"));
  EXPECT_FALSE(check_object_name("locks/."));
}

TEST(Names, EntriesAreSortedIntoLiveAndDeleted) {
  std::string_view key;
  EXPECT_TRUE(key_of_entry("ab", Which::Live, key));
  EXPECT_EQ(key, "ab");
  EXPECT_FALSE(key_of_entry("ab", Which::Deleted, key));
  EXPECT_TRUE(key_of_entry("ab.del", Which::Deleted, key));
  EXPECT_EQ(key, "ab");
  EXPECT_FALSE(key_of_entry("ab.del", Which::Live, key));
  EXPECT_FALSE(key_of_entry(".del", Which::Deleted, key));
  EXPECT_FALSE(key_of_entry("tmpabcdefgh.tmp", Which::Live, key));
  EXPECT_FALSE(key_of_entry("Thumbs.db", Which::Live, key));
}

}  // namespace
}  // namespace cairn::store

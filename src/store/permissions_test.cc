#include "store/permissions.h"

#include <array>
#include <map>

#include <gtest/gtest.h>

#include "store/posix.h"
#include "store/temporary_directory_for_test.h"

namespace cairn::store {
namespace {

// Section 7's table: namespace -> letters of no-delete, write-only, read-only.
const std::map<std::string, std::array<std::string, 3>> kTable = {
    {"archives", {"lrw", "lw", "lr"}},   {"cache", {"lrwWD", "lrwWD", "lr"}}, {"config", {"lrW", "lrW", "lr"}},
    {"index", {"lrwWD", "lrwWD", "lr"}}, {"keys", {"lr", "lr", "lr"}},        {"locks", {"lrwD", "lrwD", "lrwD"}},
    {"packs", {"lrw", "lw", "lr"}}};
constexpr const char* kPresets[] = {"no-delete", "write-only", "read-only"};

TEST(Permissions, PresetsGrantWhatTheTableSays) {
  for (std::size_t preset = 0; preset < 3; ++preset) {
    const Permissions permissions = *Permissions::preset(kPresets[preset]);
    for (const auto& [space, letters] : kTable) {
      EXPECT_EQ(permissions.granted(space), letters[preset]) << space;
      EXPECT_EQ(permissions.granted(space + "/58/5877"), letters[preset]) << space;
    }
    EXPECT_EQ(permissions.granted(""), preset == 1 ? "l" : "lr");
  }
  EXPECT_FALSE(Permissions::preset("all")->restricted());
  EXPECT_FALSE(Permissions::preset("")->restricted());
  EXPECT_EQ(Permissions::preset("foo").error().message(),
            "Invalid BORG_REPO_PERMISSIONS value: foo, should be one of: all, no-delete, write-only, read-only.");
}

TEST(Permissions, EveryOperationAsksForItsLetter) {
  const TemporaryDirectoryForTest directory;
  const std::string path = directory.path() + "/repo";
  for (std::size_t preset = 0; preset < 3; ++preset) {
    auto owner = make_posix_store(path);
    ASSERT_TRUE(owner->create());
    ASSERT_TRUE(owner->open());
    auto store = make_posix_store(path, {.permissions = *Permissions::preset(kPresets[preset])});
    ASSERT_TRUE(store->open());
    for (const auto& [space, table] : kTable) {
      const std::string& letters = table[preset];
      const auto may = [&](std::string_view any) { return letters.find_first_of(any) != std::string::npos; };
      const auto expect = [&](bool allowed, const Status& status, const char* what) {
        if (allowed) {
          EXPECT_TRUE(status) << kPresets[preset] << ' ' << what << ' ' << space;
        } else {
          ASSERT_FALSE(status) << kPresets[preset] << ' ' << what << ' ' << space;
          EXPECT_EQ(status.error().code(), Code::PermissionDenied);
        }
      };
      const auto status_of = [](const auto& result) -> Status {
        if (result) return {};
        return fail(result.error().clone());
      };
      const std::string old = space + "/old";
      Buffer out;
      ASSERT_TRUE(owner->put(old, bytes_of("x")));
      expect(may("r"), store->load(old, out), "load");
      expect(may("r"), store->load_range(old, 0, 1, out), "load_range");
      expect(may("r"), status_of(store->hash(old)), "hash");
      expect(may("lr"), status_of(store->info(old)), "info");
      expect(may("l"), status_of(store->list(space)), "list");
      expect(may("l"), status_of(store->list_names(space)), "list_names");
      expect(may("wW"), store->put(space + "/new", bytes_of("y")), "put new");
      expect(may("W"), store->put(old, bytes_of("y")), "put old");
      EXPECT_EQ(store->permits(space, "D"), may("D"));
      expect(may("D") && may("wW"), store->move(old, space + "/moved"), "move");
      ASSERT_TRUE(owner->put(old, bytes_of("x")));
      ASSERT_TRUE(owner->put(space + "/target", bytes_of("x")));
      expect(may("D") && may("W"), store->move(old, space + "/target"), "move onto");
      ASSERT_TRUE(owner->put(old, bytes_of("x")));
      expect(may("D"), store->remove(old), "remove");
    }
    const Range range{"packs/old", 0, 1};
    ASSERT_TRUE(owner->put("packs/old", bytes_of("x")));
    EXPECT_EQ(store->defrag({&range, 1}).error().code(), Code::PermissionDenied);
    EXPECT_EQ(store->create().error().code(), Code::PermissionDenied);
    EXPECT_EQ(store->destroy().error().code(), Code::PermissionDenied);
    ASSERT_TRUE(owner->destroy());
  }
}

TEST(Permissions, MessageSaysWhatIsMissing) {
  EXPECT_EQ(Permissions::preset("read-only")->require("packs/58/5877", "wW", "storing packs/5877").error().message(),
            "Repository permission denied: storing packs/5877 needs write (w/W) permission on packs/, but only 'lr' is "
            "granted (BORG_REPO_PERMISSIONS).");
}

}  // namespace
}  // namespace cairn::store

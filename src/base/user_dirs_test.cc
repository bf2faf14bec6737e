#include "base/user_dirs.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/child_environment.h"

namespace cairn {
namespace {

class UserDirs : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name :
         {"BORG_BASE_DIR", "BORG_CONFIG_DIR", "BORG_CACHE_DIR", "BORG_DATA_DIR", "BORG_RUNTIME_DIR", "BORG_KEYS_DIR",
          "BORG_SECURITY_DIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"})
      ::unsetenv(name);
    set("HOME", "/home/u");
  }
  static void set(const char* name, const char* value) { ::setenv(name, value, 1); }
};

TEST_F(UserDirs, DefaultsLieBelowTheHome) {
  EXPECT_EQ(config_dir(), "/home/u/.config/borg");
  EXPECT_EQ(cache_dir(), "/home/u/.cache/borg");
  EXPECT_EQ(data_dir(), "/home/u/.local/share/borg");
  EXPECT_EQ(keys_dir(), "/home/u/.config/borg/keys");
  EXPECT_EQ(security_dir(), "/home/u/.local/share/borg/security");
}

TEST_F(UserDirs, XdgVariablesComeBeforeTheHome) {
  set("XDG_CONFIG_HOME", "/x/c");
  set("XDG_CACHE_HOME", "/x/k/");
  set("XDG_DATA_HOME", "/x/d");
  set("XDG_RUNTIME_DIR", "/x/r");
  EXPECT_EQ(config_dir(), "/x/c/borg");
  EXPECT_EQ(cache_dir(), "/x/k/borg");
  EXPECT_EQ(data_dir(), "/x/d/borg");
  EXPECT_EQ(runtime_dir(), "/x/r/borg");
  EXPECT_EQ(keys_dir(), "/x/c/borg/keys");
}

TEST_F(UserDirs, BaseDirComesBeforeXdg) {
  set("XDG_CONFIG_HOME", "/x/c");
  set("XDG_RUNTIME_DIR", "/x/r");
  set("BORG_BASE_DIR", "/b");
  EXPECT_EQ(config_dir(), "/b/.config/borg");
  EXPECT_EQ(cache_dir(), "/b/.cache/borg");
  EXPECT_EQ(data_dir(), "/b/.local/share/borg");
  EXPECT_EQ(runtime_dir(), "/b/.cache/borg");
  EXPECT_EQ(security_dir(), "/b/.local/share/borg/security");
}

TEST_F(UserDirs, OwnVariablesComeFirstAndEmptyOnesDoNotCount) {
  set("BORG_BASE_DIR", "/b");
  set("BORG_CONFIG_DIR", "/own/config");
  set("BORG_DATA_DIR", "/own/data");
  set("BORG_CACHE_DIR", "");
  EXPECT_EQ(config_dir(), "/own/config");
  EXPECT_EQ(keys_dir(), "/own/config/keys");
  EXPECT_EQ(security_dir(), "/own/data/security");
  EXPECT_EQ(cache_dir(), "/b/.cache/borg");
  set("BORG_KEYS_DIR", "/own/keys");
  set("BORG_SECURITY_DIR", "/own/security");
  EXPECT_EQ(keys_dir(), "/own/keys");
  EXPECT_EQ(security_dir(), "/own/security");
}

TEST_F(UserDirs, HomeOfTheAccountStandsInForHome) {
  ::unsetenv("HOME");
  EXPECT_TRUE(home_dir().starts_with('/'));
}

TEST(EnsureDirectory, CreatesParentsAndKeepsWhatIsThere) {
  std::string root = ::testing::TempDir() + "ensure_XXXXXX";
  ASSERT_NE(::mkdtemp(root.data()), nullptr);
  ASSERT_EQ(::chmod(root.c_str(), 0755), 0);
  const std::string leaf = root + "/a/b/c";
  ASSERT_TRUE(ensure_directory(leaf));
  ASSERT_TRUE(ensure_directory(leaf + "/"));
  ASSERT_TRUE(ensure_directory(root));
  struct stat status{};
  ASSERT_EQ(::stat(leaf.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);
  ASSERT_EQ(::stat(root.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0755U);
}

TEST(EnsureDirectory, AFileInTheWayIsAnError) {
  std::string file = ::testing::TempDir() + "ensure_file_XXXXXX";
  const int fd = ::mkstemp(file.data());
  ASSERT_GE(fd, 0);
  ::close(fd);
  EXPECT_EQ(ensure_directory(file).error().os_error(), ENOTDIR);
  EXPECT_EQ(ensure_directory(file + "/below").error().os_error(), ENOTDIR);
  EXPECT_FALSE(ensure_directory(""));
}

TEST(ChildEnvironment, HidesPassphrasesAndNamesTheVersion) {
  for (const char* name : {"BORG_PASSPHRASE", "BORG_NEW_PASSCOMMAND", "BORG_OTHER_PASSPHRASE_FD",
                           "BORGSTORE_REST_PASSWORD", "BORG_VERSION", "BORG_PASSPHRASE_HINT"})
    ::setenv(name, "v", 1);
  const auto entries = child_environment();
  for (const char* name :
       {"BORG_PASSPHRASE=", "BORG_NEW_PASSCOMMAND=", "BORG_OTHER_PASSPHRASE_FD=", "BORGSTORE_REST_PASSWORD="})
    EXPECT_TRUE(std::ranges::none_of(entries, [&](const std::string& e) { return e.starts_with(name); })) << name;
  EXPECT_EQ(std::ranges::count(entries, "BORG_PASSPHRASE_HINT=v"), 1);
  EXPECT_EQ(std::ranges::count(entries, "BORG_VERSION=2.0.0b25"), 1);
  EXPECT_EQ(std::ranges::count(entries, "BORG_VERSION=v"), 0);
  for (const char* name : {"BORG_PASSPHRASE", "BORG_NEW_PASSCOMMAND", "BORG_OTHER_PASSPHRASE_FD",
                           "BORGSTORE_REST_PASSWORD", "BORG_VERSION", "BORG_PASSPHRASE_HINT"})
    ::unsetenv(name);
}

}  // namespace
}  // namespace cairn

// Keys come, change and go, in a repository in memory and in key files of a home of its own.
#include "ops/repository_keys.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "base/user_dirs.h"
#include "crypt/key_files.h"
#include "repo/test_repository.h"

namespace cairn::ops {
namespace {

using repo::testing::TestRepository;

class RepositoryKeysTest : public repo::testing::HomeTest {
 protected:
  std::unique_ptr<repo::Repository> open(const char* passphrase = "example") {
    ::setenv("BORG_PASSPHRASE", passphrase, 1);
    auto opened = made_.open();
    CAIRN_CHECK(opened, "open");
    return std::move(*opened);
  }
  bool opens_with(const char* passphrase) {
    ::setenv("BORG_PASSPHRASE", passphrase, 1);
    return made_.open().has_value();
  }
  std::vector<repo::KeyEntry> keys(repo::Repository& repository) {
    auto entries = repo::find_keys(repository.store(), repository.id(), repository.location());
    CAIRN_CHECK(entries, "keys");
    return std::move(*entries);
  }
  template <class T>
  static std::string message(const Result<T>& result) {
    return result ? "" : result.error().message();
  }

  TestRepository made_;
};

TEST_F(RepositoryKeysTest, AnAddedKeyOpensWithItsOwnPassphrase) {
  {
    auto repository = open();
    const auto place = add_key(*repository, "second", crypt::Secret("other"));
    ASSERT_TRUE(place);
    EXPECT_EQ(*place, repository->location());
    EXPECT_EQ(keys(*repository).size(), 2U);
  }
  EXPECT_TRUE(opens_with("example"));
  EXPECT_TRUE(opens_with("other"));
  EXPECT_EQ(open("other")->key().blob->label, "second");
}

TEST_F(RepositoryKeysTest, LabelsAreUniqueAndAdminIsTaken) {
  auto repository = open();
  ASSERT_TRUE(add_key(*repository, "it's", crypt::Secret("other")));
  EXPECT_EQ(message(add_key(*repository, "it's", crypt::Secret("x"))),
            "A borg key with label \"it's\" already exists.");
  EXPECT_EQ(message(check_new_label(*repository, "")), "A label is required when adding a borg key (--label).");
  EXPECT_NE(message(check_new_label(*repository, "admin")), "");
  EXPECT_EQ(keys(*repository).size(), 2U);
}

TEST_F(RepositoryKeysTest, ARemovedKeyOpensNoMore) {
  auto repository = open();
  ASSERT_TRUE(add_key(*repository, "second", crypt::Secret("other")));
  const auto removed = remove_key(*repository, {.label = "second"});
  ASSERT_TRUE(removed);
  EXPECT_EQ(removed->blob->label, "second");
  repository.reset();
  EXPECT_FALSE(opens_with("other"));
  EXPECT_TRUE(opens_with("example"));
}

TEST_F(RepositoryKeysTest, TheLastKeyAndTheAdminKeyStay) {
  auto repository = open();
  EXPECT_EQ(message(remove_key(*repository, {.current = true})),
            "Cannot remove the last remaining borg key of a repository.");
  ASSERT_TRUE(add_key(*repository, "second", crypt::Secret("other")));
  EXPECT_EQ(message(remove_key(*repository, {.current = true})),
            "The \"admin\" borg key is protected and cannot be removed.");
  EXPECT_EQ(message(remove_key(*repository, {.id = ""})),
            "The selector needs to match precisely 1 key, but it matched 2 keys.");
  EXPECT_EQ(keys(*repository).size(), 2U);
}

TEST_F(RepositoryKeysTest, ANewPassphraseReplacesTheOldOneAndKeepsTheLabel) {
  {
    auto repository = open();
    ASSERT_TRUE(change_passphrase(*repository, crypt::Secret("new")));
    EXPECT_EQ(keys(*repository).size(), 1U);
  }
  EXPECT_FALSE(opens_with("example"));
  EXPECT_EQ(open("new")->key().blob->label, "admin");
}

TEST_F(RepositoryKeysTest, AKeyMovesToAFileAndBack) {
  std::string path;
  {
    auto repository = open();
    const auto place = change_key_location(*repository, repo::KeyLocation::Keyfile, /*keep_old=*/false);
    ASSERT_TRUE(place);
    path = *place;
    struct stat status{};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0600U);
    const auto entries = keys(*repository);
    ASSERT_EQ(entries.size(), 1U);
    EXPECT_FALSE(entries[0].in_repository);
  }
  {
    auto repository = open();
    EXPECT_EQ(repository->key().path, path);
    const auto place = change_key_location(*repository, repo::KeyLocation::Repokey, /*keep_old=*/true);
    ASSERT_TRUE(place);
    EXPECT_EQ(*place, repository->location());
    const auto entries = keys(*repository);
    ASSERT_EQ(entries.size(), 2U);
    EXPECT_NE(entries[0].id, entries[1].id);
  }
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST_F(RepositoryKeysTest, ANewPassphraseOfAKeyFileLeavesOneFile) {
  {
    auto repository = open();
    ASSERT_TRUE(change_key_location(*repository, repo::KeyLocation::Keyfile, /*keep_old=*/false));
  }
  auto repository = open();
  const std::string old = repository->key().path;
  const auto place = change_passphrase(*repository, crypt::Secret("new"));
  ASSERT_TRUE(place);
  EXPECT_NE(*place, old);
  EXPECT_FALSE(std::filesystem::exists(old));
  repository.reset();
  EXPECT_TRUE(opens_with("new"));
}

TEST_F(RepositoryKeysTest, OneFileForAllKeysIsReplacedAndGetsNoCompany) {
  const std::string path = home() + "/the-key";
  ::setenv("BORG_KEY_FILE", path.c_str(), 1);
  {
    auto repository = made_.open();
    ASSERT_FALSE(repository);  // the file that the variable names must exist
    ::unsetenv("BORG_KEY_FILE");
    auto opened = open();
    ::setenv("BORG_KEY_FILE", path.c_str(), 1);
    ASSERT_EQ(*change_key_location(*opened, repo::KeyLocation::Keyfile, /*keep_old=*/false), path);
  }
  {
    auto repository = open();
    EXPECT_NE(message(check_new_label(*repository, "second")), "");
    EXPECT_EQ(*change_passphrase(*repository, crypt::Secret("new")), path);
  }
  EXPECT_TRUE(opens_with("new"));
  ::unsetenv("BORG_KEY_FILE");
}

// The old key must outlive a new one that could not be stored.
TEST_F(RepositoryKeysTest, AFailedWriteLeavesTheOldKey) {
  constexpr std::uint64_t kAfterTheLock = 2;
  auto repository = made_.open({.kind = store::Fault::Kind::Fail, .at = kAfterTheLock});
  ASSERT_TRUE(repository);
  EXPECT_FALSE(change_passphrase(**repository, crypt::Secret("new")));
  repository->reset();
  made_.break_locks();
  EXPECT_TRUE(opens_with("example"));
}

TEST_F(RepositoryKeysTest, AnImportedKeyIsOneMoreAndAForeignOneIsRefused) {
  auto repository = open();
  const std::string backup = repository->key().blob->text;
  ASSERT_TRUE(change_passphrase(*repository, crypt::Secret("new")));
  ASSERT_TRUE(import_key(repository->store(), repository->id(), "here", backup, repo::KeyLocation::Repokey));
  EXPECT_EQ(keys(*repository).size(), 2U);
  const auto foreign = import_key(repository->store(), RepositoryId{}, "here", backup, repo::KeyLocation::Repokey);
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error().code(), Code::RepoIdMismatch);
  const auto junk = import_key(repository->store(), repository->id(), "here", "junk", repo::KeyLocation::Repokey);
  ASSERT_FALSE(junk);
  EXPECT_EQ(junk.error().code(), Code::NotAKeyFile);
  repository.reset();
  EXPECT_TRUE(opens_with("example"));
  EXPECT_TRUE(opens_with("new"));
}

}  // namespace
}  // namespace cairn::ops

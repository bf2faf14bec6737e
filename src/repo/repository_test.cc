#include "repo/repository.h"

#include "crypt/vectors_test.h"
#include "repo/test_repository.h"

namespace cairn::repo {
namespace {

using testing::TestRepository;

class RepositoryTest : public testing::HomeTest {
 protected:
  exec::Pool pool_{2};
};

// Small repositories that Borg made, file by file.
TEST_F(RepositoryTest, OpensWhatBorgMade) {
  const auto& all = crypt::testing::vectors().at("tiny_repositories");
  ASSERT_FALSE(all.empty());
  for (const auto& json : all) {
    SCOPED_TRACE(json.at("mode").get<std::string>());
    const auto disk = std::make_shared<store::MemoryDisk>();
    auto store = store::make_memory_store(disk);
    ASSERT_TRUE(store->create());
    ASSERT_TRUE(store->open());
    std::string archive;
    for (const auto& [path, hex] : json.at("files").items()) {
      const std::string name = store::unnested(path);
      const auto put = store->put(name, crypt::testing::bytes_from_hex(hex.get<std::string>()));
      ASSERT_TRUE(put) << put.error().text();
      if (name.starts_with("archives/")) archive = name.substr(9);
    }
    ::setenv("BORG_PASSPHRASE", json.at("passphrase").get<std::string>().c_str(), 1);
    ::setenv("BORG_TESTONLY_WEAKEN_KDF", json.at("weakened_kdf").get<bool>() ? "1" : "0", 1);
    auto opened = Repository::open(std::move(store), testing::test_access(), {.lock = LockMode::Shared});
    ASSERT_TRUE(opened) << opened.error().text();
    Repository& repository = **opened;
    ASSERT_TRUE(repository.defaults());
    ASSERT_TRUE(repository.load_index(BadFragments::Error, pool_));
    EXPECT_FALSE(repository.index_load().rebuilt);
    ASSERT_EQ(repository.list_archives()->size(), 1U);
    EXPECT_EQ(repository.list_archives()->front().hex(), archive);
    const auto reader = repository.make_reader();
    Buffer object;
    Buffer plain;
    ASSERT_TRUE(repository.load_object(*reader, *ChunkId::from_hex(archive), 'A', Verify::Id, object, plain));
    const ChunkId content = repository.id_hash()(bytes_of(json.at("content").get<std::string>()));
    ASSERT_TRUE(repository.load_object(*reader, content, 'F', Verify::Id, object, plain));
    EXPECT_EQ(text_of(plain), json.at("content").get<std::string>());
    // What the fragments say, the packs say too.
    ChunkIndex rebuilt;
    ASSERT_TRUE(repository.fragments().rebuild(rebuilt, pool_));
    EXPECT_EQ(rebuilt.size(), repository.index().size());
    repository.index().for_each(
        [&](const ChunkIndex::Entry& entry) { EXPECT_EQ(rebuilt.find(entry.id), repository.index().find(entry.id)); });
    EXPECT_TRUE(repository.close());
  }
}

TEST_F(RepositoryTest, AWrongPassphraseOpensNothing) {
  const TestRepository made;
  ::setenv("BORG_PASSPHRASE", "another", 1);
  const auto opened = made.open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), Code::PassphraseWrong);
}

TEST_F(RepositoryTest, MissingObjectsAndPacksAreTold) {
  const TestRepository made;
  auto opened = made.open();
  ASSERT_TRUE(opened);
  Repository& repository = **opened;
  std::vector<testing::PlacedObject> objects;
  objects.push_back(TestRepository::make_object(repository, "here"));
  const PackId pack = TestRepository::put_pack(repository, objects, {true});
  ASSERT_TRUE(repository.load_index(BadFragments::Error, pool_));
  const auto reader = repository.make_reader();
  Buffer object;
  Buffer plain;
  EXPECT_TRUE(repository.load_object(*reader, objects[0].id, 'F', Verify::Id, object, plain));
  const auto unknown = repository.load_object(*reader, ChunkId{}, 'F', Verify::Id, object, plain);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code(), Code::ObjectNotFound);
  ASSERT_TRUE(repository.store().remove("packs/" + pack.hex()));
  const auto lost = repository.load_object(*reader, objects[0].id, 'F', Verify::Id, object, plain);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code(), Code::PackNotFound);
}

TEST_F(RepositoryTest, DefaultsMayBeMissingOrForged) {
  const TestRepository made;
  auto opened = made.open();
  ASSERT_TRUE(opened);
  ASSERT_TRUE((*opened)->defaults());
  TestRepository::flip_byte((*opened)->store(), "config/defaults", 30);
  EXPECT_EQ((*opened)->defaults().error().code(), Code::Integrity);
  ASSERT_TRUE((*opened)->store().remove("config/defaults"));
  EXPECT_EQ((*opened)->defaults().error().code(), Code::DefaultsMissing);
}

// Creating fails at any operation: nothing is left that looks like a repository.
TEST_F(RepositoryTest, AFailedCreationLeavesNothing) {
  bool failed = true;
  for (std::uint64_t at = 2; failed; ++at) {
    const auto disk = std::make_shared<store::MemoryDisk>();
    auto store = store::make_faulty_store(store::make_memory_store(disk),
                                          {.kind = store::Fault::Kind::Fail, .at = at, .error_number = 28});
    const crypt::Secret passphrase("example");
    const auto made =
        Repository::create(*store, testing::test_access(),
                           {.suite = *crypt::find_suite("aes256-ocb", "blake3"), .defaults = {}}, passphrase);
    failed = !made;
    auto plain = store::make_memory_store(disk);
    if (failed) {
      EXPECT_FALSE(plain->open() && plain->info("config/config")->exists) << at;
    }
    ASSERT_LT(at, 50U);
  }
}

}  // namespace
}  // namespace cairn::repo

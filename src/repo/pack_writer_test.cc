#include "repo/pack_writer.h"

#include <cerrno>

#include "exec/delay.h"
#include "repo/chunk_writer.h"
#include "repo/test_repository.h"

namespace cairn::repo {
namespace {

using testing::noise;
using testing::TestRepository;

class PackWriterTest : public testing::HomeTest {
 protected:
  // Stores `chunks` of them, each twice, from as many threads; what comes back is the first error.
  static Status store_all(Repository& repository, ChunkIndex& index, PackWriter& packs, unsigned threads,
                          unsigned chunks) {
    exec::Pool pool(threads);
    ChunkWriter writer(pool, repository.suite(), repository.material(), repository.id_hash(), index, packs,
                       compress::Spec{});
    std::mutex mutex;
    Status first;
    for (unsigned i = 0; i < 2 * chunks; ++i) {
      pool.submit(pool.main_worker(), exec::Lane::Begin, [&, i](exec::Worker& worker) {
        auto stored = writer.store(worker, 'F', bytes_of(noise(1000 + i % chunks, i % chunks)));
        const std::lock_guard lock(mutex);
        if (!stored && first) first = fail(std::move(stored).error());
      });
    }
    pool.drain();
    if (auto status = packs.flush(); !status && first) first = std::move(status);
    return first;
  }
  void TearDown() override { exec::set_delay_seed(0); }

  TestRepository made_;
};

TEST_F(PackWriterTest, EveryChunkIsStoredOnceAndFound) {
  for (const unsigned threads : {1U, 2U, 8U}) {
    for (const unsigned seed : {0U, 7U}) {
      SCOPED_TRACE(threads);
      exec::set_delay_seed(seed);
      TestRepository made;
      auto opened = made.open();
      ASSERT_TRUE(opened);
      Repository& repository = **opened;
      ChunkIndex index;
      PackWriter packs(repository.store(), index, {.max_size = 20'000, .buffers = 2});
      ASSERT_TRUE(store_all(repository, index, packs, threads, 200));
      EXPECT_EQ(index.size(), 200U);
      const Buffer rows = packs.take_unsaved_rows();
      EXPECT_EQ(rows.size(), 200U * 80);
      EXPECT_TRUE(packs.take_unsaved_rows().empty());
      const auto listed = repository.store().list("packs").value();
      EXPECT_EQ(listed.size(), packs.stored_packs());
      std::uint64_t bytes = 0;
      for (const auto& entry : listed) {
        bytes += entry.size;
        EXPECT_EQ(repository.store().hash("packs/" + entry.name)->hex(), entry.name);
      }
      EXPECT_EQ(bytes, packs.stored_bytes());
      const auto reader = repository.make_reader();
      Buffer object;
      Buffer plain;
      for (unsigned i = 0; i < 200; ++i) {
        const std::string text = noise(1000 + i, i);
        const auto place = index.find(repository.id_hash()(bytes_of(text)));
        ASSERT_TRUE(place);
        ASSERT_TRUE(repository.store().load_range("packs/" + place->pack.hex(), place->offset, place->size, object));
        ASSERT_TRUE(reader->read(object, repository.id_hash()(bytes_of(text)), 'F', Verify::Id, plain));
        EXPECT_EQ(text_of(plain), text);
      }
    }
  }
}

TEST_F(PackWriterTest, ClosesPacksBySizeAndCount) {
  auto opened = made_.open();
  ASSERT_TRUE(opened);
  ChunkIndex index;
  PackWriter packs((*opened)->store(), index, {.max_size = 1'000'000, .max_count = 7});
  ASSERT_TRUE(store_all(**opened, index, packs, 1, 20));
  EXPECT_EQ(packs.stored_packs(), 3U);  // 7, 7 and the rest
  ASSERT_TRUE(packs.flush());           // nothing more
  EXPECT_EQ(packs.stored_packs(), 3U);
}

// Torture T14: the disk is full at any of the packs.
TEST_F(PackWriterTest, AFullDiskIsAnErrorAndIndexesNothingOfThatPack) {
  for (const unsigned threads : {1U, 2U, 8U}) {
    bool failed = true;
    for (std::uint64_t at = 2; failed; ++at) {  // the first one is the lock
      const auto counter = std::make_shared<store::OperationCounter>();
      auto opened =
          made_.open({.kind = store::Fault::Kind::Fail, .at = at, .lasting = true, .error_number = ENOSPC}, counter);
      ASSERT_TRUE(opened);
      ChunkIndex index;
      PackWriter packs((*opened)->store(), index, {.max_size = 20'000, .buffers = 2});
      const Status status = store_all(**opened, index, packs, threads, 100);
      failed = !status;
      EXPECT_TRUE(!failed || status.error().code() == Code::NoSpace);
      const Buffer rows = packs.take_unsaved_rows();
      for (std::size_t row = 0; row < rows.size(); row += 80) {
        EXPECT_TRUE(made_.store()->info("packs/" + PackId::copy(rows.data() + row + 40).hex())->exists);
      }
      std::size_t placed = 0;
      index.for_each([&](const ChunkIndex::Entry& entry) {
        if (entry.placed && index.pack_name(entry.pack)) ++placed;
      });
      EXPECT_EQ(placed, rows.size() / 80);
      opened->reset();
      made_.break_locks();
      ASSERT_LT(at, 50U);
    }
  }
}

TEST_F(PackWriterTest, NothingIsStoredOnceItMayNot) {
  auto opened = made_.open();
  ASSERT_TRUE(opened);
  ChunkIndex index;
  unsigned asked = 0;
  PackWriter packs((*opened)->store(), index, {.max_size = 20'000, .buffers = 2}, [&asked]() -> Status {
    if (++asked <= 2) return {};
    return fail(Code::LockTimeout, "somebody removed the lock");
  });
  const Status status = store_all(**opened, index, packs, 1, 100);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), Code::LockTimeout);
  EXPECT_EQ(asked, 3U);
  EXPECT_EQ(packs.stored_packs(), 2U);
  EXPECT_EQ(made_.store()->list_names("packs")->size(), 2U);
}

TEST_F(PackWriterTest, LimitsComeFromTheEnvironment) {
  EXPECT_EQ(pack_limits_from_environment(2)->max_size, 50'000'000U);
  ::setenv("BORG_PACK_MAX_SIZE", "1234", 1);
  ::setenv("BORG_PACK_MAX_COUNT", "5", 1);
  EXPECT_EQ(pack_limits_from_environment(2)->max_size, 1234U);
  EXPECT_EQ(pack_limits_from_environment(2)->max_count, 5U);
  for (const char* bad : {"0", "-1", "x", "12k"}) {
    ::setenv("BORG_PACK_MAX_SIZE", bad, 1);
    EXPECT_FALSE(pack_limits_from_environment(2)) << bad;
  }
}

}  // namespace
}  // namespace cairn::repo

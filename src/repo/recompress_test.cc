// Recompressing with a store that fails at every operation: what was there can always be read again.
#include "repo/recompress.h"

#include "repo/test_repository.h"

namespace cairn::repo {
namespace {

using testing::noise;
using testing::PlacedObject;
using testing::TestRepository;

class RecompressTest : public testing::HomeTest {
 protected:
  // Three packs; in the last one an object that no index entry names.
  std::vector<std::string> fill(TestRepository& made) {
    std::vector<std::string> texts;
    auto repository = made.open();
    EXPECT_TRUE(repository);
    for (int pack = 0; pack < 3; ++pack) {
      std::vector<PlacedObject> objects;
      std::vector<bool> indexed;
      for (int i = 0; i < 4; ++i) {
        std::string text = i % 2 == 0 ? std::string(static_cast<std::size_t>(5000 + 100 * i + pack), 'a')
                                      : noise(700, static_cast<std::uint64_t>(10 * pack + i));
        objects.push_back(TestRepository::make_object(**repository, text));
        const bool hidden = pack == 2 && i == 3;
        indexed.push_back(!hidden);
        if (!hidden) texts.push_back(std::move(text));
      }
      TestRepository::put_pack(**repository, objects, indexed);
    }
    return texts;
  }
  static RecompressOptions to(const char* spec) { return {.spec = *compress::parse_spec(spec)}; }

  static void expect_readable(TestRepository& made, const std::vector<std::string>& texts, const std::string& when) {
    auto repository = made.open();
    ASSERT_TRUE(repository) << when;
    exec::Pool pool(1);
    ASSERT_TRUE((*repository)->load_index(BadFragments::Error, pool)) << when;
    const auto reader = (*repository)->make_reader();
    Buffer object, plain;
    for (const std::string& text : texts) {
      const ChunkId id = (*repository)->id_hash()(bytes_of(text));
      const auto meta = (*repository)->load_object(*reader, id, 'F', Verify::Id, object, plain);
      ASSERT_TRUE(meta) << when << ": " << meta.error().text();
      ASSERT_TRUE(text_of(plain) == text) << when;
    }
  }
};

TEST_F(RecompressTest, ChangesWhatCanBecomeSmallerAndKeepsTheRest) {
  TestRepository made;
  const auto texts = fill(made);
  for (const unsigned threads : {1U, 4U}) {
    auto repository = made.open();
    ASSERT_TRUE(repository);
    exec::Pool pool(threads);
    ASSERT_TRUE((*repository)->load_index(BadFragments::Error, pool));
    const auto report = recompress_packs(**repository, pool, to(threads == 1 ? "zstd,3" : "none"));
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->packs, 3U);
    EXPECT_EQ(report->rewritten, 3U);
    EXPECT_EQ(report->objects, 11U);
    EXPECT_EQ(report->recompressed, 6U);
    // What does not become smaller is stored as it is: kept with zstd, and just right for none.
    EXPECT_EQ(threads == 1 ? report->kept : report->already, 5U);
    EXPECT_FALSE(report->warnings);
    ASSERT_TRUE((*repository)->close());
    expect_readable(made, texts, "afterwards");
  }
}

TEST_F(RecompressTest, NothingToDoTouchesNothing) {
  TestRepository made;
  fill(made);
  auto repository = made.open();
  ASSERT_TRUE(repository);
  exec::Pool pool(2);
  ASSERT_TRUE((*repository)->load_index(BadFragments::Error, pool));
  const auto before = (*repository)->fragments().list();
  const auto report = recompress_packs(**repository, pool, to("lz4"));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->rewritten, 0U);
  EXPECT_EQ(report->already + report->kept, 11U);
  EXPECT_EQ(*(*repository)->fragments().list(), *before);
}

TEST_F(RecompressTest, APackWithDamageStaysAsItIs) {
  TestRepository made;
  const auto texts = fill(made);
  {
    const auto store = made.store();
    const auto packs = store->list("packs");
    ASSERT_TRUE(packs);
    TestRepository::flip_byte(*store, "packs/" + packs->front().name, 200);
    auto repository = made.open();
    ASSERT_TRUE(repository);
    exec::Pool pool(2);
    ASSERT_TRUE((*repository)->load_index(BadFragments::Error, pool));
    const auto report = recompress_packs(**repository, pool, to("zstd,1"));
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->rewritten, 2U);
    EXPECT_TRUE(report->warnings);
    EXPECT_TRUE(store->info("packs/" + packs->front().name)->exists);
  }
}

TEST_F(RecompressTest, AfterAnyFailureEverythingCanBeRead) {
  for (std::uint64_t at = 1; at < 60; ++at) {
    for (const bool lasting : {false, true}) {
      TestRepository made;
      const auto texts = fill(made);
      const std::string when = fmt::format("failure at {}, lasting {}", at, lasting);
      {
        auto repository =
            made.open({.kind = store::Fault::Kind::Fail, .at = at, .lasting = lasting, .error_number = ENOSPC});
        if (repository) {
          exec::Pool pool(1);
          if ((*repository)->load_index(BadFragments::Error, pool)) {
            (void)recompress_packs(**repository, pool, to("zstd,1"));
          }
        }
      }
      made.break_locks();
      expect_readable(made, texts, when);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace cairn::repo

// Content that several workers cut together has the chunks that one thread finds: all chunkers, edge sizes, any number
// of threads, pauses at every hand-over.
#include "ops/content.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "base/fd.h"
#include "exec/delay.h"
#include "exec/memory_gate.h"
#include "ops/archive_writer.h"
#include "repo/test_repository.h"

namespace cairn::ops {
namespace {

using repo::testing::TestRepository;
constexpr std::size_t kMiB = std::size_t{1} << 20U;

// Noise with runs of one value in it, which cutters treat apart.
Buffer mixed(std::size_t size) {
  Buffer data(size);
  std::uint64_t state = 17;
  for (std::size_t at = 0; at < size;) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::size_t length = std::min<std::size_t>(size - at, (state >> 33U) % 50000 == 0 ? 300'000 : 8);
    if (length > 8) {
      std::memset(data.data() + at, static_cast<int>(state >> 62U), length);
    } else {
      std::memcpy(data.data() + at, &state, length);
    }
    at += length;
  }
  return data;
}

class MemorySource final : public Source {
 public:
  MemorySource(Bytes data, std::size_t most) : data_(data), most_(most) {}
  Result<std::size_t> read(MutableBytes out) override {
    const std::size_t count = std::min({out.size(), data_.size(), most_});
    if (count > 0) std::memcpy(out.data(), data_.data(), count);
    data_ = data_.subspan(count);
    return count;
  }

 private:
  Bytes data_;
  const std::size_t most_;  // what one read gives
};

// Counts what is read of another source, and passes on where its holes are.
class CountingSource final : public Source {
 public:
  explicit CountingSource(Source& source) : source_(source) {}
  Result<std::size_t> read(MutableBytes out) override {
    auto count = source_.read(out);
    if (count) read_ += *count;
    return count;
  }
  Result<std::uint64_t> zeros_ahead() override { return source_.zeros_ahead(); }
  void skip_zeros(std::uint64_t count) override { source_.skip_zeros(count); }
  std::uint64_t bytes_read() const { return read_; }

 private:
  Source& source_;
  std::uint64_t read_ = 0;
};

class CountedHelpers final : public exec::Spare {
 public:
  explicit CountedHelpers(unsigned count) : count_(count) {}
  unsigned helpers() const override { return count_; }
  void run(std::size_t parts, const std::function<void(std::size_t)>& part) const override {
    ++runs_;
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t i = next++; i < parts; i = next++) {
        exec::hand_over();
        part(i);
      }
    };
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < count_; ++i) threads.emplace_back(work);
    work();
  }
  int runs() const { return runs_; }

 private:
  const unsigned count_;
  mutable std::atomic<int> runs_{0};
};

struct Chunks {
  std::vector<archive::ChunkRef> list;
  std::uint64_t size = 0;
};

class ContentTest : public repo::testing::HomeTest {
 protected:
  void TearDown() override { exec::set_delay_seed(0); }

  Chunks chunks_of(Bytes data, const std::string& params, unsigned threads, const exec::Spare* helpers = nullptr,
                   std::size_t most_per_read = 64 * kMiB) {
    MemorySource source(data, most_per_read);
    return chunks_of(source, params, threads, helpers);
  }

  // With `interrupted`, nothing unless the source lets it be false to the end.
  Chunks chunks_of(Source& source, const std::string& params, unsigned threads, const exec::Spare* helpers = nullptr,
                   const std::atomic<bool>* interrupted = nullptr) {
    TestRepository made("authenticated-blake3");
    made.disk = disk_;  // the same keys each time
    auto repository = made.open();
    CAIRN_CHECK(repository, "opening");
    exec::Pool pool(threads);
    CAIRN_CHECK((*repository)->load_index(repo::BadFragments::Error, pool), "an empty index");
    auto writer = ArchiveWriter::make(**repository, pool, *compress::parse_spec("none"));
    const auto cutter = chunk::make_cutter(*chunk::parse_params(params), chunker_keys(**repository));
    CAIRN_CHECK(writer && cutter, "making a writer and a cutter");
    exec::Budget budget(pool, 64 * kMiB);
    exec::Stop stop(interrupted);
    const ContentContext context{pool, budget, stop, (*writer)->chunks(), **cutter, helpers};
    auto content = std::make_shared<Content>();
    exec::StageClock clock;
    std::vector<hash::Digest> digests;
    Chunks found;
    bool done = false;
    pool.submit(pool.main_worker(), exec::Lane::Begin, [&](exec::Worker& worker) {
      if (threads > 2) pool.expect_helpers(threads - 1);
      const Status status = read_content(worker, context, source, content, clock, digests);
      if (!status) return;
      content->finish(
          [&](exec::Worker&) {
            found = {std::move(content->chunks()), content->size()};
            done = true;
          },
          worker);
    });
    pool.drain();
    if (interrupted != nullptr && *interrupted) {
      EXPECT_FALSE(done);
      EXPECT_EQ(stop.result().error().code(), Code::Interrupted);
      return {};
    }
    CAIRN_CHECK(done && stop.result(), "everything was stored");
    EXPECT_LE(budget.peak(), 64 * kMiB);
    return found;
  }
  static void expect_same(const Chunks& a, const Chunks& b, const std::string& what) {
    ASSERT_EQ(a.size, b.size) << what;
    ASSERT_EQ(a.list.size(), b.list.size()) << what;
    for (std::size_t i = 0; i < a.list.size(); ++i) {
      ASSERT_EQ(a.list[i].id, b.list[i].id) << what << " " << i;
      ASSERT_EQ(a.list[i].size, b.list[i].size) << what << " " << i;
    }
  }

  std::shared_ptr<store::MemoryDisk> disk_ = TestRepository("authenticated-blake3").disk;
};

constexpr const char* kChunkers[] = {"fastcdc,19,23,21,2",    "fastcdc,12,18,15,2",    "buzhash64,19,23,21,4095,2",
                                     "buzhash,19,23,21,4095", "buzhash,14,18,16,4095", "toeplitz-aes,13,18,16,2",
                                     "fixed,1000000,77"};

TEST_F(ContentTest, AnyNumberOfThreadsAndHelpersFindsTheSameChunks) {
  const Buffer data = mixed(11 * kMiB + 12345);
  for (const std::string params : kChunkers) {
    const Chunks alone = chunks_of(data, params, 1);
    EXPECT_EQ(alone.size, data.size());
    const bool splits = !params.starts_with("fixed");
    for (const unsigned threads : {1U, 2U, 3U, 8U}) {
      exec::set_delay_seed(threads);
      expect_same(chunks_of(data, params, threads), alone, params);
      const CountedHelpers helpers(3);
      expect_same(chunks_of(data, params, threads, &helpers), alone, params + " together");
      EXPECT_EQ(helpers.runs() > 0, splits) << params;
    }
  }
}

// Ctrl-C comes with the second of many reads, and is answered before the fourth.
TEST_F(ContentTest, CtrlCEndsALargeFile) {
  class Interrupting final : public Source {
   public:
    explicit Interrupting(Source& source) : source_(source) {}
    Result<std::size_t> read(MutableBytes out) override {
      if (++reads == 2) interrupted = true;
      return source_.read(out);
    }
    Result<std::uint64_t> zeros_ahead() override { return source_.zeros_ahead(); }
    void skip_zeros(std::uint64_t count) override { source_.skip_zeros(count); }
    std::atomic<bool> interrupted = false;
    std::atomic<int> reads = 0;

   private:
    Source& source_;
  };
  const Buffer data = mixed(20 * kMiB);
  for (const unsigned threads : {1U, 3U}) {
    MemorySource memory(data, kMiB / 4);
    Interrupting source(memory);
    (void)chunks_of(source, "fastcdc,12,18,15,2", threads, nullptr, &source.interrupted);
    EXPECT_LT(source.reads, 4) << threads;
  }
}

// 64 GiB would take minutes to read.
TEST_F(ContentTest, HolesAreNotRead) {
  const Fd fd(::memfd_create("sparse", MFD_CLOEXEC));
  const Buffer data = mixed(kMiB);
  for (const std::uint64_t size : {60 * kMiB, 65536 * kMiB}) {
    ASSERT_EQ(::ftruncate(fd.get(), static_cast<off_t>(size)), 0);
    for (const std::uint64_t at : {10 * kMiB + 4096, 11 * kMiB + 8192, size - 20 * kMiB}) {
      ASSERT_EQ(::pwrite(fd.get(), data.data(), data.size(), static_cast<off_t>(at)), static_cast<ssize_t>(kMiB));
    }
    for (const std::string params : {"fastcdc,19,23,21,2", "fixed,8388608,4096"}) {
      FileSource file(fd.get(), "sparse", size, true);
      CountingSource source(file);
      const Chunks sparse = chunks_of(source, params, 2);
      EXPECT_EQ(sparse.size, size);
      EXPECT_LE(source.bytes_read(), 5 * kMiB);
      if (size > 1024 * kMiB) continue;
      FileSource all(fd.get(), "sparse", size, false);
      expect_same(chunks_of(all, params, 2), sparse, params);
    }
  }
}

TEST_F(ContentTest, EdgeSizes) {
  const Buffer data = mixed(18 * kMiB);
  const CountedHelpers helpers(2);
  const std::string params = "fastcdc,14,20,17,2";
  for (const std::size_t middle : {std::size_t{1}, 4 * kMiB, 8 * kMiB, 16 * kMiB + kMiB / 2}) {
    for (const std::size_t size : {middle - 1, middle, middle + 1}) {
      const Chunks alone = chunks_of(data.view(0, size), params, 1);
      exec::set_delay_seed(5);
      expect_same(chunks_of(data.view(0, size), params, 3, &helpers), alone, std::to_string(size));
      exec::set_delay_seed(0);
    }
  }
  EXPECT_GT(helpers.runs(), 0);
}

// A pipe gives little at a time: such windows are not cut together, or bytes would be scanned again and again.
TEST_F(ContentTest, ShortReadsAreCutAlone) {
  const Buffer data = mixed(9 * kMiB);
  const CountedHelpers helpers(3);
  const Chunks alone = chunks_of(data, kChunkers[0], 1);
  expect_same(chunks_of(data, kChunkers[0], 2, &helpers, 65536), alone, "short reads");
  EXPECT_EQ(helpers.runs(), 0);
}

// The rule decides: one idle worker is not enough.
TEST_F(ContentTest, OneHelperIsNotUsed) {
  const Buffer data = mixed(9 * kMiB);
  const CountedHelpers helpers(1);
  const Chunks alone = chunks_of(data, kChunkers[0], 1);
  expect_same(chunks_of(data, kChunkers[0], 2, &helpers), alone, "one helper");
  EXPECT_EQ(helpers.runs(), 0);
}

// With 24 threads and a cap, on a made-up machine: nothing but speed depends on who waits for memory.
TEST_F(ContentTest, ALimitOnMemoryChangesNothing) {
  const Buffer data = mixed(12 * kMiB);
  const Chunks alone = chunks_of(data, kChunkers[1], 1);
  const exec::MemoryPolicy before = exec::memory_gate().policy();
  exec::memory_gate().set_policy({.threads = 24, .cap = 1, .small = 0});
  for (const unsigned threads : {2U, 8U}) {
    exec::set_delay_seed(threads);
    const CountedHelpers helpers(3);
    expect_same(chunks_of(data, kChunkers[1], threads), alone, "limited");
    expect_same(chunks_of(data, kChunkers[1], threads, &helpers), alone, "limited, together");
  }
  EXPECT_EQ(exec::memory_gate().room(), 1U);
  exec::memory_gate().set_policy(before);
}

}  // namespace
}  // namespace cairn::ops

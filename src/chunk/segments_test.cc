// Cutting a buffer side by side gives the serial cuts: all chunkers, all kinds of content, small parts, edge sizes.
#include "chunk/segments.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "chunk/test_data.h"

namespace cairn::chunk {
namespace {

using test_data::Data;

class ThreadedSpare final : public exec::Spare {
 public:
  unsigned helpers() const override { return 3; }
  void run(std::size_t parts, const std::function<void(std::size_t)>& part) const override {
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t i = next++; i < parts; i = next++) part(i);
    };
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < helpers(); ++i) threads.emplace_back(work);
    work();
  }
};

std::vector<std::size_t> serially(const Cutter& cutter, Bytes window, bool final, bool first) {
  return cut_buffer(cutter, window, final, first, exec::no_spare());
}

// Random bytes with runs of several lengths and values, and a repeated stretch.
Data mixed(std::size_t size) {
  Data data = test_data::random_bytes(11, size);
  test_data::SplitMix random(12);
  for (std::size_t at = 5000; at + 40000 < size; at += 1 + random.below(60000)) {
    const std::size_t length = std::size_t{1} << random.below(16);
    std::fill_n(data.begin() + static_cast<std::ptrdiff_t>(at), length, std::byte(random.below(3)));
  }
  std::copy_n(data.begin() + 100, size / 4, data.begin() + static_cast<std::ptrdiff_t>(size / 2));
  return data;
}

class Segments : public testing::TestWithParam<const char*> {};

TEST_P(Segments, EqualTheSerialCuts) {
  const ThreadedSpare spare;
  const Data data = mixed(700000);
  for (const char* key : {"none", "k1", "k2"}) {
    const std::unique_ptr<Cutter> cutter = test_data::cutter(GetParam(), test_data::keys(key));
    EXPECT_EQ(serially(*cutter, data, true, true), test_data::cut_all(*cutter, data));
    for (const std::size_t segment : {5000U, 65536U, 200000U}) {
      for (const bool final : {true, false}) {
        EXPECT_EQ(cut_buffer(*cutter, data, final, true, spare, segment), serially(*cutter, data, final, true))
            << key << " " << segment << " " << final;
      }
    }
  }
}

TEST_P(Segments, EqualTheSerialCutsInOneValue) {
  const ThreadedSpare spare;
  for (unsigned value = 0; value < 40; ++value) {
    const Data data(200000, std::byte(value));
    const std::unique_ptr<Cutter> cutter = test_data::cutter(GetParam(), test_data::keys("k2"));
    EXPECT_EQ(cut_buffer(*cutter, data, true, true, spare, 10000), serially(*cutter, data, true, true)) << value;
  }
}

TEST_P(Segments, EqualTheSerialCutsAtEveryEnd) {
  const ThreadedSpare spare;
  const Data data = mixed(20000);
  const std::unique_ptr<Cutter> cutter = test_data::cutter(GetParam(), test_data::keys("k1"));
  for (std::size_t size = 0; size < 12000; size += size < 300 ? 1 : 61) {
    for (const bool final : {true, false}) {
      const Bytes window = Bytes(data).first(size);
      EXPECT_EQ(cut_buffer(*cutter, window, final, true, spare, 100), serially(*cutter, window, final, true)) << size;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Segments,
                         testing::Values("fixed,4096,100", "fastcdc,6,12,6,0", "fastcdc,6,12,8,2", "fastcdc,8,14,11,2",
                                         "fastcdc,12,16,16,0", "fastcdc,6,7,7,0", "buzhash64,6,12,6,64,0",
                                         "buzhash64,6,12,8,0,1", "buzhash64,8,14,11,511,2", "buzhash64,6,7,6,63,0",
                                         "buzhash,6,12,6,33", "buzhash,8,14,11,511", "buzhash,10,16,13,4095",
                                         "toeplitz-aes,6,12,6,0", "toeplitz-aes,8,14,11,2", "rabin-aes,6,12,8,2",
                                         "rabin-aes,8,14,11,2", "goldilocks-aes,6,12,6,0",
                                         "goldilocks-aes,12,16,13,3"));

TEST(Segments, DefaultsOverABigBuffer) {
  const ThreadedSpare spare;
  const Data& data = test_data::input("big26m");
  for (const char* params : {"fastcdc,19,23,21,2", "buzhash64,19,23,21,4095,2", "buzhash,19,23,21,4095",
                             "toeplitz-aes,19,23,21,2", "rabin-aes,19,23,21,2", "goldilocks-aes,19,23,21,2"}) {
    const std::unique_ptr<Cutter> cutter = test_data::cutter(params, test_data::keys("k1"));
    EXPECT_EQ(cut_buffer(*cutter, data, true, true, spare), test_data::cut_all(*cutter, data)) << params;
  }
}

}  // namespace
}  // namespace cairn::chunk

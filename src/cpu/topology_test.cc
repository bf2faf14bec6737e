// Trees like sysfs, made for the test: machines with 1 to 64 processors and 1 to 4 nodes, and damaged ones.
#include "cpu/topology.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include <fmt/format.h>

namespace cairn::cpu {
namespace {

namespace stdfs = std::filesystem;

class FakeTree : public testing::Test {
 protected:
  void SetUp() override {
    root_ = (stdfs::temp_directory_path() / fmt::format("cairn-topology-{}", ::getpid())).string();
    stdfs::remove_all(root_);
    stdfs::create_directories(root_);
  }
  void TearDown() override { stdfs::remove_all(root_); }

  void write(const std::string& name, const std::string& text) {
    const stdfs::path path = root_ + "/" + name;
    stdfs::create_directories(path.parent_path());
    std::ofstream(path) << text << '\n';
  }
  void node(unsigned number, const std::string& processors) {
    write(fmt::format("node/node{}/cpulist", number), processors);
  }
  void cache(unsigned processor, int index, int level, const std::string& type, const std::string& size) {
    const std::string folder = fmt::format("cpu/cpu{}/cache/index{}/", processor, index);
    write(folder + "level", std::to_string(level));
    write(folder + "type", type);
    write(folder + "size", size);
  }
  static std::vector<unsigned> first(unsigned count) {
    std::vector<unsigned> list(count);
    std::iota(list.begin(), list.end(), 0U);
    return list;
  }

  std::string root_;
};

TEST_F(FakeTree, EveryProcessorHasItsNode) {
  for (const unsigned processors : {1U, 2U, 3U, 4U, 8U, 12U, 24U, 64U}) {
    for (unsigned nodes = 1; nodes <= std::min(4U, processors); ++nodes) {
      SetUp();
      write("node/online", nodes == 1 ? "0" : fmt::format("0-{}", nodes - 1));
      const unsigned each = processors / nodes;
      for (unsigned n = 0; n < nodes; ++n) {
        node(n, fmt::format("{}-{}", n * each, n + 1 == nodes ? processors - 1 : (n + 1) * each - 1));
      }
      const Topology found = read_topology(root_, first(processors));
      EXPECT_EQ(found.processors, processors);
      ASSERT_EQ(found.nodes, nodes);
      EXPECT_EQ(found.node_of.empty(), nodes == 1);
      for (std::size_t p = 0; p < found.node_of.size(); ++p) {
        EXPECT_EQ(found.node_of[p], std::min<std::size_t>(p / each, nodes - 1)) << processors << " " << nodes;
      }
      EXPECT_LT(found.node_here(), nodes);
    }
  }
}

TEST_F(FakeTree, NodesThatTheProcessMayNotUseDoNotCount) {
  write("node/online", "0-2,7");
  node(0, "0-1,8-9");
  node(1, "2-3");
  node(2, "");  // memory alone
  node(7, "4-7");
  const Topology found = read_topology(root_, {1, 4, 5, 8});
  EXPECT_EQ(found.processors, 4U);
  ASSERT_EQ(found.nodes, 2U);
  EXPECT_EQ(found.node_of, (std::vector<std::uint16_t>{0, 0, 0, 0, 1, 1, 0, 0, 0}));
}

TEST_F(FakeTree, TheCacheIsTheHighestLevelAndTheSmallestOfTheNodes) {
  write("node/online", "0-1");
  node(0, "0-1");
  node(1, "2-3");
  for (const unsigned p : {0U, 2U}) {
    cache(p, 0, 1, "Data", "32K");
    cache(p, 1, 1, "Instruction", "64K");
    cache(p, 2, 2, "Unified", "1024K");
    cache(p, 3, 3, "Unified", p == 0 ? "32768K" : "16M");
  }
  EXPECT_EQ(read_topology(root_, {0, 1}).cache, std::size_t{32} << 20U);
  EXPECT_EQ(read_topology(root_, {0, 1, 2, 3}).cache, std::size_t{16} << 20U);
}

TEST_F(FakeTree, WhatIsMissingOrMakesNoSenseIsOneNodeWithoutACache) {
  const auto plain = [&](const char* what) {
    const Topology found = read_topology(root_, first(8));
    EXPECT_EQ(found.processors, 8U) << what;
    EXPECT_EQ(found.nodes, 1U) << what;
    EXPECT_FALSE(found.cache) << what;
  };
  plain("nothing there");
  write("node/online", "0-1");
  plain("nodes without lists");
  node(0, "none");
  node(1, "7-4");
  plain("nonsense in lists");
  write("node/online", "many");
  plain("nonsense in the list of nodes");
  cache(0, 0, 3, "Unified", "big");
  plain("a cache without a size");
  write("cpu/cpu0/cache/index0/level", "third");
  plain("a cache without a level");
  EXPECT_EQ(read_topology(root_, {}).processors, 1U);
}

TEST(Topology, ProcessorLists) {
  using List = std::vector<unsigned>;
  EXPECT_EQ(parse_processor_list(""), List());
  EXPECT_EQ(parse_processor_list("0\n"), List({0}));
  EXPECT_EQ(parse_processor_list("0-3,8,10-11\n"), List({0, 1, 2, 3, 8, 10, 11}));
  EXPECT_EQ(parse_processor_list("8191")->front(), 8191U);
  for (const char* bad : {"x", "-", "1-", "-1", "3-1", "1,", ",1", "1,,2", "2,1", "0-3,3", "1 2", "8192", "0-8192",
                          "0-99999999999999999999", "1;2", "0x1"}) {
    EXPECT_FALSE(parse_processor_list(bad)) << bad;
  }
}

TEST(Topology, CacheSizes) {
  EXPECT_EQ(parse_cache_size("32768K\n"), std::size_t{32} << 20U);
  EXPECT_EQ(parse_cache_size("16M"), std::size_t{16} << 20U);
  EXPECT_EQ(parse_cache_size("1G"), std::size_t{1} << 30U);
  EXPECT_EQ(parse_cache_size("4096"), 4096U);
  for (const char* bad :
       {"", "K", "0", "0K", "-1K", "12KB", "12k", "1 K", "99999999999999999999", "18446744073709551615K"}) {
    EXPECT_FALSE(parse_cache_size(bad)) << bad;
  }
}

TEST(Topology, OfTheCacheOnly8To64MiBAreBelieved) {
  constexpr std::size_t kMiB = std::size_t{1} << 20U;
  EXPECT_EQ(usable_cache(std::nullopt), 8 * kMiB);
  EXPECT_EQ(usable_cache(kMiB), 8 * kMiB);
  EXPECT_EQ(usable_cache(32 * kMiB), 32 * kMiB);
  EXPECT_EQ(usable_cache(508 * kMiB), 64 * kMiB);  // seen in a virtual machine with two processors
}

TEST(Topology, ThisMachineHasAProcessorAndANode) {
  const Topology here = read_topology();
  EXPECT_GE(here.processors, 1U);
  EXPECT_GE(here.nodes, 1U);
  EXPECT_LT(here.node_here(), here.nodes);
  EXPECT_EQ(here.processors, std::max<std::size_t>(1, allowed_processors().size()));
}

}  // namespace
}  // namespace cairn::cpu

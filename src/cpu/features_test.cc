#include "cpu/features.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>

namespace cairn::cpu {
namespace {

// Sets CAIRN_KERNELS for one test and gives back what was there.
class Demand {
 public:
  explicit Demand(const char* value) {
    if (const char* old = std::getenv("CAIRN_KERNELS")) old_ = old;
    ::setenv("CAIRN_KERNELS", value, 1);
  }
  Demand(const Demand&) = delete;
  Demand& operator=(const Demand&) = delete;
  ~Demand() {
    if (old_.empty()) {
      ::unsetenv("CAIRN_KERNELS");
    } else {
      ::setenv("CAIRN_KERNELS", old_.c_str(), 1);
    }
  }

 private:
  std::string old_;
};

struct Kernel {
  const char* name;
  std::uint32_t needs;
};

constexpr std::uint32_t kImpossible = 1U << 31U;
constexpr std::array<Kernel, 3> kTable = {{{"future", kImpossible}, {"fast", 0}, {"scalar", 0}}};

TEST(KernelDemand, UnsetIsEmpty) {
  const Demand demand("");
  EXPECT_EQ(kernel_demand("scan"), "");
}

TEST(KernelDemand, NamesOneFamily) {
  const Demand demand("hash=avx2,scan=scalar");
  EXPECT_EQ(kernel_demand("scan"), "scalar");
  EXPECT_EQ(kernel_demand("hash"), "avx2");
  EXPECT_EQ(kernel_demand("other"), "");
  EXPECT_EQ(kernel_demand("sca"), "");
}

TEST(KernelDemand, NameAloneIsForAllOthers) {
  const Demand demand("hash=avx2,scalar");
  EXPECT_EQ(kernel_demand("scan"), "scalar");
  EXPECT_EQ(kernel_demand("hash"), "avx2");
}

TEST(Select, SkipsWhatCannotRun) {
  const Demand demand("");
  const Result<const Kernel*> chosen = select(std::span<const Kernel>(kTable), "scan");
  ASSERT_TRUE(chosen);
  EXPECT_STREQ((*chosen)->name, "fast");
}

TEST(Select, FollowsTheDemand) {
  const Demand demand("scan=scalar");
  const Result<const Kernel*> chosen = select(std::span<const Kernel>(kTable), "scan");
  ASSERT_TRUE(chosen);
  EXPECT_STREQ((*chosen)->name, "scalar");
}

TEST(Select, UnsupportedDemandIsAnError) {
  const Demand demand("scan=future");
  const Result<const Kernel*> chosen = select(std::span<const Kernel>(kTable), "scan");
  ASSERT_FALSE(chosen);
  EXPECT_EQ(chosen.error().code(), Code::Usage);
}

TEST(Select, UnknownDemandIsAnError) {
  const Demand demand("scan=quick");
  const Result<const Kernel*> chosen = select(std::span<const Kernel>(kTable), "scan");
  ASSERT_FALSE(chosen);
  EXPECT_EQ(chosen.error().code(), Code::Usage);
}

#if defined(__x86_64__) && defined(__linux__)
// The kernel's own list shows a feature only if the kernel also saves its registers.
TEST(Features, AgreeWithTheKernel) {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string flags;
  for (std::string line; flags.empty() && std::getline(cpuinfo, line);) {
    if (line.starts_with("flags")) flags = line.substr(line.find(':') + 1) + " ";
  }
  if (flags.empty()) GTEST_SKIP() << "no /proc/cpuinfo";
  const auto listed = [&](std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (flags.find(" " + std::string(name) + " ") == std::string::npos) return false;
    }
    return true;
  };
  const auto can = [](Feature feature) { return has(static_cast<std::uint32_t>(feature)); };
  EXPECT_EQ(can(Feature::Sse41), listed({"ssse3", "sse4_1"}));
  EXPECT_EQ(can(Feature::Avx2), listed({"avx2", "bmi1", "bmi2"}));
  const bool avx512 = listed({"avx512f", "avx512vl", "avx512bw", "avx512dq", "bmi1", "bmi2"});
  EXPECT_EQ(can(Feature::Avx512), avx512);
  EXPECT_EQ(can(Feature::AesNi), listed({"aes", "ssse3", "sse4_1"}));
  EXPECT_EQ(can(Feature::Vaes), avx512 && listed({"vaes"}));
  EXPECT_EQ(can(Feature::Gfni), listed({"gfni", "ssse3", "sse4_1"}));
  EXPECT_EQ(can(Feature::Vbmi), avx512 && listed({"avx512vbmi"}));
  EXPECT_EQ(can(Feature::Ifma), avx512 && listed({"avx512ifma"}));
}

TEST(ModelName, IsPrintableAndTrimmed) {
  const std::string name = model_name();
  for (const char c : name) EXPECT_TRUE(c >= ' ' && c <= '~') << int{c};
  if (!name.empty()) {
    EXPECT_NE(name.front(), ' ');
    EXPECT_NE(name.back(), ' ');
  }
}
#endif

}  // namespace
}  // namespace cairn::cpu

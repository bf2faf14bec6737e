#include "chunk/kernel_list.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "chunk/cutter.h"
#include "chunk/kernel_race.h"
#include "chunk/test_data.h"

namespace cairn::chunk {
namespace {

using test_data::Setting;

struct Kind {
  Algorithm algorithm;
  const char* params;
  const char* variable;  // Borg's
  const char* family;    // in CAIRN_KERNELS
};

constexpr Kind kKinds[] = {
    {Algorithm::FastCdc, "fastcdc,19,23,21,2", "BORG_FASTCDC_KERNEL", "gear_scan"},
    {Algorithm::Buzhash64, "buzhash64,19,23,21,4095,2", "BORG_BUZHASH64_KERNEL", "buz64_scan"},
    {Algorithm::Buzhash, "buzhash,19,23,21,4095", nullptr, "buz32_scan"},
};

Result<std::unique_ptr<Cutter>> make(const char* params, std::string_view kernel = {}) {
  return make_cutter(*parse_params(params), {}, kernel);
}

void expect_met_or_refused(const Result<std::unique_ptr<Cutter>>& made, const KernelChoice& choice) {
  ASSERT_EQ(made.has_value(), choice.runs) << choice.name;
  if (choice.runs) {
    EXPECT_EQ((*made)->kernel(), choice.name);
  } else {
    EXPECT_EQ(made.error().code(), Code::Usage);
    EXPECT_NE(made.error().message().find("this CPU does not support it. Valid values: "), std::string::npos);
  }
}

TEST(Kernels, EveryNameIsMetOrRefused) {
  for (const Kind& kind : kKinds) {
    for (const KernelChoice& choice : kernels_of(kind.algorithm)) {
      const std::string name(choice.name);
      expect_met_or_refused(make(kind.params, name), choice);
      {
        const Setting setting("CAIRN_KERNELS", (std::string(kind.family) + "=" + name).c_str());
        expect_met_or_refused(make(kind.params), choice);
      }
      if (kind.variable == nullptr) continue;
      const Setting setting(kind.variable, name.c_str());
      expect_met_or_refused(make(kind.params), choice);
    }
  }
}

TEST(Kernels, ListsNameBorgsFirst) {
#if defined(__x86_64__)
  const std::vector<std::string_view> borg = {"avx512", "avx2", "blockwise", "scalar"};
#elif defined(__aarch64__)
  const std::vector<std::string_view> borg = {"neon", "blockwise", "scalar"};
#else
  const std::vector<std::string_view> borg = {"blockwise", "scalar"};
#endif
  for (const Algorithm algorithm : {Algorithm::FastCdc, Algorithm::Buzhash64}) {
    std::vector<std::string_view> names;
    for (const KernelChoice& choice : kernels_of(algorithm)) names.push_back(choice.name);
    ASSERT_GE(names.size(), borg.size());
    EXPECT_TRUE(std::equal(borg.begin(), borg.end(), names.begin())) << name_of(algorithm);
  }
  EXPECT_TRUE(kernels_of(Algorithm::Fixed).empty());
  EXPECT_TRUE(kernels_of(Algorithm::Fail).empty());
}

TEST(Kernels, ArgumentBeatsBorgsVariableBeatsOurs) {
  const Setting general("CAIRN_KERNELS", "gear_scan=blockwise");
  EXPECT_EQ((*make("fastcdc,19,23,21,2"))->kernel(), "blockwise");
  const Setting setting("BORG_FASTCDC_KERNEL", "scalar");
  EXPECT_EQ((*make("fastcdc,19,23,21,2"))->kernel(), "scalar");
  EXPECT_EQ((*make("fastcdc,19,23,21,2", "lanes"))->kernel(), "lanes");
}

TEST(Kernels, APreferenceIsTheDefaultUnlessAVariableDemandsAnother) {
  for (const Kind& kind : kKinds) {
    const std::string before(default_kernel(kind.algorithm));
    EXPECT_FALSE(is_kernel_settled(kind.algorithm));
    EXPECT_EQ((*make(kind.params))->kernel(), before);
    ASSERT_TRUE(prefer_kernel(kind.algorithm, "scalar").has_value());
    EXPECT_TRUE(is_kernel_settled(kind.algorithm));
    EXPECT_EQ(default_kernel(kind.algorithm), "scalar");
    EXPECT_EQ((*make(kind.params))->kernel(), "scalar");
    {
      const Setting setting("CAIRN_KERNELS", "lanes");
      EXPECT_EQ((*make(kind.params))->kernel(), "lanes");
    }
    ASSERT_TRUE(prefer_kernel(kind.algorithm, "").has_value());
    EXPECT_EQ(default_kernel(kind.algorithm), before);
  }
}

TEST(Kernels, APreferenceThatCannotBeMetChangesNothing) {
  const std::string_view before = default_kernel(Algorithm::FastCdc);
  const Status refused = prefer_kernel(Algorithm::FastCdc, "quantum");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), Code::Usage);
  EXPECT_EQ(default_kernel(Algorithm::FastCdc), before);
  EXPECT_FALSE(prefer_kernel(Algorithm::Fixed, "scalar").has_value());
}

TEST(Kernels, AVariableSettlesTheChoice) {
  const Setting setting("BORG_BUZHASH64_KERNEL", "scalar");
  EXPECT_TRUE(is_kernel_settled(Algorithm::Buzhash64));
}

TEST(Kernels, ValuesAreStrippedAndLowered) {
  const Setting setting("BORG_FASTCDC_KERNEL", "  ScaLAR\t");
  EXPECT_EQ((*make_cutter({}, {}))->kernel(), "scalar");
}

TEST(Kernels, ValuesAreOneWord) {
  const Setting setting("BORG_FASTCDC_KERNEL", "sca lar");
  EXPECT_FALSE(make_cutter({}, {}).has_value());
}

TEST(Kernels, AnEmptyValueMeansTheDefault) {
  const Setting setting("BORG_FASTCDC_KERNEL", " ");
  EXPECT_EQ((*make_cutter({}, {}))->kernel(), default_kernel(Algorithm::FastCdc));
}

TEST(Kernels, AnUnknownNameIsAnErrorThatListsAllNames) {
  const Setting setting("BORG_FASTCDC_KERNEL", "quantum");
  const Result<std::unique_ptr<Cutter>> made = make_cutter({}, {});
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().code(), Code::Usage);
  std::string expected = "BORG_FASTCDC_KERNEL='quantum': not a kernel of this build. Valid values: ";
  std::string separator;
  for (const KernelChoice& choice : kernels_of(Algorithm::FastCdc)) {
    expected += separator;
    expected += choice.name;
    separator = ", ";
  }
  EXPECT_EQ(made.error().message(), expected);
}

TEST(Kernels, TheFastestIsOneThatRuns) {
  for (const Kind& kind : kKinds) {
    const std::string_view fastest = fastest_kernel(kind.algorithm);
    const std::vector<KernelChoice> choices = kernels_of(kind.algorithm);
    EXPECT_TRUE(std::ranges::any_of(choices, [&](const KernelChoice& choice) {
      return choice.runs && choice.name == fastest;
    })) << fastest;
  }
  EXPECT_EQ(fastest_kernel(Algorithm::Fixed), "");
}

TEST(Kernels, FixedChunksNeedNone) {
  EXPECT_EQ((*make("fixed,64"))->kernel(), "n/a (single implementation)");
  EXPECT_EQ((*make("fixed,64", "anything"))->kernel(), "n/a (single implementation)");
  EXPECT_EQ(default_kernel(Algorithm::Fixed), "");
}

}  // namespace
}  // namespace cairn::chunk

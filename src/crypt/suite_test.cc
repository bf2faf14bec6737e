#include "crypt/suite.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "crypt/vectors_test.h"

namespace cairn::crypt {
namespace {

TEST(Suite, EveryModeHasTheFactsOfTheFormat) {
  for (const auto& mode : testing::vectors().at("modes")) {
    const std::string encryption = mode.at("encryption");
    const std::string id_hash = mode.at("id_hash");
    SCOPED_TRACE(encryption + " " + id_hash);
    const auto suite = find_suite(encryption, id_hash);
    ASSERT_TRUE(suite.has_value());
    EXPECT_EQ(suite->type_byte, std::stoi(mode.at("type").get<std::string>(), nullptr, 16));
    EXPECT_EQ(suite->overhead(), mode.at("payload_overhead").get<std::size_t>());
    EXPECT_EQ(suite->encrypts(), mode.at("encrypts").get<bool>());
    EXPECT_EQ(suite->encryption(), encryption);
    EXPECT_EQ(suite->id_hash_name(), id_hash);
  }
}

TEST(Suite, UnknownPairsAreNotFound) {
  EXPECT_FALSE(find_suite("none", "sha256"));
  EXPECT_FALSE(find_suite("none-sha256", "sha256"));
  EXPECT_FALSE(find_suite("authenticated-sha256", "blake3"));
  EXPECT_FALSE(find_suite("authenticated-blake3", "sha256"));
  EXPECT_FALSE(find_suite("aes256-ocb", "blake2b"));
  EXPECT_FALSE(find_suite("", ""));
}

}  // namespace
}  // namespace cairn::crypt

#include "base/host.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace cairn {
namespace {

TEST(Host, NamesCanBeGiven) {
  ::setenv("BORG_HOSTNAME", "lab", 1);
  ::setenv("BORG_USERNAME", "tester", 1);
  ::setenv("BORG_HOST_ID", "lab@7", 1);
  EXPECT_EQ(hostname(), "lab");
  EXPECT_EQ(username(), "tester");
  EXPECT_EQ(host_id(), "lab@7");
  ::unsetenv("BORG_HOSTNAME");
  ::unsetenv("BORG_USERNAME");
  ::unsetenv("BORG_HOST_ID");
}

TEST(Host, WithoutThatTheyAreTheSystemsOwn) {
  EXPECT_FALSE(hostname().empty());
  EXPECT_EQ(hostname().find('.'), std::string::npos);
  EXPECT_FALSE(username().empty());
  const std::string id = host_id();
  EXPECT_EQ(id, host_id());
  EXPECT_EQ(id.substr(0, id.find('@')), fqdn());
  EXPECT_GT(std::strtoull(id.c_str() + id.find('@') + 1, nullptr, 10), 0U);
}

TEST(NodeNumber, FirstUniversalAddressByIndexElseTheFirst) {
  const NetworkInterface loopback{.index = 1, .ethernet = false, .address = "00:00:00:00:00:00"};
  const NetworkInterface local{.index = 2, .ethernet = true, .address = "02:fc:00:00:00:01"};
  const NetworkInterface other_local{.index = 3, .ethernet = true, .address = "1e:22:29:e7:1e:a7"};
  const NetworkInterface card{.index = 4, .ethernet = true, .address = "00:1b:21:0a:0b:0c"};
  EXPECT_EQ(node_number({other_local, card, local, loopback}), 0x001b210a0b0cU);
  EXPECT_EQ(node_number({other_local, local, loopback}), 0x02fc00000001U);
  EXPECT_EQ(node_number({loopback}), 0U);
  EXPECT_EQ(node_number({}), 0U);
  EXPECT_EQ(node_number({{.index = 1, .ethernet = true, .address = "a0:00:02:20:fe:80:00:00"}}), 0U);
}

}  // namespace
}  // namespace cairn

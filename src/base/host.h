// Who and where we are: names for archives and placeholders, and the host's identity for locks.
//
// Threads   all safe; each answer is found once and remembered.
// Source    docs/format (archive, section 8; repository, section 8.1).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace cairn {

std::string hostname();  // BORG_HOSTNAME, else the short host name
std::string fqdn();      // the resolver's canonical name of the host; may ask the network
std::string username();  // BORG_USERNAME, else the login name of our user id, else the number

// BORG_HOST_ID, else <fqdn>@<node number>: equal to Borg's on the same machine where a network card has an address.
std::string host_id();

// One network interface as the system describes it.
struct NetworkInterface {
  int index = 0;
  bool ethernet = false;
  std::string address{};  // "02:fc:00:00:00:01"
};
// The 48-bit node number: the first universally administered address by index, else the first one; 0 if there is none.
std::uint64_t node_number(std::vector<NetworkInterface> interfaces);

}  // namespace cairn

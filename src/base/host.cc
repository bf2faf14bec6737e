#include "base/host.h"

#include <netdb.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>

#include <fmt/format.h>

#include "base/env.h"

namespace cairn {
namespace {

constexpr int kEthernet = 1;  // ARPHRD_ETHER, shown as "link/ether"

std::string system_hostname() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0) return "localhost";
  return name;
}

std::string canonical_name(const std::string& host) {
  addrinfo hints{};
  hints.ai_flags = AI_CANONNAME;
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return host;
  std::string name = found != nullptr && found->ai_canonname != nullptr ? found->ai_canonname : host;
  ::freeaddrinfo(found);
  return name;
}

std::string first_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

int to_int(const std::string& text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// What "ip link" lists, without running it. Empty where there is no such folder.
std::vector<NetworkInterface> interfaces() {
  std::vector<NetworkInterface> all;
  std::error_code error;
  for (std::filesystem::directory_iterator at("/sys/class/net", error), end; !error && at != end; at.increment(error)) {
    all.push_back({.index = to_int(first_line(at->path() / "ifindex")),
                   .ethernet = to_int(first_line(at->path() / "type")) == kEthernet,
                   .address = first_line(at->path() / "address")});
  }
  return all;
}

std::optional<std::uint64_t> parse_mac(std::string_view text) {
  if (text.size() != 17) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < text.size(); i += 3) {
    std::byte byte{};
    if (!from_hex(text.substr(i, 2), {&byte, 1})) return std::nullopt;
    if (i + 2 < text.size() && text[i + 2] != ':') return std::nullopt;
    value = value << 8 | std::to_integer<std::uint64_t>(byte);
  }
  return value;
}

// A number that can belong to no card: bit 0x01 of the first byte (multicast) is set.
std::uint64_t random_node() {
  std::random_device device;
  const std::uint64_t number = std::uint64_t{device()} << 32 | device();
  return (number & 0xffff'ffff'ffffULL) | 1ULL << 40;
}

}  // namespace

std::uint64_t node_number(std::vector<NetworkInterface> all) {
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.index < b.index; });
  std::uint64_t first = 0;
  for (const NetworkInterface& one : all) {
    const auto mac = parse_mac(one.address);
    if (!one.ethernet || !mac || *mac == 0) continue;
    if ((*mac & 1ULL << 41) == 0) return *mac;  // bit 0x02 of the first byte clear: universally administered
    if (first == 0) first = *mac;
  }
  return first;
}

std::string hostname() {
  if (auto name = env_nonempty("BORG_HOSTNAME")) return *name;
  const std::string name = system_hostname();
  return name.substr(0, name.find('.'));
}

std::string fqdn() {
  static const std::string name = canonical_name(system_hostname());
  return name;
}

std::string username() {
  if (auto name = env_nonempty("BORG_USERNAME")) return *name;
  const uid_t uid = ::getuid();
  std::string storage(16384, '\0');
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(uid, &entry, storage.data(), storage.size(), &found) == 0 && found != nullptr) return found->pw_name;
  return fmt::format("{}", uid);
}

std::string host_id() {
  if (auto id = env_nonempty("BORG_HOST_ID")) return *id;
  static const std::uint64_t node = [] {
    const std::uint64_t number = node_number(interfaces());
    return number != 0 ? number : random_node();
  }();
  return fmt::format("{}@{}", fqdn(), node);
}

}  // namespace cairn

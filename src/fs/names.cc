// Names of user and group ids and back, remembered for the life of the program.
//
// Backup asks for two names per file from every thread, so a known id is found without a lock: fixed buckets of
// immutable nodes that are only ever pushed to the front. The system's databases may be remote and slow; each id is
// asked once.
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <deque>
#include <mutex>
#include <unordered_map>

#include "fs/node.h"

namespace cairn::fs {
namespace {

// Runs `ask(buffer)` with more and more room until its errno is not ERANGE.
template <class Ask>
void with_growing_buffer(Ask ask) {
  for (std::size_t room = 1024; room <= (1U << 24U); room *= 4) {
    std::vector<char> buffer(room);
    if (ask(buffer) != ERANGE) return;
  }
}

std::string ask_user_name(std::uint32_t uid) {
  std::string name;
  with_growing_buffer([&](std::vector<char>& buffer) {
    passwd entry{};
    passwd* found = nullptr;
    const int error = ::getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found);
    if (found != nullptr) name = found->pw_name;
    return error;
  });
  return name;
}
std::string ask_group_name(std::uint32_t gid) {
  std::string name;
  with_growing_buffer([&](std::vector<char>& buffer) {
    group entry{};
    group* found = nullptr;
    const int error = ::getgrgid_r(gid, &entry, buffer.data(), buffer.size(), &found);
    if (found != nullptr) name = found->gr_name;
    return error;
  });
  return name;
}
std::int64_t ask_user_id(const std::string& name) {
  std::int64_t id = -1;
  with_growing_buffer([&](std::vector<char>& buffer) {
    passwd entry{};
    passwd* found = nullptr;
    const int error = ::getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found);
    if (found != nullptr) id = found->pw_uid;
    return error;
  });
  return id;
}
std::int64_t ask_group_id(const std::string& name) {
  std::int64_t id = -1;
  with_growing_buffer([&](std::vector<char>& buffer) {
    group entry{};
    group* found = nullptr;
    const int error = ::getgrnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found);
    if (found != nullptr) id = found->gr_gid;
    return error;
  });
  return id;
}

class NameTable {
 public:
  explicit NameTable(std::string (*ask)(std::uint32_t)) : ask_(ask) {}

  const std::string& name(std::uint32_t id) {
    std::atomic<const Node*>& bucket = buckets_[(id * 0x9e3779b1U) >> 22U];
    if (const Node* node = find(bucket, id)) return node->name;
    const std::lock_guard lock(mutex_);
    if (const Node* node = find(bucket, id)) return node->name;  // another thread was first
    const Node& fresh = nodes_.emplace_back(Node{id, ask_(id), bucket.load(std::memory_order_relaxed)});
    bucket.store(&fresh, std::memory_order_release);
    return fresh.name;
  }

 private:
  struct Node {
    std::uint32_t id;
    std::string name;
    const Node* next;
  };
  static const Node* find(const std::atomic<const Node*>& bucket, std::uint32_t id) {
    const Node* node = bucket.load(std::memory_order_acquire);
    while (node != nullptr && node->id != id) node = node->next;
    return node;
  }

  std::string (*ask_)(std::uint32_t);
  std::array<std::atomic<const Node*>, 1024> buckets_{};
  std::mutex mutex_;
  std::deque<Node> nodes_;  // a deque never moves what it holds
};

class IdTable {
 public:
  explicit IdTable(std::int64_t (*ask)(const std::string&)) : ask_(ask) {}

  std::int64_t id(const std::string& name) {
    if (name.empty() || name.find('\0') != std::string::npos) return -1;
    const std::lock_guard lock(mutex_);
    if (const auto known = ids_.find(name); known != ids_.end()) return known->second;
    const std::int64_t id = ask_(name);
    // Names come from archives: a hostile one must not fill the memory.
    if (ids_.size() < 65536) ids_.emplace(name, id);
    return id;
  }

 private:
  std::int64_t (*ask_)(const std::string&);
  std::mutex mutex_;
  std::unordered_map<std::string, std::int64_t> ids_;
};

}  // namespace

const std::string& user_name(std::uint32_t uid) {
  static NameTable table(ask_user_name);
  return table.name(uid);
}
const std::string& group_name(std::uint32_t gid) {
  static NameTable table(ask_group_name);
  return table.name(gid);
}
std::int64_t user_id(const std::string& name) {
  static IdTable table(ask_user_id);
  return table.id(name);
}
std::int64_t group_id(const std::string& name) {
  static IdTable table(ask_group_id);
  return table.id(name);
}

}  // namespace cairn::fs

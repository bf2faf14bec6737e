// For tests of this room and those above it: small repositories in memory, made from hand-placed objects.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "exec/pool.h"
#include "hash/blake3.h"
#include "repo/repository.h"
#include "store/decorator.h"
#include "store/faulty.h"
#include "store/memory.h"

namespace cairn::repo::testing {

// A store that does not give one object out.
class Unloadable final : public store::Decorator {
 public:
  Unloadable(std::unique_ptr<store::Store> inner, std::string name)
      : Decorator(std::move(inner)), name_(std::move(name)) {}

 protected:
  Status around(const Call& call) override {
    if (call.operation == store::Operation::Load && call.name == name_) return fail(Code::Io, "no answer");
    return call.inner();
  }

 private:
  const std::string name_;
};

// Each test starts without any BORG variable and with a home of its own.
class HomeTest : public ::testing::Test {
 protected:
  HomeTest() {  // before the members of a test, which may make repositories
    std::vector<std::string> names;
    for (char** entry = ::environ; *entry != nullptr; ++entry) {
      const std::string text = *entry;
      if (text.starts_with("BORG") || text.starts_with("XDG_")) names.push_back(text.substr(0, text.find('=')));
    }
    for (const std::string& name : names) ::unsetenv(name.c_str());
    home_ = ::testing::TempDir() + "repo_XXXXXX";
    CAIRN_CHECK(::mkdtemp(home_.data()) != nullptr, "no temporary directory");
    ::setenv("HOME", home_.c_str(), 1);
    ::setenv("BORG_TESTONLY_WEAKEN_KDF", "1", 1);
    ::setenv("BORG_PASSPHRASE", "example", 1);
  }
  ~HomeTest() override { std::filesystem::remove_all(home_); }
  const std::string& home() const { return home_; }

 private:
  std::string home_;
};

inline Access test_access() {
  return {.location = "/test/repo",
          .canonical_location = "/test/repo",
          .host_id = "test@1",
          .confirm = [](const Question&) { return true; },
          .prompt = {}};
}

struct PlacedObject {
  ChunkId id;
  Buffer bytes;
};

class TestRepository {
 public:
  explicit TestRepository(const char* encryption = "aes256-ocb") {
    auto store = store::make_memory_store(disk);
    crypt::Secret passphrase("example");
    const auto made = Repository::create(
        *store, test_access(), {.suite = *crypt::find_suite(encryption, "blake3"), .defaults = {}}, passphrase);
    CAIRN_CHECK(made, "the test repository could not be made");
  }

  std::unique_ptr<store::Store> store() const {
    auto store = store::make_memory_store(disk);
    CAIRN_CHECK(store->open(), "the test store could not be opened");
    return store;
  }
  Result<std::unique_ptr<Repository>> open(
      store::Fault fault = {},
      std::shared_ptr<store::OperationCounter> counter = std::make_shared<store::OperationCounter>()) const {
    return Repository::open(
        store::make_faulty_store(store::make_memory_store(disk), std::move(fault), std::move(counter)), test_access(),
        {.lock = LockMode::Exclusive});
  }
  // What a killed process leaves behind besides its work.
  void break_locks() const { CAIRN_CHECK(Lock::break_all(*store()), "locks"); }

  static PlacedObject make_object(Repository& repository, std::string_view text, char type = 'F') {
    ObjectWriter writer(repository.suite(), repository.material());
    PlacedObject object{.id = repository.id_hash()(bytes_of(text)), .bytes = {}};
    const auto size = writer.prepare(type, object.id, bytes_of(text), compress::Spec{});
    CAIRN_CHECK(size, "prepare");
    object.bytes.resize(*size);
    CAIRN_CHECK(writer.write(object.bytes), "write");
    return object;
  }
  // Stores a pack of these objects; indexes those whose flag is set.
  static PackId put_pack(Repository& repository, const std::vector<PlacedObject>& objects,
                         const std::vector<bool>& indexed) {
    Buffer pack;
    for (const PlacedObject& object : objects) pack.append(object.bytes);
    const PackId id{hash::blake3(pack).raw};
    CAIRN_CHECK(repository.store().put(fmt::format("packs/{}", id.hex()), pack), "put");
    Buffer rows;
    std::uint32_t offset = 0;
    for (std::size_t i = 0; i < objects.size(); ++i) {
      const auto size = static_cast<std::uint32_t>(objects[i].bytes.size());
      if (indexed[i]) append_row({objects[i].id, {id, offset, size}}, rows);
      offset += size;
    }
    CAIRN_CHECK(repository.fragments().write_new(rows), "index");
    return id;
  }
  static void flip_byte(store::Store& store, const std::string& name, std::size_t at) {
    Buffer bytes;
    CAIRN_CHECK(store.load(name, bytes), "load");
    bytes.data()[at] ^= std::byte{1};
    CAIRN_CHECK(store.put(name, bytes), "put");
  }

  std::shared_ptr<store::MemoryDisk> disk = std::make_shared<store::MemoryDisk>();
};

inline std::string noise(std::size_t size, std::uint64_t seed) {
  std::string text(size, '\0');
  for (char& c : text) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    c = static_cast<char>(seed >> 56U);
  }
  return text;
}

}  // namespace cairn::repo::testing

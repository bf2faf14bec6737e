// For tests that depend on environment variables: each test starts without any BORG_ variable and in a home of its own.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace cairn::crypt::testing {

class EnvironmentTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::vector<std::string> names;
    for (char** entry = ::environ; *entry != nullptr; ++entry) {
      const std::string text = *entry;
      if (text.starts_with("BORG") || text.starts_with("XDG_")) names.push_back(text.substr(0, text.find('=')));
    }
    for (const std::string& name : names) ::unsetenv(name.c_str());
    home_ = ::testing::TempDir() + "crypt_XXXXXX";
    ASSERT_NE(::mkdtemp(home_.data()), nullptr);
    set("HOME", home_);
    set("BORG_TESTONLY_WEAKEN_KDF", "1");
  }
  void TearDown() override {
    std::filesystem::remove_all(home_);
    ::unsetenv("BORG_TESTONLY_WEAKEN_KDF");
  }

  static void set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }
  static void unset(const char* name) { ::unsetenv(name); }
  const std::string& home() const { return home_; }

  static std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }

 private:
  std::string home_;
};

}  // namespace cairn::crypt::testing

#include "store/location.h"

#include <gtest/gtest.h>

#include "store/temporary_directory_for_test.h"

namespace cairn::store {
namespace {

Result<Location> parse(std::string_view text) { return parse_location(text, "/cwd"); }

TEST(Location, LocalFormsBecomeAbsolutePaths) {
  const std::pair<const char*, const char*> cases[] = {{"/a/b", "/a/b"},
                                                       {"a/b", "/cwd/a/b"},
                                                       {"./a", "/cwd/a"},
                                                       {"a//b/../c", "/cwd/a/c"},
                                                       {"file:///a/b/../c", "/a/c"},
                                                       {"file:///a//b", "/a/b"},
                                                       {"foo://x/y", "/cwd/foo:/x/y"},
                                                       {"/../x", "/x"},
                                                       {"~/x", "/cwd/~/x"},
                                                       {"a:b", "/cwd/a:b"},
                                                       {"c:\\x", "/cwd/c:\\x"},
                                                       {"ssh", "/cwd/ssh"},
                                                       {"host:path", "/cwd/host:path"},
                                                       {"///a", "/a"},
                                                       {"SSH://h/a", "/cwd/SSH:/h/a"},
                                                       {"/a/", "/a"},
                                                       {"/a b", "/a b"},
                                                       {"file:///a%20b", "/a%20b"},
                                                       {"./ssh:x", "/cwd/ssh:x"},
                                                       {"/", "/"}};
  for (const auto& [text, expected] : cases) {
    const Result<Location> location = parse(text);
    ASSERT_TRUE(location) << text;
    EXPECT_EQ(location->kind, LocationKind::Local) << text;
    EXPECT_EQ(location->path, expected) << text;
    EXPECT_EQ(location->display, expected) << text;
    EXPECT_EQ(location->canonical, expected) << text;
  }
}

TEST(Location, RelativePathsStartAtTheCurrentDirectory) {
  const Result<Location> location = parse_location("x");
  ASSERT_TRUE(location);
  EXPECT_TRUE(location->path.starts_with('/'));
  EXPECT_TRUE(location->path.ends_with("/x"));
}

TEST(Location, SshFormsAreTakenApart) {
  struct Case {
    const char *text, *user, *host, *path, *canonical;
    int port;
  };
  const Case cases[] = {
      {"ssh://h/a/b", "", "h", "a/b", "ssh://h/a/b", -1},
      {"ssh://h//a/b", "", "h", "/a/b", "ssh://h//a/b", -1},
      {"ssh://u@h:22/a", "u", "h", "a", "ssh://u@h:22/a", 22},
      {"ssh://u@[::1]:22/a", "u", "::1", "a", "ssh://u@[::1]:22/a", 22},
      {"ssh://[::1]/a/../b", "", "::1", "b", "ssh://[::1]/b", -1},
      {"ssh://h/~/x", "", "h", "~/x", "ssh://h/~/x", -1},
      {"ssh://h/./x/", "", "h", "x", "ssh://h/x", -1},
      {"ssh://h/../x", "", "h", "../x", "ssh://h/../x", -1},
      {"ssh://h/a/..", "", "h", ".", "ssh://h/.", -1},
      {"ssh://u@h:022/a", "u", "h", "a", "ssh://u@h:22/a", 22},
  };
  for (const Case& one : cases) {
    const Result<Location> location = parse(one.text);
    ASSERT_TRUE(location) << one.text;
    EXPECT_EQ(location->kind, LocationKind::Ssh);
    EXPECT_EQ(location->user, one.user) << one.text;
    EXPECT_EQ(location->host, one.host) << one.text;
    EXPECT_EQ(location->path, one.path) << one.text;
    EXPECT_EQ(location->canonical, one.canonical) << one.text;
    EXPECT_EQ(location->port ? *location->port : -1, one.port) << one.text;
  }
}

TEST(Location, OtherSchemesLoseTheirCredentials) {
  struct Case {
    const char* text;
    LocationKind kind;
    const char* display;
  };
  const Case cases[] = {
      {"sftp://u@h/p", LocationKind::Sftp, "sftp://h/p"},
      {"sftp://h//a", LocationKind::Sftp, "sftp://h//a"},
      {"http://u:p@h:8080/sub", LocationKind::Http, "http://h:8080/sub"},
      {"https://h", LocationKind::Https, "https://h"},
      {"https://h/a@b", LocationKind::Https, "https://h/a@b"},
      {"rclone:r:p", LocationKind::Rclone, "rclone:r:p"},
      {"rclone://r/p", LocationKind::Rclone, "rclone://r/p"},
      {"s3:/b/p", LocationKind::S3, "s3:/b/p"},
      {"s3:K:S@https://h:9000/b/p", LocationKind::S3, "s3:https://h:9000/b/p"},
      {"s3:https://h:9000/b/p@q", LocationKind::S3, "s3:https://h:9000/b/p@q"},
      {"s3:prof@/b/p", LocationKind::S3, "s3:/b/p"},
      {"b2:K:S@/b/p", LocationKind::B2, "b2:/b/p"},
  };
  for (const Case& one : cases) {
    const Result<Location> location = parse(one.text);
    ASSERT_TRUE(location) << one.text;
    EXPECT_EQ(location->kind, one.kind) << one.text;
    EXPECT_EQ(location->display, one.display);
    EXPECT_EQ(location->canonical, one.display);
    EXPECT_EQ(location->verbatim, one.text);
  }
}

TEST(Location, MalformedOnesAreUsageErrors) {
  for (const char* text : {"",
                           "file:///",
                           "file://a/b",
                           "file:/a",
                           "file:a",
                           "ssh://h/",
                           "ssh://h",
                           "ssh:h",
                           "ssh://u:p@h/a",
                           "ssh://h:x/a",
                           "ssh://u@h:/a",
                           "ssh:///a",
                           "ssh://h:99999/a",
                           "ssh://@h/a",
                           "ssh://-oProxyCommand=x/a",
                           "ssh://[::1/a",

                           "sftp:x",
                           "sftp://",
                           "http:/x",
                           "http://",
                           "https://:80/",
                           "s3:",
                           "b2:",
                           "rclone:",
                           "rest://h/p",
                           "//server/share"}) {
    const Result<Location> location = parse(text);
    ASSERT_FALSE(location) << text;
    EXPECT_EQ(location.error().code(), Code::Usage) << text;
  }
  EXPECT_EQ(parse(std::string_view("a\0b", 3)).error().code(), Code::Usage);
  EXPECT_EQ(parse("file:a").error().message(), "Invalid location format: \"file:a\". Expected: file:///path/to/repo");
  EXPECT_NE(parse("rest://h/p").error().message().find("./rest:"), std::string::npos);
}

TEST(Location, MessagesHoldNoCredentials) {
  for (const char* text : {"http:u:hunter2@", "ssh://u:hunter2@h/a", "sftp://u:hunter2@", "s3:K:hunter2@x",
                           "https://u:hunter2@/x", "https://u:hunter2@:1/x"}) {
    const Result<Location> location = parse(text);
    ASSERT_FALSE(location) << text;
    EXPECT_EQ(location.error().text().find("hunter2"), std::string::npos) << location.error().text();
  }
}

TEST(OpenStore, RemoteKindsAreRefusedByName) {
  const auto store = open_store(*parse("sftp://h/p"), {});
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code(), Code::Unsupported);
  EXPECT_EQ(store.error().message(), "sftp: repositories are not there yet");
}

TEST(OpenStore, LocalDirectoriesWork) {
  const TemporaryDirectoryForTest directory;
  const Location location = *parse(directory.path() + "/repo");
  auto store = open_store(location, {.permissions = "no-delete"});
  ASSERT_TRUE(store);
  EXPECT_EQ((*store)->open().error().code(), Code::RepositoryDoesNotExist);
  EXPECT_EQ((*store)->open().error().message(), "Repository " + location.path + " does not exist.");
  EXPECT_EQ((*store)->granted("packs"), "lrw");
  EXPECT_FALSE(open_store(location, {.permissions = "foo"}));
}

}  // namespace
}  // namespace cairn::store

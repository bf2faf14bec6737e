#include "match/patterns.h"

#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "base/log.h"
#include "base/normalized_path.h"

namespace cairn::match {
namespace {

Matcher with_excludes(std::initializer_list<const char*> patterns) {
  Matcher matcher;
  for (const char* pattern : patterns) EXPECT_TRUE(matcher.add_exclude(pattern)) << pattern;
  return matcher;
}
Matcher with_patterns(std::initializer_list<const char*> lines) {
  Matcher matcher;
  for (const char* line : lines) EXPECT_TRUE(matcher.add_pattern(line)) << line;
  return matcher;
}

class PatternFile {
 public:
  explicit PatternFile(std::string_view text) {
    std::string name = std::filesystem::temp_directory_path() / "cairn-match-XXXXXX";
    const int fd = ::mkstemp(name.data());
    EXPECT_GE(fd, 0);
    ::close(fd);
    path_ = name;
    std::ofstream(path_) << text;
  }
  ~PatternFile() { std::filesystem::remove(path_); }
  PatternFile(const PatternFile&) = delete;
  PatternFile& operator=(const PatternFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(Normalized, FollowsPythonsNormpath) {
  const std::pair<const char*, const char*> cases[] = {{"", "."},
                                                       {".", "."},
                                                       {"/", "/"},
                                                       {"//", "//"},
                                                       {"///", "/"},
                                                       {"//a", "//a"},
                                                       {"///a", "/a"},
                                                       {"a/", "a"},
                                                       {"a//b", "a/b"},
                                                       {"./a", "a"},
                                                       {"a/./b", "a/b"},
                                                       {"a/../b", "b"},
                                                       {"../a", "../a"},
                                                       {"..", ".."},
                                                       {"/..", "/"},
                                                       {"/../a", "/a"},
                                                       {"a/..", "."},
                                                       {"a/../..", ".."},
                                                       {"../../a/..", "../.."},
                                                       {"a/b/../../c", "c"},
                                                       {"//../a", "//a"}};
  for (const auto& [path, expected] : cases) EXPECT_EQ(normalized_path(path), expected) << path;
}

TEST(Matcher, EmptyOneIncludesEverythingUnlessTold) {
  Matcher matcher;
  EXPECT_TRUE(matcher.empty());
  EXPECT_TRUE(matcher.match("a/b").include);
  EXPECT_TRUE(matcher.match("a/b").recurse);
  EXPECT_FALSE(matcher.match("a/b").matched);
  matcher.set_fallback(false);
  EXPECT_FALSE(matcher.match("a/b").include);
  EXPECT_TRUE(matcher.match("a/b").recurse);
}

TEST(Matcher, ExcludeTakesTheDirectoryAndWhatIsBelow) {
  const Matcher matcher = with_excludes({"pt/a"});
  EXPECT_FALSE(matcher.match("pt/a").include);
  EXPECT_FALSE(matcher.match("pt/a").recurse);
  EXPECT_FALSE(matcher.match("/pt/a/b").include);
  EXPECT_TRUE(matcher.match("pt/ab").include);
  EXPECT_TRUE(matcher.match("pt").include);
}

TEST(Matcher, TrailingSlashTakesOnlyWhatIsBelow) {
  const Matcher matcher = with_excludes({"pt/a/"});
  EXPECT_TRUE(matcher.match("pt/a").include);
  EXPECT_FALSE(matcher.match("pt/a/b").include);
}

TEST(Matcher, DoubleStarTakesTheDirectoryItself) { EXPECT_FALSE(with_excludes({"sh:pt/a/**"}).match("pt/a").include); }

TEST(Matcher, StarOfFnmatchCrossesSlashesThatOfShellDoesNot) {
  EXPECT_FALSE(with_excludes({"*.o"}).match("x/y/a.o").include);
  EXPECT_FALSE(with_excludes({"*.o"}).match("x/y.o/a").include);
  EXPECT_TRUE(with_excludes({"sh:*.o"}).match("x/a.o").include);
  EXPECT_FALSE(with_excludes({"sh:**/*.o"}).match("x/y/a.o").include);
  EXPECT_FALSE(with_excludes({"sh:**/*.o"}).match("a.o").include);
}

TEST(Matcher, RootWithDotsIsMatchedLiterally) {
  EXPECT_FALSE(with_excludes({"../lab/pt/a"}).match("../lab/pt/a").include);
  EXPECT_TRUE(with_excludes({"lab/pt/a"}).match("../lab/pt/a").include);
}

TEST(Matcher, FirstMatchWins) {
  const Matcher matcher = with_patterns({"+ a/keep", "- a", "+ a/b"});
  EXPECT_TRUE(matcher.match("a/keep/x").include);
  EXPECT_FALSE(matcher.match("a/b").include);
  EXPECT_TRUE(matcher.match("a").recurse);
  EXPECT_TRUE(matcher.match("c").include);
}

TEST(Matcher, FullPathsComeFirstAndTheLastOfThemWins) {
  const Matcher matcher = with_patterns({"- a", "+ pf:a/b", "! pf:/a/c/", "- pf:a/b", "+ pf:a/b"});
  EXPECT_TRUE(matcher.match("a/b").include);
  EXPECT_FALSE(matcher.match("a/b/c").include);
  EXPECT_FALSE(matcher.match("a/c").include);
  EXPECT_FALSE(matcher.match("a/c").recurse);
}

TEST(Matcher, ExclamationMarkDoesNotEnter) {
  EXPECT_FALSE(with_patterns({"! a"}).match("a").recurse);
  EXPECT_TRUE(with_patterns({"- a"}).match("a").recurse);
}

TEST(Matcher, PathsIncludeAndTellWhichNeverMatched) {
  Matcher matcher;
  for (const char* path : {"a", "sh:b/*.x", "pf:c", "/d/", "e"}) ASSERT_TRUE(matcher.add_path(path));
  EXPECT_FALSE(matcher.match("x").include);
  EXPECT_TRUE(matcher.match("a/q").include);
  EXPECT_TRUE(matcher.match("d").include);
  EXPECT_TRUE(matcher.match("c").include);
  EXPECT_FALSE(matcher.match("c/x").include);
  EXPECT_EQ(matcher.paths_never_matched(), (std::vector<std::string>{"b/*.x", "e"}));
}

TEST(Matcher, StrayBytesAreOneCharacterEach) {
  EXPECT_FALSE(with_excludes({"a?b"})
                   .match("a\xe9"
                          "b")
                   .include);
  EXPECT_FALSE(with_excludes({"a?b"})
                   .match("a\xc3\xa9"
                          "b")
                   .include);
  EXPECT_TRUE(with_excludes({"a?b"})
                  .match("a\xff\xff"
                         "b")
                  .include);
  EXPECT_FALSE(with_excludes({"re:^a\xff$"}).match("a\xff").include);
  EXPECT_TRUE(with_excludes({"re:^a\xff$"}).match("a\xfe").include);
}

TEST(Matcher, ManyStarsDoNotExplode) {
  std::string path(3000, 'a');
  EXPECT_TRUE(with_excludes({"*a*a*a*a*a*a*a*a*b"}).match(path).include);
  EXPECT_TRUE(with_excludes({"sh:*a*a*a*a*a*a*a*b"}).match(path.substr(0, 300)).include);
  EXPECT_FALSE(with_excludes({"sh:*a*a*a*a*a*a*a*a"}).match(path.substr(0, 300)).include);
  EXPECT_TRUE(with_excludes({"re:(a+)+$x"}).match(path.substr(0, 60)).include);
}

TEST(Matcher, BadLinesHaveBorgsWords) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "A pattern/command must not be empty."},
      {"x", "A pattern/command must start with any of: -, !, +, R, r, P, p"},
      {" - x", "A pattern/command must start with any of: -, !, +, R, r, P, p"},
      {"-", "A pattern/command must have a value part."},
      {"R  ", "A pattern/command must have a value part."},
      {"P zz", "Invalid pattern style: zz"},
      {"- zz:x", "Unknown pattern style: zz"}};
  for (const auto& [line, expected] : cases) {
    Matcher matcher;
    const Status status = matcher.add_pattern(line);
    ASSERT_FALSE(status) << line;
    EXPECT_EQ(status.error().code(), Code::Pattern) << line;
    EXPECT_EQ(status.error().message(), expected);
  }
  Matcher matcher;
  EXPECT_EQ(matcher.add_exclude("zz:x").error().code(), Code::Usage);
  EXPECT_EQ(matcher.add_path("zz:x").error().code(), Code::Usage);
  EXPECT_EQ(matcher.add_pattern("- re:(").error().code(), Code::Pattern);
  EXPECT_EQ(matcher.add_exclude("re:(").error().code(), Code::Usage);
  EXPECT_TRUE(matcher.empty());
}

TEST(Matcher, PatternFileChangesItsOwnStyleOnly) {
  const PatternFile file("# comment\n\n  R /  \r\nP fm\n+ *.x \nP re\n- ^q$\n");
  Matcher matcher;
  ASSERT_TRUE(matcher.add_patterns_file(file.path()));
  ASSERT_TRUE(matcher.add_pattern("- *.y"));
  matcher.set_fallback(false);
  EXPECT_EQ(matcher.roots(), std::vector<std::string>{"/"});
  EXPECT_TRUE(matcher.match("d/a.x").include);
  EXPECT_TRUE(matcher.match("q").matched);
  EXPECT_FALSE(matcher.match("qq").matched);
  EXPECT_TRUE(matcher.match("a.y").matched);
  EXPECT_FALSE(matcher.match("d/a.y").matched);
}

TEST(Matcher, ExcludeFileHoldsPatternsNotCommands) {
  const PatternFile file("  a b \n\n#x\n- q\nsh:c*");
  Matcher matcher;
  ASSERT_TRUE(matcher.add_exclude_file(file.path()));
  EXPECT_FALSE(matcher.match("a b").include);
  EXPECT_FALSE(matcher.match("- q").include);
  EXPECT_FALSE(matcher.match("cc").include);
  EXPECT_TRUE(matcher.match("q").include);
  EXPECT_FALSE(matcher.match("a b").recurse);
}

TEST(Matcher, MissingFileIsNotFound) {
  Matcher matcher;
  const Status status = matcher.add_patterns_file("/nonexistent/X");
  EXPECT_EQ(status.error().code(), Code::NotFound);
  EXPECT_EQ(status.error().message(), "[Errno 2] No such file or directory: '/nonexistent/X'");
  EXPECT_EQ(matcher.add_exclude_file("/nonexistent/X").error().code(), Code::NotFound);
}

TEST(Matcher, DoubtfulRootsAreWarnedAbout) {
  std::vector<std::string> said;
  set_log_sink([&](const LogRecord& record) { said.emplace_back(record.message); });
  Matcher matcher;
  ASSERT_TRUE(matcher.add_pattern("R no/such/root"));
  ASSERT_TRUE(matcher.add_pattern("R /"));
  set_log_sink({});
  EXPECT_EQ(said, (std::vector<std::string>{
                      "Root path 'no/such/root' is not absolute, it is recommended to use an absolute path",
                      "Root path 'no/such/root' does not exist"}));
  EXPECT_EQ(matcher.roots(), (std::vector<std::string>{"no/such/root", "/"}));
}

TEST(Matcher, ThreadsMatchSideBySide) {
  Matcher matcher = with_patterns({"- *.o", "- re:^x.*[0-9]$", "+ sh:**/keep/*", "- pp:gone"});
  ASSERT_TRUE(matcher.add_path("late"));
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 300; ++round) {
        if (matcher.match("a.o").include || matcher.match("xyz1").include) ++wrong;
        if (!matcher.match("q/keep/z").include || !matcher.match("late/x").include) ++wrong;
        if (matcher.match("gone/x").include || matcher.match("none\xff").matched) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_TRUE(matcher.paths_never_matched().empty());
}

TEST(ShellGlob, MatchesTheWholeText) {
  const Result<ShellGlob> glob = ShellGlob::compile("host-{a,b}-*");
  ASSERT_TRUE(glob);
  EXPECT_TRUE(glob->matches("host-a-2026"));
  EXPECT_FALSE(glob->matches("host-c-2026"));
  EXPECT_FALSE(glob->matches("xhost-a-2026"));
  EXPECT_EQ(ShellGlob::compile("(").error().code(), Code::Usage);
}

TEST(Regex, SearchesAnywhereOrMatchesAll) {
  const Result<Regex> regex = Regex::compile("a+|b");
  ASSERT_TRUE(regex);
  EXPECT_TRUE(regex->search("xxaay"));
  EXPECT_FALSE(regex->full_match("aay"));
  EXPECT_TRUE(regex->full_match("aaa"));
  EXPECT_TRUE(regex->full_match("b"));
  EXPECT_FALSE(regex->search("xyz"));
  EXPECT_EQ(Regex::compile("a(").error().code(), Code::Usage);
}

TEST(Regex, KeepsPythonsMeaning) {
  EXPECT_TRUE(Regex::compile("a\\Z")->search("ba"));
  EXPECT_FALSE(Regex::compile("a\\Z")->search("a\n"));
  EXPECT_TRUE(Regex::compile("a$")->search("a\n"));
  EXPECT_TRUE(Regex::compile("^a{,2}$")->search("aa"));
  EXPECT_FALSE(Regex::compile("^a{,2}$")->search("aaa"));
  EXPECT_TRUE(Regex::compile("\\u00e9")->search("\xc3\xa9"));
  EXPECT_TRUE(Regex::compile("^[[:a]$")->search("["));
  EXPECT_TRUE(Regex::compile("(?P<n>x)(?P=n)")->search("xx"));
  EXPECT_TRUE(Regex::compile("^\\w$")->search("\xc3\xa9"));
}

}  // namespace
}  // namespace cairn::match

#include "cli/help_topics.h"

namespace cairn::cli {
namespace {

constexpr const char* kPatterns =
    R"(Patterns choose files by path. The path is compared without its leading slash.

A pattern may name its style with a prefix:

  fm:PATTERN  file name glob: * stands for any characters, also slashes, ? for
              one, [abc] and [!abc] for one of a set. Covers what is below a
              matching directory. The default of --exclude.
  sh:PATTERN  shell glob: * and ? stop at a slash, **/ stands for any number of
              directories, {a,b} for either. The default of --pattern.
  re:REGEX    regular expression, found anywhere in the path.
  pp:PREFIX   the path itself and everything below it. The default of PATH
              arguments.
  pf:PATH     exactly this path.

--exclude leaves out what matches and does not look below it. --pattern takes a command letter, a blank and a pattern:

  + PATTERN   include
  - PATTERN   exclude, but look below for something to include
  ! PATTERN   exclude, and do not look below
  R PATH      a path to back up, as if it stood on the command line
  P STYLE     (in files) the default style of the lines that follow

All of --exclude, --exclude-from, --pattern and --patterns-from form one list in the order given, and the first pattern that matches decides. Only pf: patterns are looked up before all others. What nothing matches is included by create; the reading commands include it if no PATH was given.

Files have one pattern per line; empty lines and lines that start with # are skipped.

  cairn create -e '*.o' -e 'sh:home/*/.cache/**' work /home
  cairn create --pattern '+ home/lab/.config' --pattern '- home/*/.*' work /home
  cairn extract work re:'\.(jpg|png)$')";

constexpr const char* kMatchArchives =
    R"(-a/--match-archives chooses archives. It may be given several times; then all patterns must match. The NAME argument of a command is such a pattern too.

  TEXT        the archive's name is TEXT; also written id:TEXT
  sh:GLOB     the name matches a shell glob
  re:REGEX    the name matches a regular expression from start to end
  aid:HEX     the archive's id starts with HEX; exactly one must
  tags:A,B    the archive has all these tags
  user:NAME   it was made by this user
  host:NAME   it was made on this host
  date:SPEC   its time lies in a year, month, day, hour, minute or second

Several archives may have the same name: they form a series. Use aid: to name one of them.

A date is written from the left as far as wanted: 2026, 2026-11, 2026-11-30, 2026-11-30T15, 2026-11-30T15:11. A time zone may follow: Z, +01:00 or [Europe/Berlin]; without one it is local time. @1796050002 is a second since 1970.

  cairn repo-list -a 'sh:home-*' -a host:lab
  cairn delete -a date:2025-03
  cairn extract aid:17585e64

Braces of sh: and re: must be doubled, since single ones are placeholders: -a 'sh:{{home,work}}'.)";

constexpr const char* kPlaceholders =
    R"(Placeholders are replaced in the repository's location, in archive names, in --match-archives patterns and in --comment.

  {hostname}      name of this machine
  {fqdn}          its full name
  {reverse-fqdn}  its full name, last part first
  {now}           local time; {now:%Y-%m-%d} with a format
  {utcnow}        the same in UTC
  {unixtime}      seconds since 1970
  {user}          name of the user
  {pid}           process id
  {uuid4}         a random id
  {borgversion}   version of the format
  {borgmajor}, {borgminor}, {borgpatch}  parts of it

With --timestamp, {now} and {utcnow} are that time. Write {{ and }} for plain braces.

  cairn create '{hostname}-{now:%Y-%m-%d}' /home)";

constexpr const char* kCompression =
    R"(-C/--compression says how new data is compressed. Deduplication does not depend on it: data that is stored already is not compressed again.

  none             not at all
  lz4              very fast, the default
  zstd[,L]         good and fast; level -128 to 22, default 3
  zlib[,L]         level 0 to 9, default 6
  lzma[,L]         small and slow; level 0 to 9, default 6
  auto,C[,L]       try lz4 first and use C only where it pays
  obfuscate,S,C[,L]  hide the size of what is stored. S 1 to 6: multiply it at
                   random, by up to 10 to 10000000 times; 110 to 123: add up to
                   1 KiB to 8 MiB; 250: pad to steps of a few per cent

  cairn create -C zstd,8 work /home
  cairn create -C auto,lzma,6 work /home
  cairn create -C obfuscate,110,auto,zstd,3 work /home)";

constexpr const char* kEnvironment =
    R"(Every option has a variable: BORG_OPTION for common ones, BORG_COMMAND__OPTION for those of a command, in capitals and with underscores: BORG_LOG_JSON=1, BORG_CREATE__COMPRESSION=zstd,3. The command line wins over variables, and variables over the configuration file.

Where things are:

  BORG_REPO, BORG_OTHER_REPO    the repository, the other repository
  BORG_BASE_DIR                 parent of the following four
  BORG_CONFIG_DIR, BORG_CACHE_DIR, BORG_DATA_DIR, BORG_RUNTIME_DIR
  BORG_SECURITY_DIR, BORG_KEYS_DIR, BORG_KEY_FILE

Passphrases (one of the three; the same with BORG_NEW_ and BORG_OTHER_ for a new passphrase and for --other-repo):

  BORG_PASSPHRASE               the passphrase
  BORG_PASSCOMMAND              a command that prints it
  BORG_PASSPHRASE_FD            a file descriptor to read it from

Answers to questions:

  BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK=yes
  BORG_RELOCATED_REPO_ACCESS_IS_OK=yes
  BORG_CHECK_I_KNOW_WHAT_I_AM_DOING=YES
  BORG_DELETE_I_KNOW_WHAT_I_AM_DOING=YES
  BORG_DISPLAY_PASSPHRASE=no

Output:

  BORG_UNITS                    si, iec or raw sizes
  BORG_PROGRESS_FPS             progress updates per second, default 5
  BORG_JSON_INDENT              indent of JSON, or none for one line
  BORG_EXIT_CODES               modern or legacy
  BORG_LIST_FORMAT, BORG_REPO_LIST_FORMAT, BORG_CHECK_FORMAT

Work:

  BORG_LOCK_WAIT                seconds to wait for a lock
  BORG_HOST_ID                  identity of this machine in locks
  BORG_HOSTNAME, BORG_USERNAME  names that archives record
  BORG_FILES_CACHE_TTL, BORG_FILES_CACHE_SUFFIX
  BORG_REPO_PERMISSIONS         all, no-delete, write-only or read-only
  BORG_RSH, BORG_REMOTE_PATH    ssh command, program on the remote side
  CAIRN_THREADS                 number of threads
  CAIRN_MEMORY_THREADS          of these, how many move large amounts of bytes
                                at once, on each NUMA node (1 to 1024; 8)
  CAIRN_READERS                 how many of them read files at once in create
                                (default: all); one suits a single hard disk
  BORG_FASTCDC_KERNEL, BORG_BUZHASH64_KERNEL, BORG_AES_CHUNKER_KERNEL
                                version of the inner loop of a chunker; without
                                them the one that is the fastest here is taken
  CAIRN_SPLIT                   who helps with a large chunk: idle (workers with
                                nothing else to do, the default), never, always
  CAIRN_KERNELS                 versions of inner loops, for finding faults)";

constexpr Topic kTopics[] = {
    {"patterns", "choosing files by path", kPatterns},
    {"match-archives", "choosing archives", kMatchArchives},
    {"placeholders", "text that is replaced in names and comments", kPlaceholders},
    {"compression", "methods and levels of compression", kCompression},
    {"environment", "environment variables (also: env)", kEnvironment},
};

}  // namespace

std::span<const Topic> topics() { return kTopics; }

const Topic* find_topic(std::string_view name) {
  if (name == "env") name = "environment";
  for (const Topic& topic : kTopics)
    if (name == topic.name) return &topic;
  return nullptr;
}

}  // namespace cairn::cli

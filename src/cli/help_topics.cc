#include "cli/help_topics.h"

namespace cairn::cli {
namespace {

constexpr const char* kPatterns =
    R"(Patterns choose files by path. A pattern is compared with the whole path as it is stored: from its start, without the leading slash, not with a name somewhere in it. A leading slash of the pattern is ignored (not that of re:), so absolute paths match too. For a name at any depth write sh:**/name (or */name if it is never the first part of the path).

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

A slash at the end of a fm: or sh: pattern keeps the directory itself and chooses all that is in it: -e 'sh:**/.cache/' stores empty directories .cache.

--exclude leaves out what matches and does not look below it. --pattern takes a command letter, a blank and a pattern:

  + PATTERN   include
  - PATTERN   exclude, but look below for something to include
  ! PATTERN   exclude, and do not look below
  R PATH      a path to back up, as if it stood on the command line
  P STYLE     (in files) the default style of the lines that follow

All of --exclude, --exclude-from, --pattern and --patterns-from form one list in the order given, and the first pattern that matches decides. Only pf: patterns are looked up before all others. What nothing matches is included by create; the reading commands include it if no PATH was given. So what is to be kept comes before what leaves it out.

Files have one pattern per line; empty lines and lines that start with # are skipped.

  cairn create -e '*.o' -e 'sh:home/*/.cache/**' work /home
  cairn create -e 'sh:**/node_modules' work /home
  cairn create --pattern '+ **/keep.o' -e '*.o' work /home
  cairn create --pattern '+ home/lab/.config' --pattern '- home/*/.*' work /home
  cairn extract work re:'\.(jpg|png)$'
  cairn find 'sh:**/pic*'

To see what patterns do, let create tell it without storing anything; + is what would be stored, - what is left out:

  cairn create -n --list -e 'sh:**/.cache' work /home)";

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

Several archives may have the same name: they form a series. Use aid: to name one of them. Where one archive is wanted (extract, list, diff ...), a name that several have ends with an error. This restores the newest archive of the series home:

  cairn extract aid:$(cairn repo-list -a home --last 1 --short)

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

  cairn create '{hostname}-home' /home
  cairn prune -n --list -d 7 -w 4 '{hostname}-home'

Give the archives of every night the same name, without the date: each archive knows its time anyway, and archives of one name are a series, which prune thins out. With the date in the name every archive is a series of its own, and prune keeps them all, unless it is told to put them together: prune -a 'sh:lab-*' --group-by host.)";

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

Without -C the repository's default is used, which repo-create -C sets when the repository is made (lz4 if it does not). repo-compress gives what is stored already another compression: that of its -C, or the repository's default.

  cairn create -C zstd,8 work /home
  cairn create -C auto,lzma,6 work /home
  cairn create -C obfuscate,110,auto,zstd,3 work /home)";

constexpr const char* kEnvironment =
    R"(Every option has a variable: BORG_OPTION for common ones, BORG_COMMAND__OPTION for those of a command, in capitals and with underscores: BORG_LOG_JSON=1, BORG_CREATE__COMPRESSION=zstd,3. It holds one value. The command line wins over variables, and variables over the configuration file (see "help config").

Where things are:

  BORG_REPO, BORG_OTHER_REPO    the repository, the other repository
  BORG_BASE_DIR                 parent of the following four
  BORG_CONFIG_DIR               default.yaml, key files
  BORG_CACHE_DIR                lists of known files, copies of indexes
  BORG_DATA_DIR                 parent of the security folder
  BORG_RUNTIME_DIR              understood, but nothing is there yet
  BORG_SECURITY_DIR             what is remembered of repositories: place, kind
  BORG_KEYS_DIR, BORG_KEY_FILE  key files; one key file
  TMPDIR                        temporary files of long lists, default /tmp

Passphrases (one of the three; the same with BORG_NEW_ and BORG_OTHER_ for a new passphrase and for --other-repo):

  BORG_PASSPHRASE               the passphrase
  BORG_PASSCOMMAND              a command that prints it
  BORG_PASSPHRASE_FD            a file descriptor to read it from

Answers to questions, for when nobody is there to type them (without an answer it is no):

  BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK=yes
              Is it right that this repository, never seen from here before, is
              not encrypted, or has its key in it without a passphrase?
  BORG_RELOCATED_REPO_ACCESS_IS_OK=yes
              Is it right that this repository is at another place than when it
              was last used from here?
  BORG_CHECK_I_KNOW_WHAT_I_AM_DOING=YES
              May check --repair change the repository?
  BORG_DELETE_I_KNOW_WHAT_I_AM_DOING=YES
              May repo-delete delete the repository with all that is in it?
  BORG_DISPLAY_PASSPHRASE=no
              Show the new passphrase that was typed?

Output:

  BORG_UNITS                    si, iec or raw sizes
  BORG_PROGRESS_FPS             progress updates per second, default 5
  BORG_JSON_INDENT              indent of JSON, or none for one line
  BORG_EXIT_CODES               modern or legacy (see "help exit-codes")
  BORG_LIST_FORMAT, BORG_REPO_LIST_FORMAT, BORG_FIND_FORMAT,
  BORG_DIFF_FORMAT, BORG_PRUNE_FORMAT, BORG_CHECK_FORMAT
                                what --format is without that option

Work:

  BORG_LOCK_WAIT                seconds to wait for a lock
  BORG_HOST_ID                  identity of this machine in locks
  BORG_HOSTNAME, BORG_USERNAME  names that archives record
  BORG_FILES_CACHE_TTL          how many runs of create a file that was not seen
                                stays in the list of known files, default 2
  BORG_FILES_CACHE_SUFFIX       another list of known files, by this name
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
  BORG_BLAKE3_MT_THRESHOLD      KiB; what has at least that size may be hashed
                                by several threads, default 256; 0: always
  BORG_ZSTD_MT_WORKERS          threads of zstd in one chunk, default none
  BORG_PACK_MAX_SIZE            bytes at which a pack is full, default 50000000
  BORG_PACK_MAX_COUNT           objects at which a pack is full, default: any
  CAIRN_FSYNC=no                do not wait until data is on the disk: faster,
                                but a crash of the machine may cost data

For finding faults:

  BORG_ASSERT_ID                where content is compared with its id: a list of
                                read, repair, transfer, rechunk
  BORG_WORKAROUNDS              authenticated_no_key: read an authenticated
                                repository without its key, verify nothing
  CAIRN_DECODE_CHECK            yes or no: decode and compare what is compressed
                                before storing it; default: above level 15
  CAIRN_KERNELS                 versions of inner loops)";

constexpr const char* kConfig =
    R"(Options that are always the same can stand in a file. It is read from --config FILE and from default.yaml in BORG_CONFIG_DIR, else in ~/.config/borg (or in $XDG_CONFIG_HOME/borg, or $BORG_BASE_DIR/.config/borg). A default.yaml that is not there is no error.

The file is YAML, and so may be JSON. Keys are the long names of options without the two dashes; _ stands for - too. Common options stand at the top, those of a command below its name, those of "key export" and the like below both words:

  repo: /backup/repository
  lock-wait: 600
  create:
    compression: zstd,3
    exclude: ['sh:**/.cache', '*.o']
    stats: true
  prune:
    keep-daily: 7
    keep-weekly: 4
  key:
    export:
      paper: true

Options without a value take true or false. Options that may be repeated take a list. NAME and PATH arguments cannot stand in the file; roots of create can, as pattern: ['R /home']. A key that does not exist is an error, so a slip does not go unnoticed.

The command line wins over variables (BORG_CREATE__COMPRESSION), these over --config FILE, and that over default.yaml. A list is taken as a whole from one of them: -e on the command line replaces the list exclude of the file.

--print_config prints what is in force for a command instead of running it; =skip_default leaves out what has its default value. It stands before the command:

  cairn --config backup.yaml --print_config= create work /home
  cairn --config backup.yaml --print_config=skip_default prune
  cairn --config backup.yaml create work /home)";

constexpr const char* kExitCodes =
    R"(0 is success. 1 and 100 to 127 are warnings: the command came to its end, but something was not as expected. All others are errors: the command did not do what it should. 128 and more: ended by the signal of this number less 128.

Errors:

  2     wrong usage, reading or writing failed, and all that has no code of its
        own; also Ctrl-C
  3     the question was answered with no
  4     the command cannot be run so: no such archive, several of that name, a
        command of --content-from-command that failed ...
  10    there is a repository already
  11    repo-create: the folder is not empty; else: a part of the repository is
        missing
  13    there is no repository at this place
  15    what is there is no repository
  24    BORG_REPO_PERMISSIONS does not allow that
  31    delete, tag ...: there is no such archive
  33    extract: the folder is not empty (see --overwrite, --continue)
  40 41 43 44 45 49
        a key is missing, damaged, or of another repository
  50    no passphrase given and nobody to ask
  51    BORG_PASSCOMMAND failed
  52 53 wrong passphrase; wrong too often
  60    an unencrypted repository that is not known here, and nobody said yes
  61    the repository is encrypted in another way than last time
  62    the repository is at another place than last time, and nobody said yes
        (see "help environment")
  73    somebody else uses the repository (see --lock-wait)
  17 23 90 92
        data is missing or damaged: run check
  94    the index is damaged: run check, then check --repair

Warnings:

  1     several different warnings; check: damage was found or something is lost
  100   create: a file changed while it was read
  101   a PATH or an include pattern matched nothing
  102 103 104 106
        a file could not be read or written
  105   no permission for a file
  107   a file or a PATH is not there
  108 109
        extract: a path that leads out of the folder
  111   no data from a device or pipe for too long
  112   create: a PATH is a symbolic link that leads nowhere
  113   content is lost or damaged; extract writes zeros in its place

With warnings create still makes an archive, of all that could be read. If a whole PATH is not there (107: a disk that is not mounted), it is an archive without it: look before older archives are pruned.

BORG_EXIT_CODES=legacy makes it 0, 1 for all warnings and 2 for all errors. with-lock ends with the code of the program that it ran. --show-rc logs the code.)";

constexpr const char* kNightly =
    R"sh(A script for a backup every night. The passphrase is in a file that only root can read.

  #!/bin/sh
  # /usr/local/sbin/nightly-backup
  PATH=/usr/local/bin:/usr/bin:/bin
  export BORG_REPO=/backup/repository
  export BORG_PASSCOMMAND='cat /root/backup-passphrase'
  export BORG_LOCK_WAIT=600
  exec >>/var/log/nightly-backup.log 2>&1
  echo "== $(date)"

  cairn create --stats -e 'sh:**/.cache' '{hostname}-home' /home
  rc=$?
  case $rc in
    0 | 100) ;;  # all is stored; 100: a file changed while it was read
    1 | 10[1-9] | 11[0-9])
      echo "Stored with warnings ($rc), nothing is pruned."
      exit $rc ;;
    *)
      echo "NO BACKUP ($rc)."
      exit $rc ;;
  esac

  cairn prune --list -d 7 -w 4 -m 12 '{hostname}-home' || exit
  cairn compact || exit
  if [ "$(date +%u)" = 7 ]; then cairn check || exit; fi

The name is the same every night: so the archives are a series, and prune can choose among them. Every archive is complete, and takes only the space of what is new in it.

create with warnings made an archive, but something may be missing in it, so the script does not prune then; see "help exit-codes". Codes 126 and 127 come from the shell that did not find the program. check ends with 1 if it found damage: never take that for a mere warning.

Install the script and start it from root's crontab (cron mails what is printed):

  install -m 700 nightly-backup /usr/local/sbin/
  install -m 600 passphrase-file /root/backup-passphrase
  30 2 * * * /usr/local/sbin/nightly-backup || echo "backup: see the log"

prune marks archives as deleted, compact frees their space; until then undelete brings them back. Keep a copy of the key and the passphrase elsewhere ("help key export"), and restore something now and then: extract --dry-run reads and verifies all of an archive.)sh";

constexpr Topic kTopics[] = {
    {"patterns", "choosing files by path", kPatterns},
    {"match-archives", "choosing archives", kMatchArchives},
    {"placeholders", "text that is replaced in names and comments", kPlaceholders},
    {"compression", "methods and levels of compression", kCompression},
    {"environment", "environment variables (also: env)", kEnvironment},
    {"config", "options in a file", kConfig},
    {"exit-codes", "what the exit status says", kExitCodes},
    {"nightly", "a script for a backup every night", kNightly},
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

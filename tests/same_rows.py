"""Command lines for same_test.py, and the repository on which they run.

Add a row: Row("the command line without the program's name"). %label% stands for the id of the archive with that label;
build() shows which there are. Fields of a row:

env        variables beside those of the stage
stdin      bytes for standard input
files      {name: bytes} in the folder in which the command runs
any_order  lines may come in any order
new_ids    ids of new archives hold the time of the run: only their number is compared
check      Borg checks the repository that Cairn leaves behind
first_line only the first line of standard output is compared: the rest is advice, in words of each program's own
unlike     folders that Cairn restores on the way to what was chosen, and Borg makes as the umask says: only that they are there
own        the exit code of Cairn where it departs from Borg on purpose (say why beside it); nothing else is compared
"""
import dataclasses
import os
import subprocess


@dataclasses.dataclass
class Row:
    line: str
    env: dict = dataclasses.field(default_factory=dict)
    stdin: bytes | None = None
    files: dict = dataclasses.field(default_factory=dict)
    any_order: bool = False
    new_ids: bool = False
    check: bool = False
    unlike: tuple = ()
    own: int | None = None
    first_line: bool = False


FIRST_TREE = r"""
mkdir -p t/dir t/gone t/d2f t/sub/deep; cd t
echo one > mod; echo same > same; echo x > f2l; echo x > f2d; echo y > owner; echo y > owner2; echo y > unknown; echo e > mode
ln -s a link; ln -s a long; ln -s a l2f; mkfifo fifo fifogone; mknod chr c 1 3; mknod chrch c 1 3; mknod blkgone b 7 1
: > empty; : > empty2; echo h > h1; ln h1 h2; echo gone > gone/f; echo bad > $'bad\xff'; echo nl > $'new\nline'; ln -s x gonelink
echo u > sub/deep/ünï; echo o > old; seq 1 50000 > numbers; seq 1 9000 > sub/more; chown 12345:54321 unknown; chown 1:2 owner2
touch -d '2020-01-01 00:00:00 +0100' dir; chmod 4755 sub/more
find . -exec touch -h -d '2025-03-04 05:06:07 +0100' {} +
"""
SECOND_TREE = r"""
cd t; echo twotwo > mod; rm f2l; ln -s t f2l; rm f2d; mkdir f2d; chown 1:1 owner; chown 12346:54321 unknown; chown 1:3 owner2
chmod 4600 mode; rm link; ln -s b link; rm l2f; echo f > l2f; rm fifogone; rm chrch; mknod chrch c 1 5; rm blkgone; echo new > empty
rm empty2; echo hh >> h1; rm -r gone; rmdir d2f; echo now > d2f; rm $'bad\xff'; echo bad3 > $'bad\xfe'; rm gonelink; ln -s q newlink
mkfifo newfifo; mknod newchr c 1 3; mknod newblk b 7 2; mkdir newdir; touch old; echo nl2 > $'new\nline'; rm long; ln -s ünï long
(seq 1 5000; echo between; seq 5001 48000) > numbers; seq 5 9000 > sub/more; seq 1 30000 > big
"""


def build(place):
    """Archives of two states of a tree, and many small ones for what goes by names, times and tags."""
    def shell(script):
        subprocess.run(["bash", "-ec", script], cwd=place.path, check=True)

    def create(label, name, when, *more, paths=("t",), params="fastcdc,10,16,13,2", **env):
        place.borg("create", "--comment", label, "--timestamp", when, "--chunker-params", params, *more, name, *paths, **env)

    place.borg("repo-create", "-e", "aes256-ocb", "-i", "sha256", stdin=b"")
    shell(FIRST_TREE)
    create("first", "first", "2025-04-01T10:00:00")
    shell(SECOND_TREE)
    create("second", "second", "2025-04-02T10:00:00")
    create("recut", "recut", "2025-04-03T10:00:00", params="fastcdc,10,16,12,2")
    create("noctime", "noctime", "2025-04-04T10:00:00", "--noctime", "--numeric-ids", "--noxattrs")
    shell("mkdir small; echo s > small/s; touch -d '2025-03-04 05:06:07 +0100' small/s small")
    days = ("2024-12-30", "2024-12-31", "2025-01-01", "2025-01-05", "2025-01-06", "2025-03-31", "2025-04-01")
    for number, day in enumerate(days):
        create(f"home{number}", "home", f"{day}T23:30:00", "--tag", "daily", paths=("small",))
    create("late", "home", "2025-04-01T23:59:59.5", paths=("small",), BORG_HOSTNAME="other")
    create("tie1", "tie", "2025-02-02T10:00:00", paths=("small",))
    create("tie2", "tie", "2025-02-02T10:00:00", paths=("small",))
    create("prot", "home", "2025-01-02T00:00:00", "--tag", "@PROT", "--tag", "zz", paths=("small",))
    create("uni", "nämé", "2025-02-03T10:00:00+00:00", "--tag", "a", "--tag", "b", paths=("small",), BORG_USERNAME="jürgen")
    create("pipe", "pipe", "2025-02-04T10:00:00", "--stdin-name", "in/data", paths=("-",))
    create("gone", "gone", "2025-02-05T10:00:00", paths=("small",))
    place.borg("delete", "gone")


PRUNE = [
    Row("prune"),
    Row("prune --keep 0"),
    Row("prune -n --list --keep 1"),
    Row("prune -n --list --keep 1 home"),
    Row("prune -n -v --list --keep 2 --group-by ''"),
    Row("prune -n -v --list --keep 2 --group-by none"),
    Row("prune -n -v --list --keep 1 --group-by tags,user"),
    Row("prune -n -v --list --keep 1 --group-by foo"),
    Row("prune -n -v --list --keep 1 --group-by name,name"),
    Row("prune -n -v --list -d 2 -w 1 -m 1 -y 1 -a home"),
    Row("prune -n --list --keep-13weekly 9 -a home"),
    Row("prune -n --list --keep-3monthly 9 -a home"),
    Row("prune -n --list --keep-3monthly 9 --keep-13weekly 1"),
    Row("prune -n --list --keep-daily 3 --keep-yearly all -a home"),
    Row("prune -n --list --keep-daily all --keep-weekly 1 -a home"),
    Row("prune -n --list --keep-daily 9d --keep-weekly 8d -a home"),
    Row("prune -n --list --keep-daily 30d --from 2025-02-01T00:00:00 -a home"),
    Row("prune -n --list --keep 9y -a 'sh:*'"),
    Row("prune -n --list --keep-hourly 1 --from 2025-01-05 -a home"),
    Row("prune -n --list --keep 1 --from nonsense"),
    Row("prune -n --list --keep x"),
    Row("prune -n --list --keep 3x"),
    Row("prune -n --list --keep 1 --first 3"),
    Row("prune -n --list-kept --keep 1"),
    Row("prune -n --list-pruned --keep 1"),
    Row("prune -n --short --list --keep 1"),
    Row("prune -n --list --keep 1 --format '{archive} {time:%Y} {id:.8} {comment} {tags}'"),
    Row("prune -n --list --keep 1 --format '{nope}'"),
    Row("prune -n --list --keep 1", env={"BORG_PRUNE_FORMAT": "{name}|{hostname}"}),
    Row("prune -n --json --keep 1"),
    Row("prune -n --json --keep 1 --list-kept --format '{comment}{size}{start}'"),
    Row("prune -n --json --keep 1 --list --list-pruned --group-by tags,host"),
    Row("prune -n --json --keep 1 nosuch"),
    Row("prune -n --keep 1 -v nosuch"),
    Row("prune -n --log-json --list --progress -v --keep 1"),
    Row("prune -n --list --progress --keep 1"),
    Row("prune -n --progress --keep 1"),
    Row("prune --keep 1 --list", check=True),
    Row("prune --keep 1 --json home"),
    Row("prune --keep-weekly 2 --log-json --list home -a 'tags:daily'"),
    Row("prune --keep 100"),
    Row("prune -n --keep-daily=", own=2),  # b25 crashes
]
NAMES = [
    Row("rename first renamed", check=True),
    Row("rename -v --log-json first 'x-{hostname}-{now:%Y}'"),
    Row("rename aid:%home3% moved"),
    Row("rename home moved"),
    Row("rename nosuch moved"),
    Row("rename first"),
    Row("rename first a/b"),
    Row("rename first ' x'"),
    Row("rename first '{nope}'"),
    Row("rename aid:%prot% unprotected"),
    Row("rename first nämé"),
    Row("rename first first", own=0),  # b25 loses the archive
    Row("copy first copied", check=True),
    Row("copy -v first copied"),
    Row("copy -v --log-json aid:%prot% copied"),
    Row("copy first first"),
    Row("copy first home"),
    Row("copy nosuch x"),
    Row("copy home x"),
    Row("tag"),
    Row("tag first"),
    Row("tag nosuch"),
    Row("tag -a home --sort-by name,timestamp --last 2"),
    Row("tag -a 'tags:daily' --first 2"),
    Row("tag --add x first", check=True),
    Row("tag --add x --add x --add b nämé"),
    Row("tag --add a nämé"),
    Row("tag --set x --set y --add z --remove x nämé"),
    Row("tag --set x aid:%prot%"),
    Row("tag --set x --log-json aid:%prot%"),
    Row("tag --set x --add y aid:%prot%"),
    Row("tag --set x --set @PROT aid:%prot%"),
    Row("tag --clear aid:%prot%"),
    Row("tag --clear --add n -a 'sh:*' --last 3"),
    Row("tag --remove @PROT aid:%prot%"),
    Row("tag --remove nosuch -a home"),
    Row("tag --add @PROT first"),
    Row("tag --add x"),
    Row("tag --clear"),
    Row("tag --clear --set x first"),
    Row("tag --add ''  first"),
    Row("tag --add 'a b' first"),
    Row("tag --add @FOO first"),
    Row("tag --add 12345678901 first"),
]

FIND = [
    Row("find t/mod"),
    Row("find small"),
    Row("find -a home small/s"),
    Row("find -a home --last 2 small/s --format '{archiveid:.8} {archivename} {path} {size}{NL}'"),
    Row("find --sort-by name 'sh:**/s'"),
    Row("find nosuch"),
    Row("find -a nosuch small"),
    Row("find -v -a home --first 2 small/s"),
    Row("find -v --log-json -a 'tie' small/s"),
    Row("find --json-lines -a home small"),
    Row("find --json-lines --format '{sha256}{num_chunks}' t/mod t/link t/sub"),
    Row("find -e 're:s$' -a tie"),
    Row("find --pattern '+ small/s' --pattern '- *' -a tie"),
    Row("find --format '{nope}' x"),
    Row("find -a tie", env={"BORG_FIND_FORMAT": "{path}|{NL}"}),
    Row("find --from-nowhere x"),
]

DIFF = [
    Row("diff first second"),
    Row("diff second first"),
    Row("diff first first"),
    Row("diff first second --content-only"),
    Row("diff first second --content-only --stats"),
    Row("diff first second --stats --log-json"),
    Row("diff first second --json-lines"),
    Row("diff second first --json-lines --stats"),
    Row("diff first second --json-lines --content-only"),
    Row("diff first second --numeric-ids"),
    Row("diff first second --numeric-ids --json-lines"),
    Row("diff second noctime"),
    Row("diff second noctime --json-lines"),
    Row("diff second noctime --numeric-ids -s"),
    Row("diff first noctime --sort-by ctime,path --format '{path}{NL}'"),
    Row("diff first noctime --sort-by ctime_diff,path --format '{path}{NL}'"),
    Row("diff noctime first --sort-by ctime_diff,path --format '{path}{NL}'"),
    Row("diff first recut"),
    Row("diff second recut -s"),
    Row("diff first recut --json-lines -s --content-only"),
    Row("diff first recut --log-json t/mod"),
    Row("diff first recut --same-chunker-params --content-only"),
    Row("diff first second t/mod t/nosuch"),
    Row("diff first second t/mod t/nosuch --log-json"),
    Row("diff first second -e 'sh:t/*o*'"),
    Row("diff first second --pattern '+ t/mod' --pattern '- *'"),
    Row("diff first aid:%home3% --content-only"),
    Row("diff nosuch first"),
    Row("diff first"),
    Row("diff first home"),
    Row("diff first second", env={"BORG_UNITS": "iec"}),
    Row("diff first second -s --content-only", env={"BORG_UNITS": "raw"}),
    Row("diff first second", env={"BORG_DIFF_FORMAT": "{content}|{path}{NL}"}),
    Row("diff first second --format '{content}{NL}'"),
    Row("diff first second --format '{mode}{NL}' -s"),
    Row("diff first second --format '{path:.6}|{type:>12}|{owner}|{user}|{group}|{link}|{directory}|{blkdev}|{chrdev}|{fifo}{NL}'"),
    Row("diff first second --format '{mtime}{isomtime}{ctime:<10}{isoctime}{TAB}{path!r}{NL}'"),
    Row("diff first second --format '{nope}'"),
    Row("diff first second --format '{path'"),
    Row("diff first second --sort-by nope"),
    Row("diff first second --sort-by ,"),
    *(Row(f"diff first second --format '{{path}}{{NL}}' --sort-by '{field}'")
      for field in ("path", ">path", "size_added", ">size_added", "size_removed", "<size_removed,>path", "size_diff", "size", "user", "group",
                    "uid", "gid", "ctime", "mtime", "ctime_diff", ">mtime_diff", "size,user,>path")),
]

EXISTING = [
    Row("repo-list"),
    Row("repo-list --short"),
    Row("repo-list --json"),
    Row("repo-list --json --format '{start}{end}{command_line}{size}{nfiles}{tags}'"),
    Row("repo-list --deleted"),
    Row("repo-list --deleted --json"),
    Row("repo-list --group-by name"),
    Row("repo-list --group-by host,tags --json"),
    Row("repo-list --group-by nope"),
    Row("repo-list --sort-by name,timestamp --format '{archive:<20}|{time}|{comment:>9.3}|{tags}{NL}'"),
    Row("repo-list --sort-by id --format '{id}{NL}'"),
    Row("repo-list --sort-by user,host,tags --short"),
    Row("repo-list --first 3"),
    Row("repo-list --last 3 --sort-by name"),
    Row("repo-list --first 3 --last 3"),
    Row("repo-list --first 0"),
    Row("repo-list --oldest 10d"),
    Row("repo-list --newest 2m"),
    Row("repo-list --older 1d"),
    Row("repo-list --newer 1d"),
    Row("repo-list --newer 10y --older 1d"),
    Row("repo-list --older 1x"),
    Row("repo-list -a 'sh:h*'"),
    Row("repo-list -a 're:.*e'"),
    Row("repo-list -a 'host:other'"),
    Row("repo-list -a 'user:jürgen'"),
    Row("repo-list -a 'tags:a,b'"),
    Row("repo-list -a 'tags:daily' -a home"),
    Row("repo-list -a 'date:2025-01'"),
    Row("repo-list -a 'date:2025-02-03T10:00Z'"),
    Row("repo-list -a 'date:nonsense'"),
    Row("repo-list -a aid:zz"),
    Row("repo-list -a aid:%home3%"),
    Row("repo-list -a 're:['", own=4),  # b25 crashes
    Row("repo-list --format '{nope}'"),
    Row("repo-list --format '{time:%d.%m.%Y}{NL}'"),
    Row("repo-list", env={"BORG_REPO_LIST_FORMAT": "{name}{TAB}{id:.8}{NL}"}),
    Row("repo-list --json", env={"BORG_JSON_INDENT": "none"}),
    Row("repo-info --json"),
    Row("info first"),
    Row("info first --json"),
    Row("info -a 'home'"),
    Row("info nämé --json"),
    Row("info nosuch"),
    Row("info -a nosuch"),
    Row("info home"),
    Row("list first"),
    Row("list first --short"),
    Row("list second --json-lines"),
    Row("list first t/dir t/sub"),
    Row("list first t/nosuch"),
    Row("list first -e '*/deep' t/sub"),
    Row("list first --depth 1 --short"),
    Row("list first --depth 0 --short"),
    Row("list first --format '{type} {mode} {uid} {gid} {user:>8} {group:<8} {size:>9} {num_chunks} {isomtime} {hlid} {flags} {extra} {path}{NL}'"),
    Row("list first --format '{md5} {sha1} {sha512:.9} {blake3} {sha3_256} {blake2b:.9} {path}{NL}'"),
    Row("list noctime --format '{ctime} {atime} {isoctime} {isoatime} {user} {uid} {path}{NL}'"),
    Row("list first --format '{archiveid} {archivename} {target}{NUL}'"),
    Row("list first --format '{size:foo}'", own=4),  # b25 crashes
    *(Row(f"list first --short --sort-by '{field}'") for field in ("path", ">path", "size,path", ">mode,path", "type,>path", "user,group,path",
                                                                     "uid,gid,path", "mtime,path", "ctime,path", "atime,path")),
    Row("list first --sort-by nope"),
    Row("list first --sort-by ''"),
    Row("list first --sort-by ,"),
    Row("list first --short --sort-by path,"),
    Row("list pipe"),
    Row("list aid:%home3%"),
    Row("list home"),
    Row("extract first --dry-run --list"),
    Row("extract first --dry-run --list --strip-components 1 t/sub t/nosuch"),
    Row("extract first --dry-run --list --log-json -e 'sh:**/deep'"),
    Row("extract first t/sub t/mod t/link t/h1 t/h2 --list", unlike=(b"t",)),
    Row("extract first --strip-components 2 t/sub"),
    Row("extract first --numeric-ids t/owner2 t/unknown", unlike=(b"t",)),
    Row("extract pipe --stdout"),
    Row("extract first", files={"here": b"x"}),
    Row("extract first --continue t/mod", files={"here": b"x"}, unlike=(b"t",)),
    Row("extract home"),
    Row("delete"),
    Row("delete first --list", check=True),
    Row("delete home --list"),
    Row("delete -a home --list"),
    Row("delete -a home --first 2 --list --log-json"),
    Row("delete -n -a 'sh:*' --list"),
    Row("delete aid:%prot% --list"),
    Row("delete nosuch"),
    Row("delete -a nosuch --list"),
    Row("undelete"),
    Row("undelete gone --list"),
    Row("undelete -n -a 'sh:*' --list -v"),
    Row("undelete nosuch"),
    Row("check"),
    Row("check -v --archives-only"),
    Row("check -v --archives-only -a home --format '{id:.8}|{name}'"),
    Row("check --log-json --progress --archives-only"),
    Row("check --repository-only --verify-data"),
    Row("check --max-duration 1"),
    # Refused before the question is asked, not after it.
    Row("check --archives-only --repair --max-age 1d", own=4),
    Row("check --repair --max-age 1d", own=4),
    Row("check --repair --max-duration 1 --repository-only", own=4),
    Row("check --repository-only --find-lost-archives"),
    Row("check --find-lost-archives"),
    Row("check --archives-only -v --find-lost-archives"),
    Row("check --undelete-archives"),
    Row("check --repair", check=True),
    Row("check --repair --verify-data", check=True),
    Row("check --repair --archives-only --find-lost-archives", check=True),
    Row("check --repair --repository-only", env={"BORG_CHECK_I_KNOW_WHAT_I_AM_DOING": "NO"}),
    Row("check --repair --repository-only", env={"BORG_CHECK_I_KNOW_WHAT_I_AM_DOING": "yes"}, check=True),
    Row("check --repair --repository-only --archives-only"),
    Row("create -n --list new .", files={"a": b"a", "b": b"bb"}, any_order=True),
    Row("create --list new . --timestamp 2025-06-01T00:00:00", files={"a": b"a", "b": b"bb"}, any_order=True, new_ids=True, check=True),
    Row("create new nosuch", new_ids=True),
    Row("create --map m new a", files={"m": b"0 1 data\n1 0x2 zero # x\r\n", "a": b"a\0\0"}, new_ids=True, check=True),
    Row("create --map m --list --json new a -n", files={"m": b"0 3 data", "a": b"abc"}),
    Row("create --map m new a", files={"m": b"0 4 data", "a": b"abc"}),
    Row("create --map m new a", files={"m": b"\n0 3", "a": b"abc"}),
    Row("create --map m new a", files={"m": b"0 x'\"3 data", "a": b"abc"}),
    Row("create --map m new a", files={"m": b"0 3 same", "a": b"abc"}),
    Row("create --map m --reuse-from pipe new a", files={"m": b"0 3 Same", "a": b"abc"}),
    Row("create --map m new a", files={"m": b"0 -3 data", "a": b"abc"}),
    Row("create --map m new a", files={"m": b"0 1 data\n2 1 data", "a": b"abc"}),
    Row("create --map m new a", files={"m": b"# nothing", "a": b"abc"}),
    Row("create --map m new nosuch", files={"m": b"0 3 data"}),
    Row("create --map m new .", files={"m": b"0 3 data"}),
    Row("create --map m new -", files={"m": b"0 3 data"}),
    Row("create --map m new m m", files={"m": b"0 3 data"}),
    Row("create --map m --read-special new /dev/null", files={"m": b"0 3 data"}),
    Row("create --map m --paths-from-stdin new", files={"m": b"0 3 data"}),
    Row("create --map m --content-from-command new -- true", files={"m": b"0 3 data"}),
    Row("create --reuse-from pipe new a", files={"a": b"abc"}),
    Row("create --reuse-path small/s new a", files={"a": b"abc"}),
    Row("create --map m --reuse-from nosuch new a", files={"m": b"0 3 same", "a": b"abc"}),
    Row("create --map m --reuse-from home new a", files={"m": b"0 3 same", "a": b"abc"}),
    Row("create --map m --reuse-from second new a", files={"m": b"0 3 same", "a": b"abc"}),
    Row("create --map m --reuse-from second --reuse-path \"it's\" new a", files={"m": b"0 3 same", "a": b"abc"}),
    Row("create --map m --reuse-from second --reuse-path t/mode new a", files={"m": b"0 2 same", "a": b"e\n"}, new_ids=True, check=True),
    Row("create --map m --reuse-from nämé --list new a", files={"m": b"0 2 same\n2 1 data", "a": b"s\n."}, new_ids=True, check=True),
    Row("create --map m --reuse-from pipe new a", files={"m": b"0 3 same", "a": b"abc"}, new_ids=True, check=True),
    Row("create --json -n new .", files={"a": b"a"}),
    Row("create --content-from-command new -- false"),
    Row("create --stdin-name a/../b new -", stdin=b"x"),
    Row("create --stdin-name ./ new -", stdin=b"x"),
    Row("create --list --stdin-name ./a//b/ new -", stdin=b"x", new_ids=True, check=True),
    Row("create --read-special-timeout 5 new ."),
    *(Row(f"create -n new . --group-by '{keys}'") for keys in ("", "none", "name,", "host,host", "tags")),
    Row("create new"),
    Row("create 'a/b' x"),
    Row("create --comment '{nope}' new x"),
    Row("create -C nope new x"),
    Row("create --chunker-params 1,2 new x"),
    Row("key list"),
    Row("version --json"),
    Row("with-lock sh -c 'exit 7'"),
    Row("with-lock /nope/x"),
    Row("repo-info", env={"BORG_PASSPHRASE": "wrong"}),
    Row("repo-list --show-rc"),
    Row("repo-list --log-json --show-rc --show-version", env={"BORG_EXIT_CODES": "legacy"}),
    Row("info nosuch --show-rc", env={"BORG_EXIT_CODES": "legacy"}),
    Row("list nosuch --log-json --show-rc"),
    Row("frobnicate"),
    Row("repo-list --nope"),
]

SPACE = [
    Row("analyze --json"),
    Row("analyze --json -a home"),
    Row("analyze --json -a 'sh:*'"),
    Row("analyze --json -a first -a 'date:2025-04'"),
    Row("analyze --json --sort-by timestamp --first 2"),
    Row("analyze --json --sort-by name --first 4"),
    Row("analyze --json --group-by name"),
    Row("analyze --json --group-by host,tags,user"),
    Row("analyze --group-by ''"),
    Row("analyze --group-by name -a home"),
    Row("analyze --group-by nope"),
    Row("analyze --group-by name,name"),
    Row("analyze -a nosuch"),
    Row("analyze --json -v --log-json -a tie"),
    Row("repo-space", first_line=True),
    Row("repo-space --reserve 1"),
    Row("repo-space --reserve 70M"),
    Row("repo-space --reserve x"),
    Row("repo-space --free", first_line=True),
    Row("repo-space", env={"BORG_PASSPHRASE": "wrong"}, own=0),  # needs no key
    Row("completion nosuch"),
]

NOBODY = "0" * 63 + "1"
DEBUG = [
    Row("debug dump-archive first -"),
    Row("debug dump-archive second -"),
    Row("debug dump-archive uni -"),
    Row("debug dump-archive pipe out.json"),
    Row("debug dump-archive nosuch -"),
    Row("debug dump-archive-items second"),
    Row("debug dump-archive-items aid:zz"),
    Row("debug dump-repo-objs", any_order=True),
    Row("debug search-repo-objs str:nowhere-to-be-found"),
    Row("debug search-repo-objs hex:6"),
    Row("debug search-repo-objs anything"),
    Row("debug id-hash f", files={"f": b"content"}),
    Row("debug id-hash f", files={"f": b""}),
    Row("debug get-obj xx o"),
    Row("debug get-obj 123 o"),
    Row("debug get-obj 1234 o"),
    Row(f"debug get-obj {NOBODY} o"),
    Row(f"debug get-obj {NOBODY} o --show-rc"),
    Row("debug put-obj xx f", files={"f": b"x"}),
    Row("debug parse-obj 12 f b j", files={"f": b"x"}),
    Row("debug format-obj 12 f j o", files={"f": b"x", "j": b"{}"}),
    Row(f"debug delete-obj xx {NOBODY} 12", check=True),
    Row("debug delete-obj"),
    Row("debug id-hash f", files={"f": b"x"}, env={"BORG_PASSPHRASE": "wrong"}),
]

ROWS = PRUNE + NAMES + FIND + DIFF + EXISTING + SPACE + DEBUG

/* A file system that behaves strangely, for tests: loaded into a program with LD_PRELOAD.
 *
 * STRANGE_INODES=4321   regular files of 4321 bytes have another inode number each time that somebody asks, as on network
 *                       and user space file systems that make numbers up
 * STRANGE_CASE=1        names that begin with "case", in whatever letters, are the same name whatever their letters are, and
 *                       are kept as they were first written, as on the file systems of Windows and macOS
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(real))dlsym(RTLD_NEXT, #name)

static unsigned long long made_up(void) {
  static unsigned long long counter;
  return 5000000 + __atomic_add_fetch(&counter, 1, __ATOMIC_RELAXED);
}

static int strange(unsigned mode, unsigned long long size) {
  const char *wanted = getenv("STRANGE_INODES");
  return wanted && S_ISREG(mode) && size == strtoull(wanted, 0, 10);
}

static __typeof__(&openat64) real_openat(void) {
  static __typeof__(&openat64) real;
  if (!real) real = (__typeof__(real))dlsym(RTLD_NEXT, "openat64");
  return real;
}

/* The path with each name as the folder that it is in spells it, if it has it at all. */
static const char *fold(int dir, const char *path, char *room, size_t size) {
  if (!path || !getenv("STRANGE_CASE") || strlen(path) >= size) return path;
  strcpy(room, path);
  for (char *part = room; part && *part; part = strchr(part, '/')) {
    while (*part == '/') part++;
    if (strncasecmp(part, "case", 4) != 0) continue;
    char *end = strchrnul(part, '/'), slash = *end;
    *end = 0;
    char name[256];
    strncpy(name, part, sizeof name - 1);
    name[sizeof name - 1] = 0;
    *part = 0;
    int fd = real_openat()(dir, room[0] ? room : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd < 0 ? 0 : fdopendir(fd);
    for (struct dirent64 *entry; folder && (entry = readdir64(folder));) {
      if (strcasecmp(entry->d_name, name) == 0) strcpy(name, entry->d_name);
    }
    if (folder) closedir(folder);
    memcpy(part, name, strlen(name));
    *end = slash;
  }
  return room;
}
#define FOLD(path) char room[8192]; path = fold(dir, path, room, sizeof room)

int statx(int dir, const char *path, int flags, unsigned mask, struct statx *out) {
  REAL(statx);
  FOLD(path);
  int result = real(dir, path, flags, mask, out);
  if (result == 0 && strange(out->stx_mode, out->stx_size)) out->stx_ino = made_up();
  return result;
}
int fstat64(int fd, struct stat64 *out) {
  REAL(fstat64);
  int result = real(fd, out);
  if (result == 0 && strange(out->st_mode, (unsigned long long)out->st_size)) out->st_ino = made_up();
  return result;
}
int fstatat64(int dir, const char *path, struct stat64 *out, int flags) {
  REAL(fstatat64);
  FOLD(path);
  int result = real(dir, path, out, flags);
  if (result == 0 && strange(out->st_mode, (unsigned long long)out->st_size)) out->st_ino = made_up();
  return result;
}
int openat64(int dir, const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0;
  va_end(more);
  FOLD(path);
  return real_openat()(dir, path, flags, mode);
}
int mkdirat(int dir, const char *path, mode_t mode) { REAL(mkdirat); FOLD(path); return real(dir, path, mode); }
int mknodat(int dir, const char *path, mode_t mode, dev_t device) { REAL(mknodat); FOLD(path); return real(dir, path, mode, device); }
int mkfifoat(int dir, const char *path, mode_t mode) { REAL(mkfifoat); FOLD(path); return real(dir, path, mode); }
int symlinkat(const char *target, int dir, const char *path) { REAL(symlinkat); FOLD(path); return real(target, dir, path); }
int unlinkat(int dir, const char *path, int flags) { REAL(unlinkat); FOLD(path); return real(dir, path, flags); }
int fchownat(int dir, const char *path, uid_t uid, gid_t gid, int flags) { REAL(fchownat); FOLD(path); return real(dir, path, uid, gid, flags); }
int utimensat(int dir, const char *path, const struct timespec times[2], int flags) { REAL(utimensat); FOLD(path); return real(dir, path, times, flags); }
int linkat(int from_dir, const char *from, int dir, const char *path, int flags) {
  REAL(linkat);
  char other[8192];
  from = fold(from_dir, from, other, sizeof other);
  FOLD(path);
  return real(from_dir, from, dir, path, flags);
}
long syscall(long number, ...) {
  REAL(syscall);
  va_list more;
  va_start(more, number);
  long words[6];
  for (int i = 0; i < 6; i++) words[i] = va_arg(more, long);
  va_end(more);
  char room[8192];
  /* openat2, and the extended attributes of names */
  if (number == SYS_openat2 || (number >= 463 && number <= 466)) {
    words[1] = (long)fold((int)words[0], (const char *)words[1], room, sizeof room);
  }
  return real(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

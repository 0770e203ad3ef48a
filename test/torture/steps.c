/*
 * Counts the file operations of a program and of all its children, in one order, and at the chosen one ends the process,
 * ends all of them, or lets the operation fail with a real errno. Loaded with LD_PRELOAD; steps.ts tells it what to do.
 * CLOCK_OFFSET puts the clock off by so many seconds.
 * Only paths below STEPS_UNDER count; the counter is shared through the file STEPS_FILE, each step is a line in STEPS_LOG.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

/* Kinds of steps, as a bit set; the same numbers stand in steps.ts. */
enum { OPENR = 1, OPENW = 2, READ = 4, WRITE = 8, SYNC = 16, RENAME = 32, LINK = 64, UNLINK = 128, MKDIR = 256, MODE = 512 };
/* What happens at the chosen step; the same numbers stand in steps.ts. */
enum { RECORD, KILL_ONE, KILL_ALL, FAIL_ONCE, FAIL_ON };

#define MOST 4096
struct shared {
  uint32_t count, at, act, error, kinds, dead, processes;
  int32_t pid[MOST];
};

static struct shared *shared;
static const char *under, *logfile;
static size_t under_length;
/* Seconds that the clock is off; CLOCK_OFFSET. */
static long offset;

__attribute__((constructor)) static void begin(void) {
  const char *off = getenv("CLOCK_OFFSET");
  if (off) offset = atol(off);
  const char *file = getenv("STEPS_FILE");
  under = getenv("STEPS_UNDER");
  logfile = getenv("STEPS_LOG");
  if (!file || !under || !logfile) return;
  under_length = strlen(under);
  int fd = (int)syscall(SYS_open, file, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  void *at = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  syscall(SYS_close, fd);
  if (at == MAP_FAILED) return;
  shared = at;
  uint32_t place = __atomic_fetch_add(&shared->processes, 1, __ATOMIC_SEQ_CST);
  if (place < MOST) shared->pid[place] = getpid();
  if (shared->dead) syscall(SYS_kill, getpid(), SIGKILL);
}

static void note(uint32_t number, uint32_t kind, const char *call, const char *path, const char *what) {
  char line[4400], name[64] = "?";
  int fd = (int)syscall(SYS_open, "/proc/self/comm", O_RDONLY);
  if (fd >= 0) {
    long n = syscall(SYS_read, fd, name, sizeof name - 1);
    name[n > 0 ? n - 1 : 0] = 0;
    syscall(SYS_close, fd);
  }
  int n = snprintf(line, sizeof line, "%u\t%u\t%d\t%s\t%s\t%s\t%s\n", number, kind, getpid(), name, call, path, what);
  fd = (int)syscall(SYS_open, logfile, O_WRONLY | O_APPEND | O_CREAT, 0644);
  if (fd < 0) return;
  syscall(SYS_write, fd, line, n < (int)sizeof line ? n : (int)sizeof line);
  syscall(SYS_close, fd);
}

static int is_ours(const char *path) {
  return strncmp(path, under, under_length) == 0 && (path[under_length] == '/' || path[under_length] == 0);
}

/* What a path names, before links: enough to tell whether it lies below the folder. */
static int at_path(int folder, const char *path, char *out, size_t size) {
  char base[2048] = "";
  if (!path) return 0;
  if (path[0] == '/') snprintf(out, size, "%s", path);
  else {
    if (folder == AT_FDCWD) {
      if (syscall(SYS_getcwd, base, sizeof base) <= 0) return 0;
    } else {
      char link[64];
      snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
      long n = syscall(SYS_readlink, link, base, sizeof base - 1);
      if (n <= 0) return 0;
      base[n] = 0;
    }
    snprintf(out, size, "%s/%s", base, path);
  }
  return is_ours(out);
}

static int at_fd(int fd, char *out, size_t size) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  long n = syscall(SYS_readlink, link, out, size - 1);
  if (n <= 0) return 0;
  out[n] = 0;
  return is_ours(out);
}

/* 0: go on. An errno: fail with it. With `fd`, half of what was to be written is written before a kill: a torn write. */
static int step(uint32_t kind, const char *call, const char *path, int fd, const void *bytes, size_t length) {
  if (shared->dead) syscall(SYS_kill, getpid(), SIGKILL);
  if (!(shared->kinds & kind)) return 0;
  uint32_t number = __atomic_add_fetch(&shared->count, 1, __ATOMIC_SEQ_CST);
  uint32_t act = shared->act;
  int hit = act != RECORD && (number == shared->at || (act == FAIL_ON && number > shared->at));
  note(number, kind, call, path, !hit ? "" : act <= KILL_ALL ? "killed" : "failed");
  if (!hit) return 0;
  if (act == FAIL_ONCE || act == FAIL_ON) return (int)shared->error;
  if (bytes && length > 1) syscall(SYS_write, fd, bytes, length / 2);
  if (act == KILL_ALL) {
    shared->dead = 1;
    uint32_t all = shared->processes < MOST ? shared->processes : MOST;
    for (uint32_t i = 0; i < all; i++)
      if (shared->pid[i] != getpid()) syscall(SYS_kill, shared->pid[i], SIGKILL);
  }
  syscall(SYS_kill, getpid(), SIGKILL);
  return 0;
}

#define REAL(name) \
  static __typeof__(name) *real; \
  if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)
#define FAILING(kind, call, path, bad) \
  do { \
    int wrong_ = step(kind, call, path, -1, NULL, 0); \
    if (wrong_) { errno = wrong_; return bad; } \
  } while (0)
#define ON_PATH(kind, folder, path, bad) \
  do { \
    char full_[4096]; \
    if (shared && at_path(folder, path, full_, sizeof full_)) FAILING(kind, __func__, full_, bad); \
  } while (0)
#define ON_FD(kind, fd, bad) \
  do { \
    char full_[4096]; \
    if (shared && at_fd(fd, full_, sizeof full_)) FAILING(kind, __func__, full_, bad); \
  } while (0)
#define WRITES(flags) (((flags) & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) ? OPENW : OPENR)

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    REAL(name); \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
    va_end(rest); \
    ON_PATH(WRITES(flags), AT_FDCWD, path, -1); \
    return real(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
  int name(int folder, const char *path, int flags, ...) { \
    REAL(name); \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
    va_end(rest); \
    ON_PATH(WRITES(flags), folder, path, -1); \
    return real(folder, path, flags, mode); \
  }
OPENAT(openat)
OPENAT(openat64)

int __open64_2(const char *path, int flags) {
  ON_PATH(WRITES(flags), AT_FDCWD, path, -1);
  return (int)syscall(SYS_open, path, flags, 0);
}
int __open_2(const char *path, int flags) {
  ON_PATH(WRITES(flags), AT_FDCWD, path, -1);
  return (int)syscall(SYS_open, path, flags, 0);
}

#define FOPEN(name) \
  FILE *name(const char *path, const char *mode) { \
    REAL(name); \
    ON_PATH(mode[0] == 'r' && !strchr(mode, '+') ? OPENR : OPENW, AT_FDCWD, path, NULL); \
    return real(path, mode); \
  }
FOPEN(fopen)
FOPEN(fopen64)

DIR *opendir(const char *path) { REAL(opendir); ON_PATH(OPENR, AT_FDCWD, path, NULL); return real(path); }
int scandir64(const char *path, struct dirent64 ***names, int (*pick)(const struct dirent64 *),
              int (*order)(const struct dirent64 **, const struct dirent64 **)) {
  REAL(scandir64);
  ON_PATH(OPENR, AT_FDCWD, path, -1);
  return real(path, names, pick, order);
}

ssize_t read(int fd, void *to, size_t length) { REAL(read); ON_FD(READ, fd, -1); return real(fd, to, length); }
ssize_t pread64(int fd, void *to, size_t length, off64_t from) {
  REAL(pread64);
  ON_FD(READ, fd, -1);
  return real(fd, to, length, from);
}
ssize_t write(int fd, const void *bytes, size_t length) {
  REAL(write);
  char full[4096];
  if (shared && at_fd(fd, full, sizeof full)) {
    int wrong = step(WRITE, "write", full, fd, bytes, length);
    if (wrong) { errno = wrong; return -1; }
  }
  return real(fd, bytes, length);
}
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t from) {
  REAL(pwrite64);
  ON_FD(WRITE, fd, -1);
  return real(fd, bytes, length, from);
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL(writev);
  char full[4096];
  if (shared && at_fd(fd, full, sizeof full)) {
    int wrong = step(WRITE, "writev", full, fd, parts[0].iov_base, parts[0].iov_len);
    if (wrong) { errno = wrong; return -1; }
  }
  return real(fd, parts, count);
}
ssize_t sendfile64(int to, int from, off64_t *offset, size_t length) {
  static ssize_t (*real)(int, int, off64_t *, size_t);
  if (!real) real = (ssize_t (*)(int, int, off64_t *, size_t))dlsym(RTLD_NEXT, "sendfile64");
  ON_FD(WRITE, to, -1);
  return real(to, from, offset, length);
}

/* Node calls some of the kernel by number. */
long syscall(long number, ...) {
  static long (*real)(long, ...);
  if (!real) real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  va_list rest;
  va_start(rest, number);
  long a = va_arg(rest, long), b = va_arg(rest, long), c = va_arg(rest, long);
  long d = va_arg(rest, long), e = va_arg(rest, long), f = va_arg(rest, long);
  va_end(rest);
#ifdef SYS_copy_file_range
  if (number == SYS_copy_file_range) ON_FD(WRITE, (int)c, -1);
#endif
  return real(number, a, b, c, d, e, f);
}

int clock_gettime(clockid_t clock, struct timespec *at) {
  REAL(clock_gettime);
  int result = real(clock, at);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) at->tv_sec += offset;
  return result;
}
int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  REAL(gettimeofday);
  int result = real(at, zone);
  if (result == 0 && at) at->tv_sec += offset;
  return result;
}
time_t time(time_t *at) {
  REAL(time);
  time_t now = real(NULL) + offset;
  if (at) *at = now;
  return now;
}

int fsync(int fd) { REAL(fsync); ON_FD(SYNC, fd, -1); return real(fd); }
int fdatasync(int fd) { REAL(fdatasync); ON_FD(SYNC, fd, -1); return real(fd); }
int rename(const char *from, const char *to) { REAL(rename); ON_PATH(RENAME, AT_FDCWD, to, -1); return real(from, to); }
int link(const char *from, const char *to) { REAL(link); ON_PATH(LINK, AT_FDCWD, to, -1); return real(from, to); }
int symlink(const char *text, const char *to) { REAL(symlink); ON_PATH(LINK, AT_FDCWD, to, -1); return real(text, to); }
int unlink(const char *path) { REAL(unlink); ON_PATH(UNLINK, AT_FDCWD, path, -1); return real(path); }
int rmdir(const char *path) { REAL(rmdir); ON_PATH(UNLINK, AT_FDCWD, path, -1); return real(path); }
int mkdir(const char *path, mode_t mode) { REAL(mkdir); ON_PATH(MKDIR, AT_FDCWD, path, -1); return real(path, mode); }
char *mkdtemp(char *path) { REAL(mkdtemp); ON_PATH(MKDIR, AT_FDCWD, path, NULL); return real(path); }
int chmod(const char *path, mode_t mode) { REAL(chmod); ON_PATH(MODE, AT_FDCWD, path, -1); return real(path, mode); }
int fchmod(int fd, mode_t mode) { REAL(fchmod); ON_FD(MODE, fd, -1); return real(fd, mode); }
int ftruncate64(int fd, off64_t length) { REAL(ftruncate64); ON_FD(WRITE, fd, -1); return real(fd, length); }
int futimens(int fd, const struct timespec times[2]) { REAL(futimens); ON_FD(MODE, fd, -1); return real(fd, times); }
// Git makes an object that is there young again by it.
int utime(const char *path, const struct utimbuf *times) { REAL(utime); ON_PATH(MODE, AT_FDCWD, path, -1); return real(path, times); }
int utimensat(int folder, const char *path, const struct timespec times[2], int flags) {
  REAL(utimensat);
  ON_PATH(MODE, folder, path, -1);
  return real(folder, path, times, flags);
}

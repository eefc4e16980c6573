/* A file system that fails: preloaded, it makes one call on a file below a folder fail, the Nth of its kind.
 *
 *   FAULTS_UNDER   the folder, as the kernel names it
 *   FAULTS_CALL    open read write sync rename: what fails, and is counted
 *   FAULTS_AT      which of them, counted from 1 over all processes; 0 for none
 *   FAULTS_ERROR   the error's number
 *   FAULTS_LASTS   1 when all that follow fail too, as they do on a full disk; a write then takes half of its bytes first
 *   FAULTS_LEDGER  a file that all processes share: how many calls there were, how many failed, and the path of the first
 *
 * It allocates nothing and prints nothing. A call that it does not know goes past it: what maps files, and what makes system
 * calls without the C library.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* What the processes share. */
struct ledger {
    _Atomic uint64_t calls;
    _Atomic uint64_t failed;
    char path[PATH_MAX];
};

static struct ledger *ledger;
static const char *under, *kind;
static uint64_t at;
static int error_number;
static bool lasts;

__attribute__((constructor)) static void begin(void)
{
    const char *const path = getenv("FAULTS_LEDGER");
    const char *const number = getenv("FAULTS_AT");
    const char *const code = getenv("FAULTS_ERROR");
    const char *const all = getenv("FAULTS_LASTS");
    long file;
    void *shared;

    under = getenv("FAULTS_UNDER");
    kind = getenv("FAULTS_CALL");
    if (path == NULL || under == NULL || kind == NULL) {
        return;
    }
    at = number == NULL ? 0 : strtoull(number, NULL, 10);
    error_number = code == NULL ? EIO : atoi(code);
    lasts = all != NULL && *all == '1';
    file = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
    if (file < 0) {
        return;
    }
    shared = mmap(NULL, sizeof *ledger, PROT_READ | PROT_WRITE, MAP_SHARED, (int)file, 0);
    (void)syscall(SYS_close, file);
    if (shared != MAP_FAILED) {
        ledger = shared;
    }
}

static bool is_below(const char *path)
{
    const size_t length = strlen(under);
    return strncmp(path, under, length) == 0 && (path[length] == '/' || path[length] == 0);
}

/* Whether a call of this kind on this path fails. */
static bool fails(const char *call, const char *path)
{
    uint64_t number;

    if (ledger == NULL || strcmp(call, kind) != 0 || !is_below(path)) {
        return false;
    }
    number = atomic_fetch_add(&ledger->calls, 1) + 1;
    if (at == 0 || (lasts ? number < at : number != at)) {
        return false;
    }
    if (atomic_fetch_add(&ledger->failed, 1) == 0) {
        (void)snprintf(ledger->path, sizeof ledger->path, "%s", path);
    }
    errno = error_number;
    return true;
}

static bool fails_in(const char *call, int folder, const char *path)
{
    char whole[2 * PATH_MAX] = "", base[PATH_MAX] = "", link[64];
    const int before = errno;

    if (ledger == NULL || path == NULL) {
        return false;
    }
    if (path[0] == '/') {
        return fails(call, path);
    }
    if (folder == AT_FDCWD) {
        (void)syscall(SYS_getcwd, base, sizeof base);
    } else {
        (void)snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        (void)!readlink(link, base, sizeof base - 1);
    }
    (void)snprintf(whole, sizeof whole, "%s/%s", base, path);
    errno = before;
    return fails(call, whole);
}

static bool fails_on(const char *call, int file)
{
    char link[64], path[PATH_MAX];
    const int before = errno;
    ssize_t length;

    if (ledger == NULL || strcmp(call, kind) != 0) {
        return false;
    }
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    length = readlink(link, path, sizeof path - 1);
    errno = before;
    if (length <= 0) {
        return false;
    }
    path[length] = 0;
    return fails(call, path);
}

/* The next one of a name. */
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* What opens files: the mode is there only when one is created. */
#define OPEN(name)                                                                                                     \
    int name(const char *path, int flags, ...)                                                                         \
    {                                                                                                                  \
        va_list rest;                                                                                                  \
        mode_t mode;                                                                                                   \
        va_start(rest, flags);                                                                                         \
        mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;                                        \
        va_end(rest);                                                                                                  \
        return fails_in("open", AT_FDCWD, path) ? -1 : NEXT(name)(path, flags, mode);                                  \
    }
#define OPENAT(name)                                                                                                   \
    int name(int folder, const char *path, int flags, ...)                                                             \
    {                                                                                                                  \
        va_list rest;                                                                                                  \
        mode_t mode;                                                                                                   \
        va_start(rest, flags);                                                                                         \
        mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;                                        \
        va_end(rest);                                                                                                  \
        return fails_in("open", folder, path) ? -1 : NEXT(name)(folder, path, flags, mode);                            \
    }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

/* A write that fails for good first takes half of its bytes, as the last one on a disk does. */
#define WRITE(name, parameters, arguments, half)                                                                       \
    ssize_t name parameters                                                                                            \
    {                                                                                                                  \
        if (!fails_on("write", file)) {                                                                                \
            return NEXT(name) arguments;                                                                               \
        }                                                                                                              \
        return lasts && atomic_load(&ledger->failed) == 1 && size > 1 ? NEXT(name) half : -1;                          \
    }
WRITE(write, (int file, const void *bytes, size_t size), (file, bytes, size), (file, bytes, size / 2))
WRITE(pwrite, (int file, const void *bytes, size_t size, off_t to), (file, bytes, size, to), (file, bytes, size / 2, to))
WRITE(pwrite64, (int file, const void *bytes, size_t size, off64_t to), (file, bytes, size, to),
      (file, bytes, size / 2, to))

ssize_t writev(int file, const struct iovec *parts, int count)
{
    return fails_on("write", file) ? -1 : NEXT(writev)(file, parts, count);
}

#define CALL(type, name, parameters, arguments, failing)                                                               \
    type name parameters                                                                                               \
    {                                                                                                                  \
        return failing ? -1 : NEXT(name) arguments;                                                                    \
    }
CALL(ssize_t, read, (int file, void *bytes, size_t size), (file, bytes, size), fails_on("read", file))
CALL(ssize_t, pread, (int file, void *bytes, size_t size, off_t from), (file, bytes, size, from), fails_on("read", file))
CALL(ssize_t, pread64, (int file, void *bytes, size_t size, off64_t from), (file, bytes, size, from),
     fails_on("read", file))
CALL(ssize_t, readv, (int file, const struct iovec *parts, int count), (file, parts, count), fails_on("read", file))
CALL(int, fsync, (int file), (file), fails_on("sync", file))
CALL(int, fdatasync, (int file), (file), fails_on("sync", file))
CALL(int, ftruncate, (int file, off_t size), (file, size), fails_on("write", file))
CALL(int, ftruncate64, (int file, off64_t size), (file, size), fails_on("write", file))
CALL(int, rename, (const char *from, const char *to), (from, to), fails_in("rename", AT_FDCWD, to))
CALL(int, link, (const char *from, const char *to), (from, to), fails_in("rename", AT_FDCWD, to))
CALL(int, unlink, (const char *path), (path), fails_in("rename", AT_FDCWD, path))
CALL(int, mkdir, (const char *path, mode_t mode), (path, mode), fails_in("rename", AT_FDCWD, path))
CALL(int, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to), fails_in("rename", b, to))
CALL(int, linkat, (int a, const char *from, int b, const char *to, int flags), (a, from, b, to, flags),
     fails_in("rename", b, to))
CALL(int, renameat2, (int a, const char *from, int b, const char *to, unsigned flags), (a, from, b, to, flags),
     fails_in("rename", b, to))

/* Fails calls that write, sync or read files below one folder. Loaded before a command by LD_PRELOAD, so that it holds
 * for Python and for the libraries in C++ and Rust alike. What fails, and when, stands in a mapped file that all
 * processes share: see disk_faults.py, which has the same layout. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NOTHING, WRITE, SYNC, READ, OPEN };

struct control {
    int64_t call;    /* which kind of call fails */
    int64_t nth;     /* the first that does, from 1 on; 0: none, they are only counted */
    int64_t error;   /* with which errno; 0: it does half of its work, and says so */
    int64_t lasting; /* all later ones fail, too */
    int64_t count;   /* calls of that kind so far */
    int64_t hits;    /* calls that failed */
    char root[4096]; /* only files below this folder */
};

static struct control *control;

__attribute__((constructor)) static void load(void)
{
    const char *path = getenv("GOSSAMER_TEST_FAULTS");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    void *memory = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory != MAP_FAILED)
        control = memory;
}

static int is_below(int file)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    size_t root = strlen(control->root);
    return strncmp(path, control->root, root) == 0 && path[root] == '/';
}

/* 0: it goes on as ever; -1: it fails, and errno is set; 1: it does half. */
static int verdict(int call, int file)
{
    if (control == NULL || control->call != call)
        return 0;
    int before = errno, below = is_below(file);
    errno = before;
    if (!below)
        return 0;
    int64_t number = __atomic_add_fetch(&control->count, 1, __ATOMIC_SEQ_CST);
    if (control->nth == 0 || number < control->nth || (number > control->nth && !control->lasting))
        return 0;
    __atomic_add_fetch(&control->hits, 1, __ATOMIC_SEQ_CST);
    if (control->error == 0)
        return 1;
    errno = (int)control->error;
    return -1;
}

#define REAL(name) \
    static __typeof__(&name) real; \
    if (real == NULL) \
        real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static size_t half(size_t size) { return size > 1 ? size / 2 : size; }

#define BLOCK(name, call, type) \
    ssize_t name(int file, type data, size_t size) \
    { \
        REAL(name); \
        int found = verdict(call, file); \
        return found < 0 ? -1 : real(file, data, found ? half(size) : size); \
    }
#define BLOCK_AT(name, call, type, offset_type) \
    ssize_t name(int file, type data, size_t size, offset_type offset) \
    { \
        REAL(name); \
        int found = verdict(call, file); \
        return found < 0 ? -1 : real(file, data, found ? half(size) : size, offset); \
    }
/* Half of many parts is the first of them. */
#define PARTS(name, call) \
    ssize_t name(int file, const struct iovec *parts, int count) \
    { \
        REAL(name); \
        int found = verdict(call, file); \
        return found < 0 ? -1 : real(file, parts, found ? 1 : count); \
    }
#define PARTS_AT(name, call, offset_type) \
    ssize_t name(int file, const struct iovec *parts, int count, offset_type offset) \
    { \
        REAL(name); \
        int found = verdict(call, file); \
        return found < 0 ? -1 : real(file, parts, found ? 1 : count, offset); \
    }
#define SYNCS(name) \
    int name(int file) \
    { \
        REAL(name); \
        return verdict(SYNC, file) < 0 ? -1 : real(file); \
    }

BLOCK(write, WRITE, const void *)
BLOCK_AT(pwrite, WRITE, const void *, off_t)
BLOCK_AT(pwrite64, WRITE, const void *, off64_t)
PARTS(writev, WRITE)
PARTS_AT(pwritev, WRITE, off_t)
PARTS_AT(pwritev64, WRITE, off64_t)
BLOCK(read, READ, void *)
BLOCK_AT(pread, READ, void *, off_t)
BLOCK_AT(pread64, READ, void *, off64_t)
SYNCS(fsync)
SYNCS(fdatasync)

/* A disk that turns read-only: what was opened to be written is closed again. */
static int opened(int file, int flags)
{
    if (file < 0 || (flags & O_ACCMODE) == O_RDONLY || verdict(OPEN, file) >= 0)
        return file;
    int error = errno;
    close(file);
    errno = error;
    return -1;
}

#define MODE(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | O_TMPFILE)) { \
        va_list rest; \
        va_start(rest, flags); \
        mode = (mode_t)va_arg(rest, int); \
        va_end(rest); \
    }
#define OPENS(name) \
    int name(const char *path, int flags, ...) \
    { \
        REAL(name); \
        MODE(flags) \
        return opened(real(path, flags, mode), flags); \
    }
#define OPENS_AT(name) \
    int name(int folder, const char *path, int flags, ...) \
    { \
        REAL(name); \
        MODE(flags) \
        return opened(real(folder, path, flags, mode), flags); \
    }

OPENS(open)
OPENS(open64)
OPENS_AT(openat)
OPENS_AT(openat64)

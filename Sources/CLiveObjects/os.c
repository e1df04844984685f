// os.c - owns nothing; see os.h.

#if defined(__linux__)

#define _GNU_SOURCE
#include "os.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// System calls are not declared for hooks; those made here ask the kernel, never malloc.
LIVEOBJ_UNCHECKED_BEGIN

static void *map(size_t bytes, int protection) {
    int saved = errno; // the host must not find our failures in its errno
    void *start = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    errno = saved;
    return start == MAP_FAILED ? NULL : start;
}

void *liveobj_os_reserve(size_t bytes) {
    return map(bytes, PROT_NONE);
}

/// The bytes of address space in use: the first number of /proc/self/statm, in pages.
static uint64_t address_space_used(void) {
    char text[64];
    uint64_t pages = 0;
    size_t length = liveobj_os_file_read("/proc/self/statm", text, sizeof text);
    for (size_t i = 0; i < length && text[i] >= '0' && text[i] <= '9'; i++)
        pages = pages * 10 + (uint64_t)(text[i] - '0');
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t liveobj_os_reserve_limit(void) {
    enum { SHARE = 8 };
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    uint64_t used = address_space_used();
    return used < limit.rlim_cur ? (limit.rlim_cur - used) / SHARE : 0;
}

LIVEOBJ_HOOK bool liveobj_os_commit(void *start, size_t bytes) {
    int saved = errno;
    bool done = mprotect(start, bytes, PROT_READ | PROT_WRITE) == 0;
    errno = saved;
    return done;
}

LIVEOBJ_HOOK void *liveobj_os_map(size_t bytes) {
    return map(bytes, PROT_READ | PROT_WRITE);
}

LIVEOBJ_HOOK void liveobj_os_unmap(void *start, size_t bytes) {
    int saved = errno;
    if (start)
        munmap(start, bytes);
    errno = saved;
}

void *liveobj_os_map_shared(size_t bytes) {
    int saved = errno;
    void *start = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    errno = saved;
    return start == MAP_FAILED ? NULL : start;
}

void *liveobj_os_resize(void *start, size_t bytes, size_t new_bytes) {
    int saved = errno;
    void *moved = start ? mremap(start, bytes, new_bytes, MREMAP_MAYMOVE)
                        : map(new_bytes, PROT_READ | PROT_WRITE);
    if (moved == MAP_FAILED)
        moved = NULL;
    if (moved) // all of it is about to be written: hundreds of page faults less
        madvise(moved, new_bytes, MADV_HUGEPAGE);
    errno = saved;
    return moved;
}

int liveobj_os_write_all(int fd, const void *bytes, size_t count) {
    const char *next = bytes;
    while (count > 0) {
        ssize_t written = write(fd, next, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written < 0 ? errno : EIO;
        next += written;
        count -= (size_t)written;
    }
    return 0;
}

struct liveobj_file liveobj_os_file_map(const char *path) {
    struct liveobj_file file = {NULL, 0};
    int saved = errno;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (fd >= 0 && fstat(fd, &status) == 0 && status.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED)
            file = (struct liveobj_file){bytes, (size_t)status.st_size};
    }
    if (fd >= 0)
        close(fd);
    errno = saved;
    return file;
}

void liveobj_os_file_unmap(struct liveobj_file file) {
    liveobj_os_unmap((void *)(uintptr_t)file.bytes, file.count);
}

size_t liveobj_os_file_read(const char *path, void *into, size_t capacity) {
    int saved = errno;
    size_t total = 0;
    ssize_t count = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && total < capacity) {
        count = read(fd, (char *)into + total, capacity - total);
        if (count == 0 || (count < 0 && errno != EINTR))
            break;
        total += count > 0 ? (size_t)count : 0;
    }
    if (fd >= 0)
        close(fd);
    errno = saved;
    return total;
}

uint64_t liveobj_os_wall_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

bool liveobj_os_is_single_threaded(void) {
    int saved = errno;
    struct stat status;
    // A directory has a link for itself, one from its parent, and one for each folder in it: one a
    // thread.
    bool single = stat("/proc/self/task", &status) == 0 && status.st_nlink == 3;
    errno = saved;
    return single;
}

LIVEOBJ_HOOK bool liveobj_os_is_readable(uintptr_t address) {
    enum { NO_SUCH_CHANGE = -1, SIGNAL_SET_BYTES = 8 };
    int saved = errno;
    // The kernel reads the set before it looks at what shall be done with it.
    syscall(SYS_rt_sigprocmask, NO_SUCH_CHANGE, address & ~(uintptr_t)7, NULL, SIGNAL_SET_BYTES);
    bool readable = errno != EFAULT;
    errno = saved;
    return readable;
}

void liveobj_os_sleep(uint64_t nanoseconds) {
    enum { SECOND = 1000000000 };
    struct timespec pause = {(time_t)(nanoseconds / SECOND), (long)(nanoseconds % SECOND)};
    int saved = errno;
    syscall(SYS_nanosleep, &pause, NULL);
    errno = saved;
}

LIVEOBJ_HOOK void liveobj_os_yield(void) {
    sched_yield();
}

LIVEOBJ_HOOK void liveobj_lock_acquire(struct liveobj_lock *lock) {
    // Acquire: what the last holder wrote under the lock must be seen.
    while (__atomic_exchange_n(&lock->word, 1, __ATOMIC_ACQUIRE))
        while (__atomic_load_n(&lock->word, __ATOMIC_RELAXED))
            liveobj_os_yield();
}

LIVEOBJ_HOOK void liveobj_lock_release(struct liveobj_lock *lock) {
    // Release: publishes what was written under the lock.
    __atomic_store_n(&lock->word, 0, __ATOMIC_RELEASE);
}

LIVEOBJ_UNCHECKED_END

#endif

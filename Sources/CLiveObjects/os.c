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

// MARK: - Own mappings

/// Places are used again and never taken away. Without locks, for hooks map memory as well.
struct mapping {
    uintptr_t start; // 0: free; TAKEN: being filled; atomic
    uintptr_t end;   // atomic
};
enum { TAKEN = 1, MAPPINGS_IN_BLOCK = 1023 };

struct mapping_block {
    struct mapping_block *next; // atomic
    struct mapping mappings[MAPPINGS_IN_BLOCK];
};
static struct mapping_block first_block;

/// \returns false if every place is taken.
static bool note_in(struct mapping_block *block, uintptr_t start, uintptr_t end) {
    for (size_t i = 0; i < MAPPINGS_IN_BLOCK; i++) {
        struct mapping *mapping = &block->mappings[i];
        uintptr_t free_place = 0;
        // Relaxed: this only settles whose the place is.
        if (__atomic_load_n(&mapping->start, __ATOMIC_RELAXED) ||
            !__atomic_compare_exchange_n(&mapping->start, &free_place, TAKEN, false,
                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            continue;
        __atomic_store_n(&mapping->end, end, __ATOMIC_RELAXED);
        // Release: whoever sees the start sees the end.
        __atomic_store_n(&mapping->start, start, __ATOMIC_RELEASE);
        return true;
    }
    return false;
}

static struct mapping_block *next_block(struct mapping_block *block) {
    // Acquire: pairs with the release that added it.
    return __atomic_load_n(&block->next, __ATOMIC_ACQUIRE);
}

/// Adds a block that holds itself; of two threads that try at once, one wins.
static struct mapping_block *add_block(struct mapping_block *last) {
    struct mapping_block *present = NULL;
    struct mapping_block *block = mmap(NULL, sizeof *block, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block == MAP_FAILED)
        return NULL;
    note_in(block, (uintptr_t)block, (uintptr_t)(block + 1));
    if (__atomic_compare_exchange_n(&last->next, &present, block, false, __ATOMIC_RELEASE,
                                    __ATOMIC_ACQUIRE))
        return block;
    munmap(block, sizeof *block);
    return present;
}

static void note_mapping(void *start, size_t bytes) {
    struct mapping_block *block = &first_block;
    while (block && !note_in(block, (uintptr_t)start, (uintptr_t)start + bytes)) {
        struct mapping_block *next = next_block(block);
        block = next ? next : add_block(block);
    }
}

/// A mapping may also lose its end alone.
static void forget_mapping(void *start_pointer) {
    uintptr_t start = (uintptr_t)start_pointer;
    for (struct mapping_block *block = &first_block; block; block = next_block(block))
        for (size_t i = 0; i < MAPPINGS_IN_BLOCK; i++) {
            struct mapping *mapping = &block->mappings[i];
            uintptr_t first = __atomic_load_n(&mapping->start, __ATOMIC_ACQUIRE);
            if (first <= TAKEN || start < first ||
                start >= __atomic_load_n(&mapping->end, __ATOMIC_RELAXED))
                continue;
            __atomic_store_n(&mapping->end, start, __ATOMIC_RELAXED);
            if (start == first)
                __atomic_store_n(&mapping->start, 0, __ATOMIC_RELEASE);
            return;
        }
}

void liveobj_os_visit_mappings(liveobj_os_visit_mapping_fn visit, void *context) {
    for (struct mapping_block *block = &first_block; block; block = next_block(block))
        for (size_t i = 0; i < MAPPINGS_IN_BLOCK; i++) {
            const struct mapping *mapping = &block->mappings[i];
            uintptr_t start = __atomic_load_n(&mapping->start, __ATOMIC_ACQUIRE);
            if (start > TAKEN)
                visit(context, start, __atomic_load_n(&mapping->end, __ATOMIC_RELAXED));
        }
}

// MARK: - Memory

static void *map(size_t bytes, int protection) {
    int saved = errno; // the host must not find our failures in its errno
    void *start = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    errno = saved;
    if (start == MAP_FAILED)
        return NULL;
    note_mapping(start, bytes);
    return start;
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
    if (start) {
        forget_mapping(start); // before another thread's mapping can be there
        munmap(start, bytes);
    }
    errno = saved;
}

void *liveobj_os_map_shared(size_t bytes) {
    int saved = errno;
    void *start = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    errno = saved;
    return start == MAP_FAILED ? NULL : start;
}

static void *move(void *start, size_t bytes, size_t new_bytes) {
    void *moved = mremap(start, bytes, new_bytes, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED)
        return NULL;
    forget_mapping(start);
    note_mapping(moved, new_bytes);
    return moved;
}

void *liveobj_os_resize(void *start, size_t bytes, size_t new_bytes) {
    int saved = errno;
    void *moved = start ? move(start, bytes, new_bytes) : map(new_bytes, PROT_READ | PROT_WRITE);
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

enum { LINE_BYTES = 4096 };

struct line_reader {
    liveobj_os_visit_line_fn visit;
    void *context;
    size_t length;
    char line[LINE_BYTES];
};

/// \returns false once no more lines are wanted.
static bool take_bytes(struct line_reader *reader, const char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != '\n') {
            reader->line[reader->length] = bytes[i];
            reader->length += reader->length < LINE_BYTES - 1;
            continue;
        }
        reader->line[reader->length] = 0;
        reader->length = 0;
        if (!reader->visit(reader->context, reader->line))
            return false;
    }
    return true;
}

bool liveobj_os_visit_lines(const char *path, liveobj_os_visit_line_fn visit, void *context) {
    int saved = errno;
    char bytes[LINE_BYTES];
    struct line_reader reader = {.visit = visit, .context = context};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t count = fd >= 0 ? read(fd, bytes, sizeof bytes) : -1;
    bool is_read = count > 0;
    while (count > 0 && take_bytes(&reader, bytes, (size_t)count))
        count = read(fd, bytes, sizeof bytes);
    if (fd >= 0)
        close(fd);
    errno = saved;
    return is_read;
}

/// As the kernel writes it.
struct directory_entry {
    uint64_t inode;
    int64_t offset;
    uint16_t bytes;
    uint8_t type;
    char name[];
};

static void visit_entries(const char *entries, long count, liveobj_os_visit_thread_fn visit,
                          void *context) {
    const struct directory_entry *entry;
    for (long at = 0; at < count; at += entry->bytes) {
        uint32_t thread = 0;
        entry = (const void *)(entries + at);
        for (const char *digit = entry->name; *digit >= '0' && *digit <= '9'; digit++)
            thread = thread * 10 + (uint32_t)(*digit - '0');
        if (thread)
            visit(context, thread);
    }
}

void liveobj_os_visit_threads(liveobj_os_visit_thread_fn visit, void *context) {
    int saved = errno;
    _Alignas(uint64_t) char entries[LINE_BYTES];
    int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    long count;
    while (fd >= 0 && (count = syscall(SYS_getdents64, fd, entries, sizeof entries)) > 0)
        visit_entries(entries, count, visit, context);
    if (fd >= 0)
        close(fd);
    errno = saved;
}

uint32_t liveobj_os_thread_id(void) {
    return (uint32_t)syscall(SYS_gettid);
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

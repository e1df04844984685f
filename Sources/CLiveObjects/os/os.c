// os.c - threads, time and signals. Owns nothing. See os.h.

#if defined(__linux__)

#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// System calls are not declared fit for hooks; those made here do not call malloc.
LIVEOBJ_UNCHECKED_BEGIN

/// The kernel's format of a directory entry.
struct directory_entry {
    uint64_t inode;
    int64_t offset;
    uint16_t bytes;
    uint8_t type;
    char name[];
};

static void visit_entries(const char *entries, long count, liveobj_os_visit_number_fn visit,
                          void *context) {
    const struct directory_entry *entry;
    for (long at = 0; at < count; at += entry->bytes) {
        uint32_t number = 0;
        entry = (const void *)(entries + at);
        for (const char *digit = entry->name; *digit >= '0' && *digit <= '9'; digit++)
            number = number * 10 + (uint32_t)(*digit - '0');
        if (entry->name[0] != '.')
            visit(context, number);
    }
}

void liveobj_os_visit_numbers(const char *folder, liveobj_os_visit_number_fn visit, void *context) {
    int saved = errno;
    enum { ENTRIES_BYTES = 4096 };
    _Alignas(uint64_t) char entries[ENTRIES_BYTES];
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    long count;
    while (fd >= 0 && (count = syscall(SYS_getdents64, fd, entries, sizeof entries)) > 0)
        visit_entries(entries, count, visit, context);
    if (fd >= 0)
        close(fd);
    errno = saved;
}

void liveobj_os_visit_threads(liveobj_os_visit_number_fn visit, void *context) {
    liveobj_os_visit_numbers("/proc/self/task", visit, context);
}

void liveobj_os_append_number(char *path, uint32_t number) {
    char digits[16], *first = digits + sizeof digits;
    *--first = 0;
    do
        *--first = (char)('0' + number % 10);
    while (number /= 10);
    strcat(path, first);
}

void liveobj_os_thread_file(uint32_t thread, const char *name, char path[64]) {
    strcpy(path, "/proc/self/task/");
    liveobj_os_append_number(path, thread);
    strcat(path, "/");
    strncat(path, name, 16);
}

uint32_t liveobj_os_thread_id(void) {
    return (uint32_t)syscall(SYS_gettid);
}

bool liveobj_os_is_main_thread(void) {
    return syscall(SYS_gettid) == syscall(SYS_getpid);
}

uintptr_t liveobj_os_robust_list(uint32_t thread) {
    uintptr_t head = 0;
    size_t bytes;
    int saved = errno;
    bool is_known = syscall(SYS_get_robust_list, thread, &head, &bytes) == 0;
    errno = saved;
    return is_known ? head : 0;
}

/// By a system call: the C library reads the processor's counter, which a program can forbid for
/// itself (PR_SET_TSC).
/// \returns nanoseconds; UINT64_MAX if there is no such clock.
static uint64_t read_clock(clockid_t clock) {
    struct timespec time;
    int saved = errno;
    bool is_read = syscall(SYS_clock_gettime, clock, &time) == 0;
    errno = saved;
    return is_read ? (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec : UINT64_MAX;
}

uint64_t liveobj_os_wall_clock(void) {
    return read_clock(CLOCK_REALTIME);
}

bool liveobj_os_is_single_threaded(void) {
    int saved = errno;
    struct stat status;
    // The directory's links are its own, its parent's, and one for each folder in it: one per
    // thread.
    bool single = stat("/proc/self/task", &status) == 0 && status.st_nlink == 3;
    errno = saved;
    return single;
}

LIVEOBJ_HOOK bool liveobj_os_is_readable(uintptr_t address) {
    enum { NO_SUCH_CHANGE = -1, SIGNAL_SET_BYTES = 8 };
    int saved = errno;
    // The kernel reads the set before it checks what to do with it.
    syscall(SYS_rt_sigprocmask, NO_SUCH_CHANGE, address & ~(uintptr_t)7, NULL, SIGNAL_SET_BYTES);
    bool readable = errno == EINVAL; // not EPERM: a filter may forbid the call
    errno = saved;
    return readable;
}

bool liveobj_os_is_writable(uintptr_t address) {
    enum { NOTHING_ADDED = FUTEX_OP(FUTEX_OP_OR, 0, FUTEX_OP_CMP_EQ, 0) };
    int saved = errno;
    // The kernel changes the word atomically; no thread waits for it.
    long woken = syscall(SYS_futex, address, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, NULL, address,
                         NOTHING_ADDED);
    bool writable = woken >= 0;
    errno = saved;
    return writable;
}

static struct timespec timespec_of(uint64_t nanoseconds) {
    enum { SECOND = 1000000000 };
    return (struct timespec){(time_t)(nanoseconds / SECOND), (long)(nanoseconds % SECOND)};
}

LIVEOBJ_HOOK void liveobj_os_sleep(uint64_t nanoseconds) {
    struct timespec pause = timespec_of(nanoseconds);
    int saved = errno;
    syscall(SYS_nanosleep, &pause, NULL);
    errno = saved;
}

uint64_t liveobj_os_thread_time(uint32_t thread) {
    enum { OF_THREAD = 4, TIME_ON_PROCESSOR = 2 };
    // How the kernel numbers the clocks of threads. `pthread_getcpuclockid` makes the same number,
    // but of a `pthread_t`, which only the thread's owner has.
    return read_clock((clockid_t)(~thread << 3 | OF_THREAD | TIME_ON_PROCESSOR));
}

uint64_t liveobj_os_time(void) {
    return read_clock(CLOCK_MONOTONIC);
}

/// If the system has no futex, or does not allow it, this is a sleep.
void liveobj_os_wait(uint32_t *word, uint32_t value, uint64_t nanoseconds) {
    struct timespec pause = timespec_of(nanoseconds);
    int saved = errno;
    if (syscall(SYS_futex, word, FUTEX_WAIT, value, &pause, NULL, 0) != 0 && errno != EAGAIN &&
        errno != EINTR && errno != ETIMEDOUT)
        syscall(SYS_nanosleep, &pause, NULL);
    errno = saved;
}

void liveobj_os_wake(uint32_t *word) {
    enum { WAITING_THREADS = 1 };
    int saved = errno;
    syscall(SYS_futex, word, FUTEX_WAKE, WAITING_THREADS, NULL, NULL, 0);
    errno = saved;
}

LIVEOBJ_HOOK void liveobj_os_yield(void) {
    sched_yield();
}

uint64_t liveobj_os_block_signals(void) {
    enum { SIGNAL_SET_BYTES = 8 };
    // A fault that the program's own fork handlers cause and handle must still be handled.
    static const int synchronous[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
    uint64_t blocked = UINT64_MAX, before = 0;
    for (size_t i = 0; i < sizeof synchronous / sizeof *synchronous; i++)
        blocked &= ~(UINT64_C(1) << (synchronous[i] - 1));
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &blocked, &before, SIGNAL_SET_BYTES);
    return before;
}

void liveobj_os_restore_signals(uint64_t before) {
    enum { SIGNAL_SET_BYTES = 8 };
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, SIGNAL_SET_BYTES);
}

LIVEOBJ_UNCHECKED_END

#endif

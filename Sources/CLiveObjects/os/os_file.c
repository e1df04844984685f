// os_file.c - reads and writes files. Owns nothing. See os.h.

#if defined(__linux__)

#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Older headers do not have these.
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE (1U << 1)
#endif

int liveobj_os_close_range(unsigned first, unsigned last, bool unshares) {
    return (int)syscall(SYS_close_range, first, last, unshares ? CLOSE_RANGE_UNSHARE : 0U);
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
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
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

bool liveobj_os_begins_with(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

uint64_t liveobj_os_take_decimal(const char **next) {
    uint64_t value = 0;
    for (; **next >= '0' && **next <= '9'; ++*next)
        value = value * 10 + (uint64_t)(**next - '0');
    return value;
}

uintptr_t liveobj_os_take_hexadecimal(const char **next) {
    uintptr_t value = 0;
    for (;; ++*next) {
        char digit = **next;
        if (digit >= '0' && digit <= '9')
            value = value << 4 | (uintptr_t)(digit - '0');
        else if (digit >= 'a' && digit <= 'f')
            value = value << 4 | (uintptr_t)(digit - 'a' + 10);
        else
            return value;
    }
}

#endif

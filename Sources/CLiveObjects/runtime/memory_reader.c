// memory_reader.c - reads memory of the running program that may be unmapped meanwhile.
//
// Another thread may free an object and its page may be unmapped, metadata is unmapped with its
// image, and the program may have written any value into an object. A plain load could crash the
// program. So memory is read through the kernel, one page at a time: words on the same page cost
// one system call. In the snapshot process, where a fault ends only one step, plain loads are used
// for addresses, and for other words once the kernel has read their page.
// Owns the list of these pages. Runs outside of hooks.

#if defined(__linux__)

#include "runtime/memory_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static const uintptr_t no_page = 1; // no page begins there

void liveobj_reader_start(struct liveobj_reader *reader) {
    reader->direct = false;
    reader->refused = false;
    reader->shared = NULL;
    memset(&reader->own, 0, sizeof reader->own);
    liveobj_reader_renew(reader);
}

void liveobj_reader_renew(struct liveobj_reader *reader) {
    reader->page = no_page;
}

/// Used if a filter of system calls refuses process_vm_readv, as in some containers.
static ssize_t read_by_file(uintptr_t address, void *into, size_t count) {
    int file = open("/proc/thread-self/mem", O_RDONLY | O_CLOEXEC);
    ssize_t read = file < 0 ? -1 : pread(file, into, count, (off_t)address);
    if (file >= 0)
        close(file);
    return read;
}

bool liveobj_read_block(struct liveobj_reader *reader, uintptr_t address, void *into,
                        size_t count) {
    struct iovec here = {into, count}, there = {(void *)address, count};
    int saved = errno;
    // The thread's id: the process's own refers to no memory once the main thread has ended.
    pid_t self = (pid_t)liveobj_os_thread_id();
    ssize_t read = reader->refused ? 0 : process_vm_readv(self, &here, 1, &there, 1, 0);
    reader->refused |= read < 0 && (errno == EPERM || errno == ENOSYS);
    if (reader->refused)
        read = read_by_file(address, into, count);
    errno = saved;
    return read == (ssize_t)count;
}

static bool load_page(struct liveobj_reader *reader, uintptr_t page) {
    bool is_there = liveobj_read_block(reader, page, reader->bytes, LIVEOBJ_PAGE_BYTES);
    reader->page = is_there ? page : no_page;
    return is_there;
}

// MARK: - In the snapshot process

enum { CACHED_PAGES = 1 << 14, IS_READABLE = 1, IS_UNREADABLE = 2, STATES = 4 };

/// By number modulo the size: the page's number times `STATES`, and its state. Not its address: an
/// object may begin there, and a variable that has its address looks like what holds it.
static struct {
    bool is_used;
    uintptr_t pages[CACHED_PAGES];
} page_cache;

void liveobj_reader_cache_pages(void) {
    page_cache.is_used = true;
}

static bool is_page_readable(struct liveobj_reader *reader, uintptr_t page) {
    unsigned char byte;
    uintptr_t number = page / LIVEOBJ_PAGE_BYTES;
    uintptr_t *slot = &page_cache.pages[number % CACHED_PAGES];
    if (*slot / STATES != number || *slot % STATES == 0)
        *slot =
            number * STATES +
            (liveobj_read_block(reader, page, &byte, sizeof byte) ? IS_READABLE : IS_UNREADABLE);
    return *slot % STATES == IS_READABLE;
}

// MARK: - Reading

/// The bytes of a page; NULL if it cannot be read.
static const unsigned char *bytes_of_page(struct liveobj_reader *reader, uintptr_t page) {
    if (page_cache.is_used)
        return is_page_readable(reader, page) ? (const unsigned char *)page : NULL;
    return reader->page == page || load_page(reader, page) ? reader->bytes : NULL;
}

bool liveobj_read(struct liveobj_reader *reader, uintptr_t address, void *into, size_t count) {
    if (!reader->direct)
        return liveobj_read_checked(reader, address, into, count);
    memcpy(into, (const void *)address, count);
    return true;
}

bool liveobj_read_checked(struct liveobj_reader *reader, uintptr_t address, void *into,
                          size_t count) {
    for (unsigned char *next = into; count > 0;) {
        uintptr_t page = address & ~(uintptr_t)(LIVEOBJ_PAGE_BYTES - 1);
        const unsigned char *bytes = bytes_of_page(reader, page);
        if (!bytes)
            return false;
        size_t offset = address - page;
        size_t some = count < LIVEOBJ_PAGE_BYTES - offset ? count : LIVEOBJ_PAGE_BYTES - offset;
        memcpy(next, bytes + offset, some);
        next += some;
        address += some;
        count -= some;
    }
    return true;
}

#endif

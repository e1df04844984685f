// memory_reader.c - reads memory of the running program that may be unmapped meanwhile.
//
// Another thread may free an object and its page may be unmapped, metadata is unmapped with its
// image, and the program may have written any value into an object. A plain load could crash the
// program. So memory is read through the kernel, one page at a time: words on the same page cost
// one system call. In the snapshot process, where a fault ends only one step, plain loads are used.
// Owns nothing. Runs outside of hooks.

#if defined(__linux__)

#define _GNU_SOURCE
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
    reader->page = no_page;
    memset(reader->known, 0, sizeof reader->known);
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
        if (reader->page != page && !load_page(reader, page))
            return false;
        size_t offset = address - page;
        size_t some = count < LIVEOBJ_PAGE_BYTES - offset ? count : LIVEOBJ_PAGE_BYTES - offset;
        memcpy(next, reader->bytes + offset, some);
        next += some;
        address += some;
        count -= some;
    }
    return true;
}

#endif

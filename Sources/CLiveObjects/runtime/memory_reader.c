// memory_reader.c - reads memory of the running program, which may not be what it was taken for.
//
// An object that another thread frees may leave the address space with its page, metadata goes with
// its image, and the program may have written anything into an object: a plain load could kill the
// host. So memory is read through the kernel, a page at a time: neighbours on one page cost one
// system call. In the copy of the process, where a fault ends one step, plain loads will do. Owns
// nothing. Outside of hooks.

#if defined(__linux__)

#define _GNU_SOURCE
#include "runtime/memory_reader.h"
#include "os/os.h"

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

/// Where a filter of system calls refuses the other way, as some containers' does.
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
    // By the thread's id: the process's has no memory once the main thread has ended.
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

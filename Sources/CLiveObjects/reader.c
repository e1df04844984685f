// reader.c - reads memory of the running program, which may not be what it was taken for.
//
// An object that another thread frees may leave the address space with its page, metadata goes with
// its image, and the program may have written anything into an object: a plain load could kill the
// host. So memory is read through the kernel, a page at a time: neighbours on one page cost one
// system call. In the copy of the process, where a fault ends one step, plain loads will do. Owns
// nothing. Outside of hooks.

#if defined(__linux__)

#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static const uintptr_t no_page = 1; // no page begins there

void liveobj_reader_start(struct liveobj_reader *reader) {
    reader->direct = false;
    reader->refused = false;
    reader->page = no_page;
    memset(reader->sound, 0, sizeof reader->sound);
}

/// Where the system does not let us look through the kernel: page by page, each of them tested.
static bool copy_readable(uintptr_t address, unsigned char *into, size_t count) {
    for (size_t done = 0; done < count;) {
        size_t left = LIVEOBJ_PAGE_BYTES - (address + done) % LIVEOBJ_PAGE_BYTES;
        size_t some = left < count - done ? left : count - done;
        if (!liveobj_os_is_readable(address + done))
            return false;
        memcpy(into + done, (const void *)(address + done), some);
        done += some;
    }
    return true;
}

bool liveobj_read_block(struct liveobj_reader *reader, uintptr_t address, void *into,
                        size_t count) {
    struct iovec here = {into, count}, there = {(void *)address, count};
    int saved = errno;
    ssize_t read = reader->refused ? 0 : process_vm_readv(getpid(), &here, 1, &there, 1, 0);
    reader->refused |= read < 0 && (errno == EPERM || errno == ENOSYS);
    errno = saved;
    return read == (ssize_t)count || (reader->refused && liveobj_os_is_single_threaded() &&
                                      copy_readable(address, into, count));
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

// descriptor.c - writes with a time limit, and anonymous files. Owns the flag that a reader was too
// slow.
//
// Every descriptor made here is close-on-exec. Async-signal-safe.

#include "output/descriptor.h"
#include "program/program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/// The time limit for a reader to take the next few bytes. After that, this write and later ones do
/// not wait. The wait is in parts, because this process may be stopped meanwhile.
enum { PATIENCE_PARTS = 20, PART_MILLISECONDS = 50 };

/// The lowest descriptor for our files: far above those that programs use.
#define LIFTED 200

static int wait_for_room(int descriptor) {
    static bool has_given_up; // atomic
    struct pollfd poll_set = {.fd = descriptor, .events = POLLOUT};
    for (int part = 0; part < PATIENCE_PARTS; part++) {
        // Relaxed: it only shortens a wait.
        bool is_patient = !__atomic_load_n(&has_given_up, __ATOMIC_RELAXED);
        int ready = poll(&poll_set, 1, is_patient ? PART_MILLISECONDS : 0);
        if (ready > 0)
            return 0;
        if (ready < 0 && errno != EINTR)
            return errno;
    }
    __atomic_store_n(&has_given_up, true, __ATOMIC_RELAXED);
    return ETIMEDOUT;
}

/// The most bytes that one write takes without blocking once `poll` reports room.
static size_t piece_size(int descriptor) {
    struct stat status;
    bool is_file = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
    return is_file ? SSIZE_MAX : PIPE_BUF;
}

int liveobj_descriptor_write(int descriptor, const void *bytes, size_t count) {
    size_t most = piece_size(descriptor);
    for (const char *next = bytes; count > 0;) {
        int error = wait_for_room(descriptor);
        if (error)
            return error;
        ssize_t written = write(descriptor, next, count < most ? count : most);
        if (written < 0 && errno != EINTR && errno != EAGAIN)
            return errno;
        if (written == 0)
            return EIO;
        if (written > 0) {
            next += written;
            count -= (size_t)written;
        }
    }
    return 0;
}

bool liveobj_destination_write(void *context, const void *bytes, size_t count) {
    struct liveobj_destination *destination = context;
    destination->error = liveobj_descriptor_write(destination->descriptor, bytes, count);
    return destination->error == 0;
}

int liveobj_descriptor_lift(int descriptor) {
    if (descriptor < 0)
        return -1;
    int lifted = fcntl(descriptor, F_DUPFD_CLOEXEC, LIFTED);
    if (lifted < 0 && descriptor > STDERR_FILENO)
        return descriptor; // few descriptors are allowed: at least it is not one of the standard
                           // three
    if (lifted < 0)
        lifted = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(descriptor);
    return lifted;
}

int liveobj_descriptor_make_nameless(const char *purpose) {
    const unsigned close_on_exec = 1; // MFD_CLOEXEC; older libcs do not define the name
    int descriptor = (int)syscall(SYS_memfd_create, purpose, close_on_exec);
    if (descriptor < 0) {
        const char *folder = liveobj_environment_temporary_folder();
        descriptor = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    }
    return liveobj_descriptor_lift(descriptor);
}

int liveobj_descriptor_copy(int from, int to) {
    static char buffer[1 << 16];
    for (off_t offset = 0;;) {
        ssize_t count = pread(from, buffer, sizeof buffer, offset);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return count == 0 ? 0 : errno;
        int error = liveobj_descriptor_write(to, buffer, (size_t)count);
        if (error)
            return error;
        offset += count;
    }
}

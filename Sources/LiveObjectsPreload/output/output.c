// output.c - the destination of reports. Owns the output's path.
//
// Processes that write to the same file take turns (flock) and append, so that none splits or
// replaces another's report. The path is resolved in the constructor, before the program can change
// its working directory.

#include "output/output.h"
#include "options.h"
#include "output/descriptor.h"
#include "program/program.h"
#include "safety/safety.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/// The time limit for another process's report; after that, both write at the same time.
#define LOCK_TRIES 1000
#define LOCK_NANOSECONDS 10000000

static struct {
    bool is_standard_error;
    bool is_own_capture;
    pid_t process; ///< the process whose output it is: a forked child inherits it
    bool is_complained_of;
    off_t end; ///< before the present report; -1 if another process may write meanwhile
    char path[2 * PATH_MAX];
} output;

static void warn_of_output(int error) {
    if (!output.is_complained_of)
        liveobj_message("cannot write the report to ", output.path, ": ", strerror(error),
                        "; name a file that can be written with output=PATH", NULL);
    output.is_complained_of = true;
}

/// Appends as much as fits.
static void append_to_path(const char *bytes, size_t count) {
    size_t length = strlen(output.path), room = sizeof output.path - 1 - length;
    size_t part = count < room ? count : room;
    memcpy(output.path + length, bytes, part);
    output.path[length + part] = '\0';
}

static void resolve_path(const char *path, bool *names_process) {
    char process[LIVEOBJ_DIGITS];
    const char *digits = liveobj_text_digits(process, (uint64_t)getpid());
    output.path[0] = '\0';
    if (path[0] != '/' && getcwd(output.path, PATH_MAX))
        append_to_path("/", 1);
    for (const char *mark; (mark = strstr(path, "%p")); path = mark + 2) {
        append_to_path(path, (size_t)(mark - path));
        append_to_path(digits, strlen(digits));
        *names_process = true;
    }
    append_to_path(path, strlen(path));
}

static int open_path(int flags) {
    // Non-blocking: opening a FIFO without a reader must not hang the program. Readable by the user
    // alone: a capture contains the command line.
    const int always = O_WRONLY | O_APPEND | O_NOCTTY | O_NONBLOCK | O_CLOEXEC;
    int descriptor = liveobj_descriptor_lift(open(output.path, always | flags, 0600));
    if (descriptor < 0)
        warn_of_output(errno);
    return descriptor;
}

/// Whether the output may be opened and closed again: for a FIFO, its reader would see the end.
static bool is_file_or_nothing(void) {
    struct stat status;
    return stat(output.path, &status) != 0 || S_ISREG(status.st_mode);
}

void liveobj_output_start(const struct liveobj_options *options) {
    output.is_standard_error = strcmp(options->output, "stderr") == 0;
    if (output.is_standard_error)
        return;
    bool names_process = false;
    resolve_path(options->output, &names_process);
    if (!is_file_or_nothing())
        return;
    bool is_first = names_process || liveobj_origin_is_first();
    output.is_own_capture = names_process && options->format == LIVEOBJ_FORMAT_CAPTURE;
    output.process = getpid();
    int descriptor = open_path(O_CREAT | (is_first ? O_TRUNC : 0));
    if (descriptor >= 0)
        close(descriptor);
}

bool liveobj_output_is_standard_error(void) {
    return output.is_standard_error;
}

const char *liveobj_output_file(void) {
    return !output.is_standard_error && is_file_or_nothing() ? output.path : NULL;
}

char *liveobj_output_file_prefix(char path[LIVEOBJ_FILE_PREFIX_BYTES]) {
    char digits[LIVEOBJ_DIGITS];
    const char *file = liveobj_output_file();
    char *end = stpcpy(path, file ? file : liveobj_environment_temporary_folder());
    end = stpcpy(end, file ? "." : "/liveobjects.");
    return stpcpy(end, liveobj_text_digits(digits, (uint64_t)getpid()));
}

static bool wait_for_file_lock(int descriptor) {
    struct timespec pause = {.tv_nsec = LOCK_NANOSECONDS};
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(descriptor, LOCK_EX | LOCK_NB) == 0)
            return true;
        if (errno != EWOULDBLOCK)
            return false;
        nanosleep(&pause, NULL);
    }
    return false;
}

int liveobj_output_open(void) {
    if (output.is_standard_error)
        return liveobj_message_descriptor();
    int descriptor = open_path(O_CREAT);
    if (descriptor >= 0)
        output.end = wait_for_file_lock(descriptor) ? lseek(descriptor, 0, SEEK_END) : -1;
    return descriptor;
}

void liveobj_output_close(int descriptor, int error) {
    if (output.is_standard_error)
        return;
    // A part of a report is none: on a full disk the file keeps what it had.
    if (error && output.end >= 0)
        (void)!ftruncate(descriptor, output.end);
    if (close(descriptor) != 0 && !error)
        error = errno;
    if (error)
        warn_of_output(error);
}

// MARK: - The journal of tests

bool liveobj_output_is_own_capture(void) {
    return output.is_own_capture;
}

/// Appends all or nothing: half a section would hide all sections after it.
static bool append_whole(int descriptor, const void *bytes, size_t count) {
    ssize_t written;
    do
        written = write(descriptor, bytes, count);
    while (written < 0 && errno == EINTR);
    if (written == (ssize_t)count)
        return true;
    off_t end = lseek(descriptor, 0, SEEK_CUR);
    if (written > 0 && end >= written)
        (void)!ftruncate(descriptor, end - written);
    return false;
}

/// The file is opened for each section, because the program may close all descriptors and reuse
/// ours.
bool liveobj_output_journal(void *context, const void *bytes, size_t count) {
    (void)context;
    int cancel_state;
    if (getpid() != output.process)
        return false;
    struct liveobj_signals saved = liveobj_signals_block(); // SIGXFSZ ends programs
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    int descriptor = open(output.path, O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);
    bool done = descriptor >= 0 && append_whole(descriptor, bytes, count);
    if (descriptor >= 0)
        close(descriptor);
    pthread_setcancelstate(cancel_state, NULL);
    liveobj_signals_restore(&saved);
    return done;
}

// kernel_words.c - see kernel_words.h. Owns the id of the thread whose descriptors are not the
// program's. Runs in the program, on any thread.

#if defined(__linux__)

#include "os/kernel_words.h"
#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Only in newer headers.
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

enum { PATH_BYTES = 64 };

static pid_t excluded; // atomic

// MARK: - A thread with the program's descriptors

void liveobj_kernel_words_exclude_thread(void) {
    __atomic_store_n(&excluded, gettid(), __ATOMIC_RELAXED); // relaxed: one word
}

struct search {
    char *folder;
    pid_t thread; // not this one
    bool has_descriptors;
};

static void note_descriptor(void *context, uint32_t descriptor) {
    (void)descriptor;
    ((struct search *)context)->has_descriptors = true;
}

static void try_thread(void *context, uint32_t thread) {
    struct search *search = context;
    char descriptors[PATH_BYTES];
    if (search->has_descriptors || thread == (uint32_t)search->thread)
        return;
    strcpy(search->folder, "/proc/self/task/");
    liveobj_os_append_number(search->folder, thread);
    liveobj_os_visit_numbers(strcat(strcpy(descriptors, search->folder), "/fd"), note_descriptor,
                             search);
}

/// The main thread has no descriptors any more once it has ended.
static void find_folder(char folder[PATH_BYTES]) {
    struct search search = {.folder = folder, .thread = gettid()};
    strcpy(folder, "/proc/thread-self");
    if (search.thread == __atomic_load_n(&excluded, __ATOMIC_RELAXED))
        liveobj_os_visit_numbers("/proc/self/task", try_thread, &search);
}

// MARK: - Words

/// What is read, and in which lines of a file the words are.
struct reading {
    char folder[PATH_BYTES]; // of a thread with the program's descriptors
    bool is_elsewhere;       // the calling thread has others
    int process;             // to get descriptors from there; -1 if that is refused
    const char *label;       // at the start of the line
    const char *mark;        // before the word
    liveobj_kernel_word_visit_fn visit;
    void *context;
    bool misses_words;
};

static bool read_labelled_word(void *context, const char *line) {
    const struct reading *reading = context;
    bool has_word = liveobj_os_begins_with(line, reading->label);
    const char *mark = has_word ? strstr(line, reading->mark) : NULL;
    if (mark) {
        mark += strlen(reading->mark);
        mark += strspn(mark, " ");
        uintptr_t word = liveobj_os_take_hexadecimal(&mark);
        if (word)
            reading->visit(reading->context, word);
    }
    return true;
}

// MARK: - Pipes and sockets

/// Visits all words in bytes, at any offset.
static void visit_bytes(const struct reading *reading, const char *bytes, size_t count) {
    uintptr_t word;
    for (size_t i = 0; i + sizeof word <= count; i++) {
        memcpy(&word, bytes + i, sizeof word);
        reading->visit(reading->context, word);
    }
}

/// \returns the number of bytes that can be read from the descriptor.
static size_t waiting_bytes(int descriptor) {
    int count = 0;
    return ioctl(descriptor, FIONREAD, &count) == 0 && count > 0 ? (size_t)count : 0;
}

/// Reads a copy of what is in a pipe, which stays there.
/// \param room For the copy: not on the stack, where it would look like words of the program.
static size_t copy_pipe(int pipe, char *room, size_t capacity) {
    int copy[2];
    ssize_t count = -1;
    if (!room || pipe2(copy, O_CLOEXEC | O_NONBLOCK) != 0)
        return 0;
    if (tee(pipe, copy[1], capacity, SPLICE_F_NONBLOCK) > 0)
        count = read(copy[0], room, capacity);
    close(copy[0]);
    close(copy[1]);
    return count > 0 ? (size_t)count : 0;
}

static void read_pipe(struct reading *reading, int pipe) {
    enum { CAPACITY = 1 << 16 };
    if (waiting_bytes(pipe) < sizeof(uintptr_t))
        return;
    char *room = liveobj_os_map(CAPACITY);
    size_t count = copy_pipe(pipe, room, CAPACITY);
    visit_bytes(reading, room, count);
    reading->misses_words |= count < waiting_bytes(pipe);
    liveobj_os_unmap(room, CAPACITY);
}

/// Notes whether something waits in a local socket that the process may have sent itself. To read
/// it would have side effects.
static void ask_socket(struct reading *reading, int descriptor) {
    struct ucred peer = {0};
    int domain = 0;
    socklen_t domain_bytes = sizeof domain, peer_bytes = sizeof peer;
    bool is_own = getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &domain_bytes) == 0 &&
                  domain == AF_UNIX &&
                  getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &peer_bytes) == 0 &&
                  (peer.pid == getpid() || peer.pid == 0);
    reading->misses_words |= is_own && waiting_bytes(descriptor) >= sizeof(uintptr_t);
}

// MARK: - Descriptors

/// Reads the link's text. It is the only question that asks nothing of the file behind the
/// descriptor, which may be on a server that does not answer.
static bool read_link(const struct reading *reading, uint32_t descriptor, char link[PATH_BYTES]) {
    char path[PATH_BYTES];
    liveobj_os_append_number(strcat(strcpy(path, reading->folder), "/fd/"), descriptor);
    ssize_t length = readlink(path, link, PATH_BYTES - 1);
    link[length > 0 ? length : 0] = 0;
    return length > 0;
}

static void read_lines(struct reading *reading, uint32_t descriptor, const char *name) {
    char path[PATH_BYTES], link[PATH_BYTES];
    liveobj_os_append_number(strcat(strcpy(path, reading->folder), "/fdinfo/"), descriptor);
    // Asks again, because another thread may have closed the descriptor.
    if (!liveobj_os_visit_lines(path, read_labelled_word, reading) &&
        read_link(reading, descriptor, link) && liveobj_os_begins_with(link, name))
        reading->misses_words = true;
}

/// Whether the descriptor is the end of a pipe that is only written to.
static bool is_write_end(const struct reading *reading, uint32_t descriptor) {
    struct stat link;
    char path[PATH_BYTES];
    liveobj_os_append_number(strcat(strcpy(path, reading->folder), "/fd/"), descriptor);
    return lstat(path, &link) == 0 && !(link.st_mode & S_IRUSR);
}

struct socket_list {
    char number[PATH_BYTES]; // with the space before it
    bool has_it;
};

static bool take_socket(void *context, const char *line) {
    struct socket_list *list = context;
    const char *place = strstr(line, list->number);
    char behind = place ? place[strlen(list->number)] : '?';
    list->has_it |= behind == ' ' || behind == 0;
    return true;
}

/// Whether something that cannot be asked for may have words: not sockets of the network.
static bool may_have_words(const char *link) {
    struct socket_list list = {" ", false};
    if (!liveobj_os_begins_with(link, "socket:["))
        return true;
    strcat(list.number, link + strlen("socket:["));
    list.number[strlen(list.number) - 1] = 0; // the bracket
    return !liveobj_os_visit_lines("/proc/net/unix", take_socket, &list) || list.has_it;
}

/// Calls `ask` for the file behind a descriptor. Containers may forbid to get a copy of it.
static void ask_for(struct reading *reading, uint32_t descriptor, const char *link,
                    void (*ask)(struct reading *, int)) {
    int copy = -1;
    if (is_write_end(reading, descriptor))
        return;
    if (!reading->is_elsewhere)
        return ask(reading, (int)descriptor);
    if (reading->process >= 0)
        copy = (int)syscall(SYS_pidfd_getfd, reading->process, descriptor, 0);
    if (copy >= 0) {
        ask(reading, copy);
        close(copy);
    } else if (reading->process < 0 || errno != EBADF) { // else it was closed
        reading->misses_words |= may_have_words(link);
    }
}

static void read_descriptor(void *context, uint32_t descriptor) {
    static const struct {
        const char *name, *label, *mark;
        void (*ask)(struct reading *, int);
    } kinds[] = {{"anon_inode:[eventpoll]", "tfd:", "data:", NULL},
                 {"anon_inode:[eventfd]", "eventfd-count:", ":", NULL},
                 {"pipe:[", "", "", read_pipe},
                 {"socket:[", "", "", ask_socket}};
    struct reading *reading = context;
    char link[PATH_BYTES];
    if (!read_link(reading, descriptor, link))
        return;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!liveobj_os_begins_with(link, kinds[i].name))
            continue;
        reading->label = kinds[i].label;
        reading->mark = kinds[i].mark;
        if (kinds[i].ask)
            return ask_for(reading, descriptor, link, kinds[i].ask);
        return read_lines(reading, descriptor, kinds[i].name);
    }
}

// MARK: - Signals

/// Signals that wait until a thread does not block them any more.
struct signals {
    bool are_queued;
    uint64_t waiting;
};

static bool take_status(void *context, const char *line) {
    enum { LABEL = sizeof "SigPnd:\t" - 1 };
    struct signals *signals = context;
    if (liveobj_os_begins_with(line, "SigQ:"))
        signals->are_queued = line[6] != '0';
    else if (liveobj_os_begins_with(line, "SigPnd:") || liveobj_os_begins_with(line, "ShdPnd:")) {
        line += LABEL;
        signals->waiting |= liveobj_os_take_hexadecimal(&line);
    }
    return signals->are_queued;
}

static void read_status(void *context, uint32_t thread) {
    char path[PATH_BYTES];
    struct signals *signals = context;
    liveobj_os_thread_file(thread, "status", path);
    if (signals->are_queued)
        liveobj_os_visit_lines(path, take_status, signals);
}

/// Whether a signal waits that may have a pointer as its value. Those that only the kernel sends
/// have none.
static bool has_waiting_signals(void) {
    static const int without_value[] = {SIGCHLD,  SIGALRM, SIGVTALRM, SIGPROF,
                                        SIGWINCH, SIGURG,  SIGPIPE};
    struct signals signals = {true, 0};
    liveobj_os_visit_threads(read_status, &signals);
    for (size_t i = 0; i < sizeof without_value / sizeof *without_value; i++)
        signals.waiting &= ~(UINT64_C(1) << (without_value[i] - 1));
    return signals.are_queued && signals.waiting;
}

bool liveobj_kernel_words_visit(liveobj_kernel_word_visit_fn visit, void *context) {
    int saved = errno;
    struct reading reading = {.visit = visit, .context = context};
    char descriptors[PATH_BYTES];
    find_folder(reading.folder);
    reading.is_elsewhere = gettid() == __atomic_load_n(&excluded, __ATOMIC_RELAXED);
    reading.process = reading.is_elsewhere ? (int)syscall(SYS_pidfd_open, getpid(), 0) : -1;
    liveobj_os_visit_numbers(strcat(strcpy(descriptors, reading.folder), "/fd"), read_descriptor,
                             &reading);
    reading.label = "signal:";
    reading.mark = "/";
    liveobj_os_visit_lines("/proc/self/timers", read_labelled_word, &reading);
    if (reading.process >= 0)
        close(reading.process);
    errno = saved;
    return !reading.misses_words && !has_waiting_signals();
}

#endif

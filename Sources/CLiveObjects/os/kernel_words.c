// kernel_words.c - see kernel_words.h. Owns the id of the thread whose descriptors are not the
// program's. Runs in the program, on any thread.

#if defined(__linux__)

#define _GNU_SOURCE
#include "os/kernel_words.h"
#include "os/os.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

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

/// In which lines of a file the words are.
struct reading {
    char folder[PATH_BYTES]; // of a thread with the program's descriptors
    const char *label;       // at the start of the line
    const char *mark;        // before the word
    liveobj_kernel_word_visit_fn visit;
    void *context;
    bool misses_words;
};

static bool take_line(void *context, const char *line) {
    const struct reading *reading = context;
    bool has_word = strncmp(line, reading->label, strlen(reading->label)) == 0;
    const char *word = has_word ? strstr(line, reading->mark) : NULL;
    if (word) {
        word += strlen(reading->mark);
        word += strspn(word, " ");
        reading->visit(reading->context, liveobj_os_take_hexadecimal(&word));
    }
    return true;
}

/// By the link's text. It is the only question that asks nothing of the file behind the descriptor,
/// which may be on a server that does not answer.
static bool is_epoll(const struct reading *reading, uint32_t descriptor) {
    static const char name[] = "anon_inode:[eventpoll]";
    char path[PATH_BYTES], link[sizeof name];
    liveobj_os_append_number(strcat(strcpy(path, reading->folder), "/fd/"), descriptor);
    return readlink(path, link, sizeof link) == sizeof name - 1 &&
           memcmp(link, name, sizeof name - 1) == 0;
}

static void read_descriptor(void *context, uint32_t descriptor) {
    struct reading *reading = context;
    char path[PATH_BYTES];
    if (!is_epoll(reading, descriptor))
        return;
    liveobj_os_append_number(strcat(strcpy(path, reading->folder), "/fdinfo/"), descriptor);
    // Asks again, because another thread may have closed the descriptor.
    if (!liveobj_os_visit_lines(path, take_line, reading) && is_epoll(reading, descriptor))
        reading->misses_words = true;
}

bool liveobj_kernel_words_visit(liveobj_kernel_word_visit_fn visit, void *context) {
    int saved = errno;
    struct reading events = {"", "tfd:", "data:", visit, context, false};
    struct reading timers = {"", "signal:", "/", visit, context, false};
    char descriptors[PATH_BYTES];
    find_folder(events.folder);
    liveobj_os_visit_numbers(strcat(strcpy(descriptors, events.folder), "/fd"), read_descriptor,
                             &events);
    liveobj_os_visit_lines("/proc/self/timers", take_line, &timers);
    errno = saved;
    return !events.misses_words;
}

#endif

// kernel_words.c - see kernel_words.h. Owns nothing. Runs in the program, on any thread.

#if defined(__linux__)

#define _GNU_SOURCE
#include "os/kernel_words.h"
#include "os/os.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 64 };

/// In which lines of a file the words are.
struct reading {
    const char *label; // at the start of the line
    const char *mark;  // before the word
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
static bool is_epoll(uint32_t descriptor) {
    static const char name[] = "anon_inode:[eventpoll]";
    char path[PATH_BYTES] = "/proc/thread-self/fd/", link[sizeof name];
    liveobj_os_append_number(path, descriptor);
    return readlink(path, link, sizeof link) == sizeof name - 1 &&
           memcmp(link, name, sizeof name - 1) == 0;
}

static void read_descriptor(void *context, uint32_t descriptor) {
    struct reading *reading = context;
    char path[PATH_BYTES] = "/proc/thread-self/fdinfo/";
    if (!is_epoll(descriptor))
        return;
    liveobj_os_append_number(path, descriptor);
    // Asks again, because another thread may have closed the descriptor.
    if (!liveobj_os_visit_lines(path, take_line, reading) && is_epoll(descriptor))
        reading->misses_words = true;
}

bool liveobj_kernel_words_visit(liveobj_kernel_word_visit_fn visit, void *context) {
    int saved = errno;
    struct reading events = {"tfd:", "data:", visit, context, false};
    struct reading timers = {"signal:", "/", visit, context, false};
    liveobj_os_visit_numbers("/proc/thread-self/fd", read_descriptor, &events);
    liveobj_os_visit_lines("/proc/self/timers", take_line, &timers);
    errno = saved;
    return !events.misses_words;
}

#endif

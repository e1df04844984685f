// timeline.c - writes the number of live objects of each type at intervals, and captures of types
// that grow. Owns the paths.
//
// An entry is a capture of counts. There are at most two files, the current one and the one before,
// so that a program that runs for weeks does not fill the disk. All files are readable by the user
// alone, and none is reached through a symbolic link.

#if defined(__linux__)

#include "os/os.h"
#include "recorder/write_capture.h"
#include "service/service.h"
#include "service/trigger.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

enum { PATH_BYTES = 2 * PATH_MAX + 64, MOST_CAPTURES = 5 };

static struct {
    const struct liveobj_service_settings *settings;
    char path[PATH_BYTES];
    uint64_t entries;  ///< in the current file
    unsigned captures; ///< written because of growth
    int error;         ///< what ended the timeline
} timeline;

// MARK: - Files

struct destination {
    int descriptor;
    int error;
};

/// A `liveobj_write_fn`. Breaks off if the program ends.
static bool write_entry(void *context, const void *bytes, size_t count) {
    struct destination *destination = context;
    if (!destination->error)
        destination->error = liveobj_service_is_stopped()
                                 ? EINTR
                                 : liveobj_os_write_all(destination->descriptor, bytes, count);
    return destination->error == 0;
}

static int open_file(const char *path, int flags) {
    return open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC | flags, 0600);
}

static int begin_file(void) {
    char before[PATH_BYTES + 2];
    snprintf(before, sizeof before, "%s.1", timeline.path);
    if (rename(timeline.path, before) != 0 && errno != ENOENT)
        return errno;
    int descriptor = open_file(timeline.path, O_CREAT | O_EXCL);
    if (descriptor < 0)
        return errno;
    timeline.entries = 0;
    return close(descriptor) == 0 ? 0 : errno;
}

int liveobj_timeline_start(const struct liveobj_service_settings *settings) {
    timeline.settings = settings;
    snprintf(timeline.path, sizeof timeline.path, "%s.timeline", settings->base);
    return begin_file();
}

int liveobj_timeline_error(void) {
    return timeline.error == EINTR ? 0 : timeline.error;
}

// MARK: - Captures because of growth

/// Opens the next file: those of an earlier program with the same process id stay, because it may
/// have been killed for the memory that it took.
/// \returns -1 if there can be none.
static int open_capture(char path[PATH_BYTES]) {
    enum { MOST_FILES = 100 };
    int descriptor = -1;
    for (int number = 1; descriptor < 0 && number <= MOST_FILES; number++) {
        snprintf(path, PATH_BYTES, "%s.growth-%d.capture", timeline.settings->base, number);
        descriptor = open_file(path, O_CREAT | O_EXCL);
        if (descriptor < 0 && errno != EEXIST)
            break;
    }
    return descriptor;
}

static void capture_growth(void) {
    char path[PATH_BYTES];
    if (timeline.captures >= MOST_CAPTURES)
        return;
    struct destination destination = {open_capture(path), 0};
    if (destination.descriptor < 0)
        return;
    timeline.captures++;
    bool is_complete = liveobj_capture(0, liveobj_service_contents(), write_entry, &destination);
    close(destination.descriptor);
    if (!is_complete)
        unlink(path); // the disk is full, or the program ends
}

// MARK: - Entries

/// A `liveobj_visit_counts_fn`.
static void look_for_growth(void *context, const struct liveobj_type_table *types,
                            const struct liveobj_type_counts *counts) {
    bool *has_grown = context;
    struct liveobj_trigger trigger = {timeline.settings->trigger_factor,
                                      timeline.settings->trigger_intervals};
    if (trigger.factor || trigger.intervals)
        *has_grown = liveobj_trigger_update(trigger, types, counts);
}

/// \returns 0, or the errno that prevented it.
static int add_entry(bool *has_grown) {
    struct destination destination = {open_file(timeline.path, 0), 0};
    if (destination.descriptor < 0)
        return errno;
    bool is_written = liveobj_recorder_count(write_entry, &destination, look_for_growth, has_grown);
    close(destination.descriptor);
    return is_written ? 0 : destination.error ? destination.error : ENOMEM;
}

void liveobj_timeline_add(void) {
    bool has_grown = false;
    if (!timeline.error && timeline.entries >= timeline.settings->keep)
        timeline.error = begin_file();
    if (!timeline.error)
        timeline.error = add_entry(&has_grown);
    timeline.entries++;
    if (has_grown)
        capture_growth();
}

#endif

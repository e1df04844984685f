// capture_process.c - writes what is known of the process, and how completely it was recorded.
//
// Owns nothing.

#if defined(__linux__)

#include "arch/address.h"
#include "capture/capture.h"
#include "hooks/hooks.h"
#include "os/arena.h"
#include "os/os.h"
#include "runtime/image.h"
#include "runtime/second_runtime.h"
#include "runtime/unloads.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

void liveobj_put_text(struct liveobj_section *section, const char *text) {
    liveobj_put_string(section, text, strlen(text));
}

static void put_arguments(struct liveobj_section *section) {
    // The kernel separates arguments with NUL bytes. Arguments that do not fit are left out.
    char text[16 * 1024];
    size_t length = liveobj_os_file_read("/proc/thread-self/cmdline", text, sizeof text);
    uint32_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += text[i] == 0;
    liveobj_put_u32(section, count);
    for (size_t start = 0; count > 0; count--) {
        size_t argument = strnlen(text + start, length - start);
        liveobj_put_string(section, text + start, argument);
        start += argument + 1;
    }
}

void liveobj_put_executable(struct liveobj_section *section) {
    char path[4096];
    ssize_t length = readlink(liveobj_program_path, path, sizeof path);
    liveobj_put_string(section, path, length > 0 ? (size_t)length : 0);
}

void liveobj_write_process(struct liveobj_stream *stream, uint64_t since, uint64_t next) {
    struct liveobj_section section;
    if (!liveobj_section_start(&section, stream, "PROC"))
        return;
    liveobj_put_u32(&section, (uint32_t)getpid());
    liveobj_put_u32(&section, LIVEOBJ_ELF_MACHINE);
    liveobj_put_u64(&section, liveobj_os_wall_clock());
    liveobj_put_u64(&section, since);
    liveobj_put_u64(&section, next);
    liveobj_put_executable(&section);
    put_arguments(&section);
    liveobj_section_finish(&section);
}

// MARK: - The status

enum { WAS_SHORT_OF_MEMORY = 2, HAS_BUDGET = 4, WAS_STOPPED = 8, MISSES_OBJECTS = 16 }; // flags

struct notes {
    const char *sentences[4];
    uint32_t count;
};

static void add_note(struct notes *notes, const char *sentence) {
    if (sentence && *sentence)
        notes->sentences[notes->count++] = sentence;
}

/// \returns a sentence in `text`; NULL if the process has one Swift runtime.
static const char *describe_second_runtime(char text[512]) {
    liveobj_unloads_note();
    const char *user = liveobj_second_runtime_user();
    if (!user)
        return NULL;
    bool is_program = strcmp(user, liveobj_program_path) == 0;
    const char *slash = strrchr(user, '/');
    strcpy(text, "the process has a second Swift runtime, which is not watched: objects of ");
    strncat(text, is_program ? "the program itself" : slash ? slash + 1 : user, 255);
    return strcat(text, " may be missing");
}

/// Which objects may be missing without being counted.
static void note_missing_objects(struct notes *notes, char text[512]) {
    add_note(notes, describe_second_runtime(text));
    add_note(notes, liveobj_hooks_failure());
}

static void put_counts(struct liveobj_section *section, const struct liveobj_status *status) {
    liveobj_put_u64(section, status->dropped_records);
    liveobj_put_u64(section, status->dropped_stacks);
    liveobj_put_u64(section, status->missed_deallocations);
    liveobj_put_u64(section, status->allocations);
    liveobj_put_u64(section, status->deallocations);
}

void liveobj_write_status(struct liveobj_stream *stream, const struct liveobj_status *status) {
    static const char *const late_retains =
        "retains by weak and unowned references in libraries that were loaded after the start were "
        "not recorded";
    struct liveobj_section section;
    struct notes notes = {.count = 0};
    char second_runtime[512];
    if (!liveobj_section_start(&section, stream, "STAT"))
        return;
    if (status->state == LIVEOBJ_STATE_TRACKING)
        note_missing_objects(&notes, second_runtime);
    liveobj_put_u32(&section, status->state);
    liveobj_put_u32(&section, status->hook_mode);
    liveobj_put_u32(&section, status->stacks);
    liveobj_put_u32(&section, status->retains);
    liveobj_put_u32(&section, status->depth);
    liveobj_put_u32(&section, (liveobj_os_was_short_of_memory() ? WAS_SHORT_OF_MEMORY : 0) |
                                  (status->has_budget ? HAS_BUDGET : 0) |
                                  (status->was_stopped ? WAS_STOPPED : 0) |
                                  (notes.count ? MISSES_OBJECTS : 0));
    put_counts(&section, status);
    add_note(&notes, status->reason);
    liveobj_malloc_hooks_take_new_images();
    if (status->retains && liveobj_retain_hooks_missed_images())
        add_note(&notes, late_retains);
    liveobj_put_u32(&section, notes.count);
    for (uint32_t i = 0; i < notes.count; i++)
        liveobj_put_text(&section, notes.sentences[i]);
    liveobj_section_finish(&section);
}

void liveobj_write_sampling(struct liveobj_stream *stream, const struct liveobj_status *status) {
    uint64_t bytes = status->sample_bytes;
    if (bytes)
        liveobj_stream_write_section(stream, "SAMP", &bytes, sizeof bytes);
}

#endif

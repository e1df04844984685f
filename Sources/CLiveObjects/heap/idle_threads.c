// idle_threads.c - owns the answers of the program's first look at its own entry points.

#if defined(__linux__)

#define _GNU_SOURCE
#include "idle_threads.h"

#include <elf.h>
#include <link.h>

// MARK: - Code

static bool is_named(const char *path, const char *const *names, size_t count) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < count; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/// Libraries whose threads wait in them for work.
static bool merely_waits(const struct liveobj_image *image) {
    static const char *const names[] = {
        "libc.so", "libc-",      "libpthread",     "ld-linux",
        "ld-musl", "linux-vdso", "libdispatch.so", "libswift_Concurrency.so"};
    return !image->is_main && is_named(image->path, names, sizeof names / sizeof names[0]);
}

static bool add_code(void *context, const struct liveobj_image *image) {
    struct liveobj_idle_threads *idle = context;
    const ElfW(Phdr) *headers = image->headers;
    for (size_t i = 0; !merely_waits(image) && i < image->header_count; i++) {
        if (headers[i].p_type != PT_LOAD || !(headers[i].p_flags & PF_X))
            continue;
        uintptr_t start = image->bias + headers[i].p_vaddr;
        idle->is_lost |= idle->code_count == LIVEOBJ_IDLE_CODE_LIMIT;
        if (!idle->is_lost)
            idle->code[idle->code_count++] =
                (struct liveobj_extent){start, start + headers[i].p_memsz};
    }
    return idle->is_lost;
}

/// The executable's own; they are looked up in its file once.
static struct {
    bool is_known; // atomic
    struct liveobj_extent start;
    uintptr_t main;
    uintptr_t headers;
} entry_points;

static bool copy_main_image(void *context, const struct liveobj_image *image) {
    *(struct liveobj_image *)context = *image;
    return true;
}

static void find_entry_points(struct liveobj_idle_threads *idle) {
    // Acquire and release: two threads may look them up, and find the same.
    if (!__atomic_load_n(&entry_points.is_known, __ATOMIC_ACQUIRE)) {
        struct liveobj_image image;
        liveobj_images_visit(copy_main_image, &image);
        entry_points.start = liveobj_image_symbol(&image, "_start");
        entry_points.main = liveobj_image_symbol(&image, "main").start;
        entry_points.headers = (uintptr_t)image.headers;
        __atomic_store_n(&entry_points.is_known, true, __ATOMIC_RELEASE);
    }
    idle->start_code = entry_points.start;
    idle->main_code = entry_points.main;
    idle->headers = entry_points.headers;
}

// MARK: - Threads

static bool take_switches(void *context, const char *line) {
    uint64_t *switches = context;
    const char *digit = strstr(line, "voluntary_ctxt_switches:");
    for (digit = digit ? digit + strlen("voluntary_ctxt_switches:") : ""; *digit; digit++)
        if (*digit >= '0' && *digit <= '9')
            *switches = *switches * 10 + (uint64_t)(*digit - '0');
    return true;
}

/// A number that changes when the thread runs: both of its counts, one behind the other.
static uint64_t switches_of(uint32_t thread) {
    enum { PATH_BYTES = 64 };
    char path[PATH_BYTES];
    uint64_t switches = 0;
    liveobj_os_thread_file(thread, "status", path);
    liveobj_os_visit_lines(path, take_switches, &switches);
    return switches;
}

void liveobj_idle_threads_start(struct liveobj_idle_threads *idle) {
    idle->count = idle->code_count = 0;
    idle->is_lost = false;
    find_entry_points(idle);
    liveobj_images_visit(add_code, idle);
}

void liveobj_idle_threads_add(struct liveobj_idle_threads *idle, uint32_t thread) {
    idle->is_lost |= idle->count == LIVEOBJ_IDLE_THREADS_LIMIT;
    if (idle->is_lost)
        return;
    idle->threads[idle->count].thread = thread;
    idle->threads[idle->count++].switches = switches_of(thread);
}

/// A thread that was woken and runs has not been counted yet; one that waits again has.
static bool has_slept(uint32_t thread, uint64_t switches) {
    enum { PATH_BYTES = 64 };
    static const char running[] = "running";
    char path[PATH_BYTES], text[sizeof running - 1] = {0};
    liveobj_os_thread_file(thread, "syscall", path);
    size_t length = liveobj_os_file_read(path, text, sizeof text);
    return length == sizeof text && memcmp(text, running, length) != 0 &&
           switches_of(thread) == switches;
}

bool liveobj_idle_threads_have_slept(const struct liveobj_idle_threads *idle) {
    for (uint32_t i = 0; i < idle->count; i++)
        if (!has_slept(idle->threads[i].thread, idle->threads[i].switches))
            return false;
    return !idle->is_lost;
}

// MARK: - Stacks

/// A function that libc was given is kept by its first instruction; nothing returns there.
static bool is_entry_point(const struct liveobj_idle_threads *idle, uintptr_t word) {
    return (idle->main_code && word == idle->main_code) || word == idle->headers ||
           (word >= idle->start_code.start && word < idle->start_code.end);
}

bool liveobj_idle_threads_has_frames(const struct liveobj_idle_threads *idle, uintptr_t from,
                                     uintptr_t to) {
    for (; from < to; from += sizeof(uintptr_t)) {
        uintptr_t word = *(const uintptr_t *)from;
        for (uint32_t i = 0; i < idle->code_count; i++)
            if (word >= idle->code[i].start && word < idle->code[i].end &&
                !is_entry_point(idle, word))
                return true;
    }
    return false;
}

#endif

// Unloaded libraries: objects that they allocated keep their names, and a library that is loaded at
// the same address is a different one, even if all return addresses are equal.

#define _GNU_SOURCE
#include "runtime/unloads.h"
#include "CLiveObjects.h"
#include "os/os.h"
#include "recorder/recorder.h"
#include "records/records.h"
#include "runtime/image_list.h"
#include "stacks/stacks.h"
#include "support/capture_sections.h"
#include "support/expect.h"
#include "support/fake_runtime.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#if defined(FAKE_RUNTIME_CAN_BE_WATCHED) && defined(UNLOADED_A)

enum { IS_UNLOADED = 2, NO_IMAGE = 65535 };

static const struct {
    uintptr_t kind;
    uint32_t offset_to_first_capture;
    const void *captures;
} context_metadata = {0x400, 16, NULL};

static void **last_object;

static void make_object(void) {
    last_object = swift_allocObject(&context_metadata, 48, 15);
    last_object[1] = (void *)3;
}

typedef void (*call_fn)(void (*function)(void));

/// As the preload library's `dlclose`.
static void close_library(void *library) {
    liveobj_recorder_note_unloads();
    EXPECT(dlclose(library) == 0);
    liveobj_recorder_note_unloads();
}

/// \returns where its function was.
__attribute__((noinline)) static uintptr_t make_object_under(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    EXPECT(library != NULL);
    call_fn call = (call_fn)(uintptr_t)dlsym(library, "call");
    call(make_object);
    close_library(library);
    return (uintptr_t)call;
}

// MARK: - Reading captures

struct image {
    uint32_t flags;
    char name[256];
};

static uint32_t word_at(const unsigned char *bytes) {
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

static struct image image_with_id(struct liveobj_buffer capture, uint32_t id) {
    struct section section = section_find(capture, "IMAG");
    struct image image = {0};
    for (const unsigned char *next = section.bytes; next < section.bytes + section.count;) {
        uint32_t this_id = word_at(next), flags = word_at(next + 4);
        next += 32;
        next += 4 + word_at(next); // the build id
        uint32_t length = word_at(next);
        if (this_id == id) {
            image.flags = flags;
            snprintf(image.name, sizeof image.name, "%.*s", (int)length, (const char *)next + 4);
        }
        next += 4 + length;
    }
    return image;
}

static uint32_t stack_of(struct liveobj_buffer capture, const void *object) {
    struct section section = section_find(capture, "OBJS");
    for (size_t at = 0; at < section.count; at += 48)
        if (memcmp(section.bytes + at, &object, sizeof object) == 0)
            return word_at(section.bytes + at + 28);
    return 0;
}

/// The path of the unloaded library in the trace; empty for none.
static struct image unloaded_in_stack(struct liveobj_buffer capture, uint32_t stack) {
    struct section section = section_find(capture, "STAK");
    struct image found = {0};
    for (const unsigned char *next = section.bytes; next < section.bytes + section.count;) {
        uint32_t id = word_at(next), own = word_at(next + 8);
        next += 16;
        for (uint32_t i = 0; i < own; i++, next += 8) {
            uint32_t image = word_at(next + 4) >> 16;
            struct image present = id == stack && image != NO_IMAGE ? image_with_id(capture, image)
                                                                    : (struct image){0};
            if (present.flags & IS_UNLOADED)
                found = present;
        }
    }
    return found;
}

static struct liveobj_buffer capture_with(enum liveobj_contents contents) {
    struct liveobj_buffer capture = liveobj_capture_to_memory(0, contents);
    EXPECT(section_find(capture, "END!").count == sizeof(uint64_t));
    return capture;
}

static bool is_allocated_under(struct liveobj_buffer capture, const void *object,
                               const char *path) {
    return strcmp(unloaded_in_stack(capture, stack_of(capture, object)).name, path) == 0;
}

// MARK: - Tests

static void traces_name_the_library_that_was_loaded_then(void) {
    static const enum liveobj_contents contents[] = {LIVEOBJ_CONTENTS_OBJECTS,
                                                     LIVEOBJ_CONTENTS_GRAPH};
    static const char *const paths[] = {UNLOADED_A, UNLOADED_B, UNLOADED_A, UNLOADED_B};
    enum { COUNT = sizeof paths / sizeof *paths };
    void **objects[COUNT];
    uintptr_t places[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        places[i] = make_object_under(paths[i]);
        objects[i] = last_object;
    }
    EXPECT(places[0] == places[1]); // otherwise the test shows nothing
    make_object();
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        struct liveobj_buffer capture = capture_with(contents[i]);
        for (size_t j = 0; j < COUNT; j++)
            EXPECT(is_allocated_under(capture, objects[j], paths[j]));
        EXPECT(is_allocated_under(capture, last_object, ""));
        liveobj_buffer_free(capture);
    }
}

/// With the unwind rule of the previous library, the walk would miss the caller.
static void traces_continue_after_frames_of_an_unloaded_library(void) {
    make_object_under(UNLOADED_A);
    void **first = last_object;
    make_object_under(UNLOADED_B);
    struct liveobj_object one, other;
    EXPECT(liveobj_records_find((uintptr_t)first, &one) &&
           liveobj_records_find((uintptr_t)last_object, &other));
    struct liveobj_stored_trace trace = liveobj_stack_depot_get(other.stack);
    EXPECT(trace.own_frames + trace.parent_frames >= 4);
}

static void an_object_is_older_than_a_later_unload(void) {
    uint64_t before = liveobj_mark();
    uintptr_t place = make_object_under(UNLOADED_A);
    EXPECT(liveobj_unload_of(place, before) > before);
    EXPECT(liveobj_unload_of(place, liveobj_mark()) == 0);
    EXPECT(liveobj_unload_of((uintptr_t)make_object, before) == 0);
}

static uint32_t *reads; // through the kernel; shared with copies of the process; atomic

/// Replaces the C library's.
ssize_t process_vm_readv(pid_t process, const struct iovec *here, unsigned long here_count,
                         const struct iovec *there, unsigned long there_count,
                         unsigned long flags) {
    __atomic_fetch_add(reads, 1, __ATOMIC_RELAXED);
    return syscall(SYS_process_vm_readv, process, here, here_count, there, there_count, flags);
}

/// Not inlined: an object is distinguished from a raw buffer by its caller.
static void *(*volatile allocate_object)(const void *, size_t, size_t) = swift_allocObject;

static void a_type_is_read_once_for_all_its_objects(void) {
    enum { OBJECTS = 2000 };
    make_object_under(UNLOADED_A);
    for (int i = 0; i < OBJECTS; i++)
        ((uint64_t *)allocate_object(&context_metadata, 48, 15))[1] = 3;
    uint32_t before = __atomic_load_n(reads, __ATOMIC_RELAXED);
    liveobj_buffer_free(capture_with(LIVEOBJ_CONTENTS_OBJECTS));
    liveobj_buffer_free(capture_with(LIVEOBJ_CONTENTS_GRAPH));
    EXPECT(__atomic_load_n(reads, __ATOMIC_RELAXED) - before < OBJECTS);
}

static bool is_over; // atomic

static void *allocate(void *unused) {
    (void)unused;
    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
        void **object = swift_allocObject(&context_metadata, 48, 15);
        swift_slowDealloc(object, 48, 15);
    }
    return NULL;
}

static uint32_t images_gone(void) {
    struct liveobj_image_list list;
    EXPECT(liveobj_image_list_start(&list, 1024, 1 << 20));
    liveobj_unloads_list(&list);
    uint32_t count = list.count;
    liveobj_image_list_end(&list);
    return count;
}

static void repeated_unloads_take_no_more_memory_than_one(unsigned count) {
    enum { THREADS = 3 };
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, allocate, NULL);
    make_object_under(UNLOADED_A);
    uint32_t traces = liveobj_stack_depot_last(), gone = images_gone();
    for (unsigned i = 0; i < count; i++)
        make_object_under(UNLOADED_A);
    // An image is kept while a thread that was interrupted in a hook may read it.
    for (int i = 0; i < 1000 && images_gone() > gone + 1; i++) {
        usleep(10000);
        make_object_under(UNLOADED_A);
    }
    EXPECT(images_gone() <= gone + 1);
    EXPECT(liveobj_stack_depot_last() <= traces + 2 * (THREADS + 8));
    __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    liveobj_buffer_free(capture_with(LIVEOBJ_CONTENTS_GRAPH));
}

/// An argument asks for more unloads than a test has time for.
int main(int argument_count, char **arguments) {
    struct liveobj_settings settings = liveobj_settings_default();
    settings.hook_mode = LIVEOBJ_HOOKS_GOT;
    reads = liveobj_os_map_shared(sizeof *reads);
    EXPECT(liveobj_start(&settings) == LIVEOBJ_STATE_TRACKING);
    EXPECT(liveobj_unloads_count() == 0);
    traces_name_the_library_that_was_loaded_then();
    traces_continue_after_frames_of_an_unloaded_library();
    an_object_is_older_than_a_later_unload();
    a_type_is_read_once_for_all_its_objects();
    repeated_unloads_take_no_more_memory_than_one(
        argument_count > 1 ? (unsigned)strtoul(arguments[1], NULL, 10) : 300);
    return EXPECT_STATUS();
}

#else

int main(void) {
    return EXPECT_SKIPPED; // nothing can be watched here
}

#endif

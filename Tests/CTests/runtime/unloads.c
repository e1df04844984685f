// Unloaded libraries: traces are right after other code has their place, and after the unload of a
// Swift library references are not read.

#include "runtime/unloads.h"
#include "CLiveObjects.h"
#include "os/os.h"
#include "recorder/recorder.h"
#include "records/records.h"
#include "stacks/stacks.h"
#include "support/capture_sections.h"
#include "support/expect.h"
#include "support/fake_runtime.h"

#include <dlfcn.h>
#include <pthread.h>

#if defined(FAKE_RUNTIME_CAN_BE_WATCHED) && defined(UNLOADED_A)

enum { TYPE_CONTEXT = 2, TYPE_OTHER = 6, GRAPH_READ = 1, GRAPH_NOT_READ = 2 };

static const struct {
    uintptr_t kind;
    uint32_t offset_to_first_capture;
    const void *captures;
} context_metadata = {0x400, 16, NULL};

/// The same, but not in an image.
static void *allocated_metadata;

static void **last_object;

static void make_object(void) {
    last_object = swift_allocObject(&context_metadata, 48, 15);
    last_object[1] = (void *)3;
}

typedef void (*call_fn)(void (*function)(void));

// MARK: - The runtime's list of sections

static const void *sections[] = {&context_metadata, NULL};

void swift_addNewDSOImage(const void *image_sections) {
    sections[1] = image_sections;
}

void swift_enumerateAllMetadataSections(bool (*visit)(const void *, void *), void *context) {
    for (size_t i = 0; i < 2 && sections[i] && visit(sections[i], context); i++)
        continue;
}

// MARK: - Libraries

__attribute__((noinline)) static void make_object_under(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    EXPECT(library != NULL);
    call_fn call = (call_fn)(uintptr_t)dlsym(library, "call");
    call(make_object);
    EXPECT(dlclose(library) == 0); // as the preload library's `dlclose`
    liveobj_recorder_note_unloads();
}

// MARK: - Reading captures

static uint32_t word_at(const unsigned char *bytes) {
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

static uint32_t type_of(struct liveobj_buffer capture, const void *object) {
    enum { TYPE_OF_OBJECT = 24 }; // in its record
    struct section section = section_find(capture, "OBJS");
    for (size_t at = 0; at < section.count; at += 48)
        if (memcmp(section.bytes + at, &object, sizeof object) == 0)
            return word_at(section.bytes + at + TYPE_OF_OBJECT);
    return 0;
}

static uint32_t kind_of_type(struct liveobj_buffer capture, uint32_t type) {
    struct section section = section_find(capture, "TYPE");
    const unsigned char *next = section.bytes;
    while (next < section.bytes + section.count && word_at(next) != type)
        next += 28 + word_at(next + 24);
    return next < section.bytes + section.count ? word_at(next + 4) : 0;
}

static struct liveobj_buffer capture_with(enum liveobj_contents contents) {
    struct liveobj_buffer capture = liveobj_capture_to_memory(0, contents);
    EXPECT(section_find(capture, "END!").count == sizeof(uint64_t));
    return capture;
}

// MARK: - Tests

static bool reads_references(void) {
    struct liveobj_buffer capture = capture_with(LIVEOBJ_CONTENTS_GRAPH);
    uint32_t state = word_at(section_find(capture, "GRPH").bytes);
    EXPECT(state == GRAPH_READ || state == GRAPH_NOT_READ);
    liveobj_buffer_free(capture);
    return state == GRAPH_READ;
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

static bool is_over; // atomic

static void *allocate(void *unused) {
    (void)unused;
    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
        void **object = swift_allocObject(&context_metadata, 48, 15);
        swift_slowDealloc(object, 48, 15);
    }
    return NULL;
}

static void repeated_unloads_take_no_more_memory_than_one(unsigned count) {
    enum { THREADS = 3 };
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, allocate, NULL);
    make_object_under(UNLOADED_A);
    uint32_t traces = liveobj_stack_depot_last();
    for (unsigned i = 0; i < count; i++)
        make_object_under(UNLOADED_A);
    EXPECT(liveobj_stack_depot_last() <= traces + 2 * (THREADS + 8));
    __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void *(*volatile allocate_object)(const void *, size_t, size_t) = swift_allocObject;

static void after_a_swift_library_types_outside_of_images_are_not_followed(void) {
    void *of_image = allocate_object(&context_metadata, 48, 15);
    void *of_heap = allocate_object(allocated_metadata, 48, 15);
    struct liveobj_buffer before = capture_with(LIVEOBJ_CONTENTS_OBJECTS);
    EXPECT(kind_of_type(before, type_of(before, of_heap)) == TYPE_CONTEXT);
    make_object_under(UNLOADED_SWIFT);
    EXPECT(liveobj_unloads_failure() && strstr(liveobj_unloads_failure(), "a Swift library"));
    struct liveobj_buffer after = capture_with(LIVEOBJ_CONTENTS_OBJECTS);
    EXPECT(kind_of_type(after, type_of(after, of_image)) == TYPE_CONTEXT);
    EXPECT(kind_of_type(after, type_of(after, of_heap)) == TYPE_OTHER);
    EXPECT(!reads_references());
    liveobj_buffer_free(before);
    liveobj_buffer_free(after);
}

/// An argument asks for more unloads than a test has time for.
int main(int argument_count, char **arguments) {
    struct liveobj_settings settings = liveobj_settings_default();
    settings.hook_mode = LIVEOBJ_HOOKS_GOT;
    EXPECT(liveobj_start(&settings) == LIVEOBJ_STATE_TRACKING);
    allocated_metadata = liveobj_os_map(sizeof context_metadata);
    memcpy(allocated_metadata, &context_metadata, sizeof context_metadata);
    traces_continue_after_frames_of_an_unloaded_library();
    repeated_unloads_take_no_more_memory_than_one(
        argument_count > 1 ? (unsigned)strtoul(arguments[1], NULL, 10) : 300);
    EXPECT(!liveobj_unloads_failure());
    EXPECT(reads_references());
    after_a_swift_library_types_outside_of_images_are_not_followed();
    return EXPECT_STATUS();
}

#endif

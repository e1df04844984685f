// Objects whose header leads nowhere: what is said of them is lost, and nothing else. Metadata that
// was unmapped, of which a part was, that is other memory now, and words that never were metadata.

#define _GNU_SOURCE
#include "CLiveObjects.h"
#include "os/os.h"
#include "support/capture_sections.h"
#include "support/expect.h"
#include "support/fake_runtime.h"

#include <pthread.h>
#include <sys/mman.h>

#ifdef FAKE_RUNTIME_CAN_BE_WATCHED

enum { PAGE = 4096, OBJECT_BYTES = 64, CLASS = 0, CONTEXT = 0x400, BOX = 0x500, ERROR = 0x501 };

/// A page of memory of its own.
static uintptr_t *map_page(void) {
    return mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static uintptr_t unmapped(uintptr_t *page) {
    munmap(page, PAGE);
    return (uintptr_t)page;
}

// MARK: - Metadata

static const struct {
    uint64_t functions[8];
    uint64_t size, stride;
    uint32_t flags, extra_inhabitants;
} class_witnesses = {.size = 8, .stride = 8, .flags = 0x10007};

static const uint32_t class_descriptor[16] = {16};

struct class_metadata {
    const void *destroy;
    const void *witnesses;
    uintptr_t words[8]; // kind, superclass, flags, sizes, sizes, descriptor
};

/// \returns its address point.
static uintptr_t make_class(uintptr_t superclass, uintptr_t descriptor, uintptr_t witnesses) {
    struct class_metadata *class = (struct class_metadata *)(void *)map_page();
    class->witnesses = (const void *)witnesses;
    class->words[1] = superclass;
    class->words[3] = OBJECT_BYTES;
    class->words[5] = descriptor;
    return (uintptr_t) class->words;
}

static uintptr_t sound_class(uintptr_t superclass) {
    return make_class(superclass, (uintptr_t)class_descriptor, (uintptr_t)&class_witnesses);
}

static void unmap_metadata(uintptr_t metadata) {
    munmap((void *)(metadata & ~(uintptr_t)(PAGE - 1)), PAGE);
}

static uintptr_t unmapped_class(void) {
    uintptr_t class = sound_class(0);
    unmap_metadata(class);
    return class;
}

static uintptr_t overwritten_class(void) {
    uintptr_t class = sound_class(0);
    memset((void *)(class & ~(uintptr_t)(PAGE - 1)), 0x5a, PAGE);
    return class;
}

static uintptr_t box_of(uintptr_t type) {
    uintptr_t *words = map_page();
    words[1] = BOX;
    words[2] = 16;
    words[3] = type;
    return (uintptr_t)&words[1];
}

static uintptr_t context_with(uintptr_t captures) {
    uintptr_t *words = map_page();
    words[1] = CONTEXT;
    words[2] = 16;
    words[3] = captures;
    return (uintptr_t)&words[1];
}

static uintptr_t class_that_inherits_itself(void) {
    uintptr_t class = sound_class(0);
    ((uintptr_t *)class)[1] = class;
    return class;
}

/// The last words of memory that has nothing behind it.
static uintptr_t at_the_edge(uintptr_t kind) {
    uintptr_t *pages =
        mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uintptr_t *edge = pages + PAGE / sizeof *pages;
    edge[-1] = kind;
    munmap(edge, PAGE);
    return (uintptr_t)&edge[-1];
}

// MARK: - Objects

/// Not inlined: an object is told from a raw buffer by the function that asked for it.
static void *(*volatile allocate)(const void *, size_t, size_t) = swift_allocObject;

static uintptr_t *make_object(uintptr_t metadata) {
    uintptr_t *object = allocate((const void *)metadata, OBJECT_BYTES, 15);
    memset(object + 1, 0, OBJECT_BYTES - sizeof *object);
    object[1] = 3;
    return object;
}

static unsigned make_unreadable_objects(void) {
    uintptr_t gone = unmapped(map_page());
    uintptr_t *another = make_object(sound_class(0));
    const uintptr_t metadata[] = {0,
                                  1,
                                  3,
                                  PAGE,
                                  UINTPTR_MAX,
                                  (uintptr_t)1 << 63,
                                  0x7ffffffff000,
                                  gone,
                                  gone + 4,
                                  (uintptr_t)another,
                                  (uintptr_t)another + 4,
                                  (uintptr_t)make_object,
                                  (uintptr_t)make_object | 1,
                                  unmapped_class(),
                                  overwritten_class(),
                                  class_that_inherits_itself(),
                                  make_class(0, gone, (uintptr_t)&class_witnesses),
                                  make_class(0, (uintptr_t)class_descriptor, gone),
                                  sound_class(gone),
                                  sound_class(unmapped_class()),
                                  sound_class(overwritten_class()),
                                  box_of(gone),
                                  box_of(unmapped_class()),
                                  context_with(gone),
                                  context_with(1),
                                  at_the_edge(CLASS),
                                  at_the_edge(CONTEXT),
                                  at_the_edge(BOX),
                                  at_the_edge(ERROR)};
    unsigned count = sizeof metadata / sizeof *metadata;
    for (unsigned i = 0; i < count; i++)
        make_object(metadata[i]);
    uintptr_t *counted_elsewhere = make_object(context_with(0));
    counted_elsewhere[1] = (uintptr_t)1 << 63 | gone >> 3;
    uintptr_t *error = make_object((uintptr_t) & (const uintptr_t[]){ERROR, 0, 0, 0}[0]);
    error[2] = gone;
    return count + 3; // and `another`
}

// MARK: - What can be said all the same

static void captures_are_whole(uint64_t since, unsigned count, const uintptr_t *sound) {
    enum { GRAPH_READ = 1 };
    struct liveobj_buffer objects = liveobj_capture_to_memory(since, LIVEOBJ_CONTENTS_OBJECTS);
    EXPECT(section_find(objects, "OBJS").count == count * 48);
    EXPECT(section_find(objects, "END!").count == sizeof(uint64_t));
    liveobj_buffer_free(objects);
    struct liveobj_buffer graph = liveobj_capture_to_memory(since, LIVEOBJ_CONTENTS_GRAPH);
    EXPECT(section_word(section_find(graph, "GRPH"), 0) == GRAPH_READ);
    EXPECT(section_find(graph, "OBJS").count == count * 48);
    EXPECT(section_find(graph, "END!").count == sizeof(uint64_t));
    struct section references = section_find(graph, "REFS");
    bool is_found = false;
    for (size_t i = 0; i < references.count / 20; i++)
        is_found |= section_word(references, 5 * i) == count - 2 &&
                    section_word(references, 5 * i + 1) == count - 1;
    EXPECT(is_found); // what the sound ones refer to
    EXPECT(sound[2] != 0);
    liveobj_buffer_free(graph);
}

static void *wait_for_end(void *is_over) {
    while (!__atomic_load_n((bool *)is_over, __ATOMIC_RELAXED))
        liveobj_os_sleep(1000000);
    return NULL;
}

int main(void) {
    struct liveobj_settings settings = liveobj_settings_default();
    settings.hook_mode = LIVEOBJ_HOOKS_GOT;
    settings.stacks = false;
    EXPECT(liveobj_start(&settings) == LIVEOBJ_STATE_TRACKING);
    uint64_t since = liveobj_mark();
    unsigned count = make_unreadable_objects();
    uintptr_t *one = make_object(context_with(0)), *other = make_object(context_with(0));
    one[2] = (uintptr_t)other;
    count += 2;
    captures_are_whole(since, count, one);
    bool is_over = false;
    pthread_t thread;
    pthread_create(&thread, NULL, wait_for_end, &is_over);
    captures_are_whole(since, count, one);
    __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    return EXPECT_STATUS();
}

#else

int main(void) {
    return 0; // nothing can be watched here
}

#endif

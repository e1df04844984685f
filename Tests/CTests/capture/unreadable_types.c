// Objects with invalid headers: only their types are lost. Their metadata was unmapped, wholly or
// in part, or reused for other memory, or never was metadata.

#include "CLiveObjects.h"
#include "os/os.h"
#include "support/capture_sections.h"
#include "support/expect.h"
#include "support/fake_runtime.h"

#include <pthread.h>
#include <sys/mman.h>

#ifdef FAKE_RUNTIME_CAN_BE_WATCHED

#define PAGE liveobj_os_page_bytes()
enum { OBJECT_BYTES = 64, CLASS = 0, CONTEXT = 0x400, BOX = 0x500, ERROR = 0x501 };

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

static uintptr_t valid_class(uintptr_t superclass) {
    return make_class(superclass, (uintptr_t)class_descriptor, (uintptr_t)&class_witnesses);
}

static void unmap_metadata(uintptr_t metadata) {
    munmap((void *)(metadata & ~(uintptr_t)(PAGE - 1)), PAGE);
}

static uintptr_t unmapped_class(void) {
    uintptr_t class = valid_class(0);
    unmap_metadata(class);
    return class;
}

static uintptr_t overwritten_class(void) {
    uintptr_t class = valid_class(0);
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

static uintptr_t self_inheriting_class(void) {
    uintptr_t class = valid_class(0);
    ((uintptr_t *)class)[1] = class;
    return class;
}

/// The last words of a page before unmapped memory.
static uintptr_t metadata_at_the_edge(uintptr_t kind) {
    uintptr_t *pages =
        mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uintptr_t *edge = pages + PAGE / sizeof *pages;
    edge[-1] = kind;
    munmap(edge, PAGE);
    return (uintptr_t)&edge[-1];
}

// MARK: - Objects

/// Not inlined: an object is distinguished from a raw buffer by its caller.
static void *(*volatile allocate)(const void *, size_t, size_t) = swift_allocObject;

static uintptr_t *make_object(uintptr_t metadata) {
    uintptr_t *object = allocate((const void *)metadata, OBJECT_BYTES, 15);
    memset(object + 1, 0, OBJECT_BYTES - sizeof *object);
    object[1] = 3;
    return object;
}

static void hold_in_last_word(uintptr_t *object, const uintptr_t *target) {
    object[OBJECT_BYTES / sizeof *object - 1] = (uintptr_t)target;
}

/// Each holds `target`.
static unsigned make_unreadable_objects(const uintptr_t *target) {
    uintptr_t gone = unmapped(map_page());
    uintptr_t *another = make_object(valid_class(0));
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
                                  self_inheriting_class(),
                                  make_class(0, gone, (uintptr_t)&class_witnesses),
                                  make_class(0, (uintptr_t)class_descriptor, gone),
                                  valid_class(gone),
                                  valid_class(unmapped_class()),
                                  valid_class(overwritten_class()),
                                  box_of(gone),
                                  box_of(unmapped_class()),
                                  context_with(gone),
                                  context_with(1),
                                  metadata_at_the_edge(CLASS),
                                  metadata_at_the_edge(CONTEXT),
                                  metadata_at_the_edge(BOX),
                                  metadata_at_the_edge(ERROR)};
    unsigned count = sizeof metadata / sizeof *metadata;
    for (unsigned i = 0; i < count; i++)
        hold_in_last_word(make_object(metadata[i]), target);
    uintptr_t *counted_elsewhere = make_object(context_with(0));
    counted_elsewhere[1] = (uintptr_t)1 << 63 | gone >> 3;
    uintptr_t *error = make_object((uintptr_t) & (const uintptr_t[]){ERROR, 0, 0, 0}[0]);
    error[2] = gone;
    return count + 3; // and `another`
}

// MARK: - Captures of them

/// \param from UINT32_MAX for any.
static unsigned count_references(struct section references, uint32_t from, uint32_t to) {
    enum { WORDS = 5 };
    unsigned count = 0;
    for (size_t i = 0; i < references.count / (WORDS * sizeof(uint32_t)); i++)
        count += (from == UINT32_MAX || section_word(references, WORDS * i) == from) &&
                 section_word(references, WORDS * i + 1) == to;
    return count;
}

/// The first object is `target`, the last ones are valid: `one`, which refers to `other`.
static void captures_are_complete(uint64_t since, unsigned count) {
    enum { GRAPH_READ = 1, UNREAD = 2, SCANNED = 3 };
    struct liveobj_buffer objects = liveobj_capture_to_memory(since, LIVEOBJ_CONTENTS_OBJECTS);
    EXPECT(section_find(objects, "OBJS").count == count * 48);
    EXPECT(section_find(objects, "END!").count == sizeof(uint64_t));
    liveobj_buffer_free(objects);
    struct liveobj_buffer graph = liveobj_capture_to_memory(since, LIVEOBJ_CONTENTS_GRAPH);
    EXPECT(section_word(section_find(graph, "GRPH"), 0) == GRAPH_READ);
    EXPECT(section_find(graph, "OBJS").count == count * 48);
    EXPECT(section_find(graph, "END!").count == sizeof(uint64_t));
    struct section references = section_find(graph, "REFS");
    EXPECT(count_references(references, count - 2, count - 1) == 1);
    uint32_t scanned = section_word(section_find(graph, "GRPH"), SCANNED);
    EXPECT(scanned > 0);
    EXPECT(count_references(references, UINT32_MAX, 0) >= scanned);
    EXPECT(section_word(section_find(graph, "GRPH"), UNREAD) == 0);
    liveobj_buffer_free(graph);
}

/// A part of the object cannot be read, and only that part is counted as unread.
static void unreadable_memory_is_counted(void) {
    enum { UNREAD = 2 };
    uint64_t since = liveobj_mark();
    const uintptr_t metadata = valid_class(0);
    char *object = allocate((const void *)metadata, 3 * PAGE, 15);
    char *page = (char *)(((uintptr_t)object + PAGE) & ~(uintptr_t)(PAGE - 1));
    make_object(metadata);
    mprotect(page, PAGE, PROT_NONE);
    struct liveobj_buffer graph = liveobj_capture_to_memory(since, LIVEOBJ_CONTENTS_GRAPH);
    mprotect(page, PAGE, PROT_READ | PROT_WRITE);
    EXPECT(section_word(section_find(graph, "GRPH"), UNREAD) == 1);
    EXPECT(section_find(graph, "END!").count == sizeof(uint64_t));
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
    unsigned count = 1 + make_unreadable_objects(make_object(context_with(0)));
    uintptr_t *one = make_object(context_with(0)), *other = make_object(context_with(0));
    one[2] = (uintptr_t)other;
    count += 2;
    captures_are_complete(since, count);
    bool is_over = false;
    pthread_t thread;
    pthread_create(&thread, NULL, wait_for_end, &is_over);
    captures_are_complete(since, count);
    __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    unreadable_memory_is_counted();
    return EXPECT_STATUS();
}

#endif

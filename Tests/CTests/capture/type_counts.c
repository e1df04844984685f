// The number and the bytes of the live objects of each type, without the objects.

#include "CLiveObjects.h"
#include "support/capture_sections.h"
#include "support/expect.h"
#include "support/fake_runtime.h"

#ifdef FAKE_RUNTIME_CAN_BE_WATCHED

enum { CONTEXT = 0x400 };

static const uintptr_t first_type[] = {0, CONTEXT, 16, 0};
static const uintptr_t second_type[] = {0, CONTEXT, 16, 0};

/// Not inlined: an object is distinguished from a raw buffer by its caller.
static void *(*volatile allocate)(const void *, size_t, size_t) = swift_allocObject;
static void (*volatile deallocate)(void *, size_t, size_t) = swift_slowDealloc;

static void *make_object(const uintptr_t *type, size_t bytes) {
    uintptr_t *object = allocate(&type[1], bytes, 15);
    object[1] = 3;
    return object;
}

struct count {
    uint64_t objects;
    uint64_t bytes;
};

/// The count with this place in the section.
static struct count count_at(struct section counts, size_t place) {
    enum { RECORD_BYTES = 24, OFFSET = 8 };
    struct count count = {0, 0};
    if ((place + 1) * RECORD_BYTES <= counts.count)
        memcpy(&count, counts.bytes + place * RECORD_BYTES + OFFSET, sizeof count);
    return count;
}

static void expect_counts(uint64_t since, struct count first, struct count second) {
    struct liveobj_buffer capture = liveobj_capture_to_memory(since, LIVEOBJ_CONTENTS_COUNTS);
    struct section counts = section_find(capture, "CNTS");
    struct count found[] = {count_at(counts, 0), count_at(counts, 1)};
    EXPECT(found[0].objects == first.objects && found[0].bytes == first.bytes);
    EXPECT(found[1].objects == second.objects && found[1].bytes == second.bytes);
    EXPECT(counts.bytes && (section_find(capture, "TYPE").count > 0 || first.objects == 0));
    EXPECT(!section_find(capture, "OBJS").bytes && !section_find(capture, "IMAG").bytes);
    EXPECT(section_find(capture, "END!").count == sizeof(uint64_t));
    liveobj_buffer_free(capture);
}

int main(void) {
    struct liveobj_settings settings = liveobj_settings_default();
    settings.hook_mode = LIVEOBJ_HOOKS_GOT;
    EXPECT(liveobj_start(&settings) == LIVEOBJ_STATE_TRACKING);
    uint64_t since = liveobj_mark();
    expect_counts(since, (struct count){0, 0}, (struct count){0, 0});
    void *object = make_object(first_type, 64);
    make_object(first_type, 32);
    uint64_t later = liveobj_mark();
    make_object(second_type, 48);
    expect_counts(since, (struct count){2, 96}, (struct count){1, 48});
    expect_counts(later, (struct count){1, 48}, (struct count){0, 0});
    deallocate(object, 64, 15);
    expect_counts(since, (struct count){1, 32}, (struct count){1, 48});
    return EXPECT_STATUS();
}

#endif

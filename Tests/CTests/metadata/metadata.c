// An arbitrary word is accepted as metadata if it points to a type's, and not if it points to an
// object.

#include "metadata/metadata.h"
#include "runtime/memory_reader.h"
#include "support/expect.h"

/// A class as the runtime lays it out: its witness table stands in front of it.
struct class {
    const void *witnesses;
    uintptr_t kind;
    uintptr_t words[4];
    const uint32_t *descriptor;
};

static const uint32_t class_descriptor[4] = {16};
static const uintptr_t reference_witnesses[10] = {[8] = 8, [9] = 8};

static bool is_valid(const struct class *candidate) {
    static struct liveobj_reader reader;
    liveobj_reader_start(&reader);
    return liveobj_metadata_is_valid(&reader, (uintptr_t)&candidate->kind);
}

static void a_class_is_metadata(void) {
    struct class type = {.witnesses = reference_witnesses, .descriptor = class_descriptor};
    EXPECT(is_valid(&type));
}

/// Half of all objects have a class whose address has the low bits of a class's descriptor.
static void an_object_that_refers_to_another_is_not_metadata(void) {
    enum { CHUNK_BYTES = 0x31 };
    static const uint32_t other_object[4] = {0x55550010};
    struct class object = {.witnesses = (const void *)CHUNK_BYTES,
                           .kind = (uintptr_t)class_descriptor,
                           .descriptor = other_object};
    EXPECT(!is_valid(&object));
}

int main(void) {
    a_class_is_metadata();
    an_object_that_refers_to_another_is_not_metadata();
    return EXPECT_STATUS();
}

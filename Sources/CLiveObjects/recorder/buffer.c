// buffer.c - captures into memory.
//
// Owns nothing after it has returned: a buffer belongs to the caller. Outside of hooks.

#if defined(__linux__)

#include "CLiveObjects.h"
#include "os/os.h"

#include <string.h>

struct growing {
    unsigned char *bytes;
    size_t count;
    size_t capacity;
};

static bool append_to_buffer(void *context, const void *bytes, size_t count) {
    enum { FIRST_CAPACITY = 1 << 16 };
    struct growing *buffer = context;
    size_t capacity = buffer->capacity ? buffer->capacity : FIRST_CAPACITY;
    while (capacity - buffer->count < count)
        capacity *= 2;
    if (capacity != buffer->capacity) {
        unsigned char *grown = liveobj_os_resize(buffer->bytes, buffer->capacity, capacity);
        if (!grown)
            return false;
        buffer->bytes = grown;
        buffer->capacity = capacity;
    }
    memcpy(buffer->bytes + buffer->count, bytes, count);
    buffer->count += count;
    return true;
}

/// Frees the unused capacity, of which `liveobj_buffer_free` does not know.
static struct liveobj_buffer trimmed_buffer(struct growing buffer) {
    size_t used = liveobj_round_up(buffer.count, liveobj_os_page_bytes());
    if (used < buffer.capacity)
        liveobj_os_unmap(buffer.bytes + used, buffer.capacity - used);
    return (struct liveobj_buffer){buffer.bytes, buffer.count};
}

struct liveobj_buffer liveobj_capture_to_memory(uint64_t since, enum liveobj_contents contents) {
    struct growing buffer = {0};
    if (liveobj_capture(since, contents, append_to_buffer, &buffer))
        return trimmed_buffer(buffer);
    liveobj_os_unmap(buffer.bytes, buffer.capacity);
    return (struct liveobj_buffer){NULL, 0};
}

enum liveobj_test_check liveobj_test_capture_to_memory(uint32_t test,
                                                       const struct liveobj_instance *instances,
                                                       size_t count,
                                                       struct liveobj_buffer *buffer) {
    struct growing growing = {0};
    enum liveobj_test_check check =
        liveobj_test_capture(test, instances, count, append_to_buffer, &growing);
    if (check == LIVEOBJ_TEST_CAPTURED)
        *buffer = trimmed_buffer(growing);
    else
        liveobj_os_unmap(growing.bytes, growing.capacity);
    return check;
}

void liveobj_buffer_free(struct liveobj_buffer buffer) {
    liveobj_os_unmap(buffer.bytes, liveobj_round_up(buffer.count, liveobj_os_page_bytes()));
}

#endif

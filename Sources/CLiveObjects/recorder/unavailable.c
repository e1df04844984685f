// unavailable.c - the public functions on systems other than Linux, where nothing can be tracked.
// Their results say so.

#if !defined(__linux__)

#include "CLiveObjects.h"
#include "recorder/recorder.h"

// Most parameters are unused here.
#pragma GCC diagnostic ignored "-Wunused-parameter"

// MARK: - Functions of the hand-over table

/// The results; 0, false or NULL for those that are not listed.
static const struct {
#define FUNCTION(result, name, parameters, arguments) result name;
#define PROCEDURE(name, parameters, arguments)
    LIVEOBJ_FUNCTIONS(FUNCTION, PROCEDURE)
#undef FUNCTION
#undef PROCEDURE
} results = {
    .start = LIVEOBJ_STATE_NO_RUNTIME,
    .status = {.state = LIVEOBJ_STATE_NO_RUNTIME,
               .reason = "LiveObjects watches the Swift runtime on Linux only"},
    .scope_make = 1,
    .declares_type = true,
    .test_capture = LIVEOBJ_TEST_CLEAN,
};

#define FUNCTION(result, name, parameters, arguments)                                              \
    result liveobj_##name parameters {                                                             \
        return results.name;                                                                       \
    }
#define PROCEDURE(name, parameters, arguments)                                                     \
    void liveobj_##name parameters {}
LIVEOBJ_FUNCTIONS(FUNCTION, PROCEDURE)

// MARK: - Other functions

struct liveobj_settings liveobj_settings_default(void) {
    return (struct liveobj_settings){.stacks = true, .depth = 64};
}

bool liveobj_is_forwarding(void) {
    return false;
}

void liveobj_stack_overwrite(void) {}

struct liveobj_reserved_memory *liveobj_reserved_memory_allocate(void) {
    return NULL;
}

void liveobj_reserved_memory_free(struct liveobj_reserved_memory *taken) {}

struct liveobj_buffer liveobj_capture_to_memory(uint64_t since, enum liveobj_contents contents) {
    return (struct liveobj_buffer){NULL, 0};
}

void liveobj_buffer_free(struct liveobj_buffer buffer) {}

enum liveobj_test_check liveobj_test_capture_to_memory(uint32_t test,
                                                       const struct liveobj_instance *instances,
                                                       size_t count,
                                                       struct liveobj_buffer *buffer) {
    return LIVEOBJ_TEST_CLEAN;
}

#endif

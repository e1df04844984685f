// scoped_objects.h - objects of a fake runtime, the scopes that are bound where they are made, and
// tests. For a program that includes it once.

#pragma once

#include "CLiveObjects.h"
#include "expect.h"
#include "fake_runtime.h"

#ifdef FAKE_RUNTIME_CAN_BE_WATCHED

// MARK: - Task-local values

static const char test_key, diff_key;
static uint32_t bound_test, bound_diff; // 0: nothing is bound
static const void *running_task;

const void *swift_task_localValueGet(const void *key);
const void *swift_task_getCurrent(void);

const void *swift_task_localValueGet(const void *key) {
    const uint32_t *value = key == &test_key ? &bound_test : &bound_diff;
    return *value ? value : NULL;
}

const void *swift_task_getCurrent(void) {
    return running_task;
}

// The runtime's task layout, as published for debuggers.
const uint32_t _swift_concurrency_debug_internal_layout_version = 1;
const size_t _swift_concurrency_debug_asyncTaskSize = FAKE_TASK_BYTES;
const bool _swift_concurrency_debug_supportsPriorityEscalation = false;
const void *_swift_concurrency_debug_asyncTaskMetadata = &_swift_concurrency_debug_asyncTaskSize;

static inline void bind(uint32_t test, uint32_t diff, const void *task) {
    bound_test = test;
    bound_diff = diff;
    running_task = task;
}

// MARK: - Objects

enum { BYTES = 32, ALIGNMENT_MASK = 15 };
static const uintptr_t metadata = 0; // of a class

/// Not to be inlined: objects are distinguished from raw buffers by the caller of malloc.
static void *(*volatile allocate)(const void *, size_t, size_t) = swift_allocObject;

static inline void *make_object(void) {
    void **object = allocate(&metadata, BYTES, ALIGNMENT_MASK);
    object[1] = (void *)3; // reference counts as the runtime makes them
    object[2] = object[3] = NULL;
    return object;
}

// MARK: - References

/// Words behind the header.
enum { FIRST, SECOND };

static inline void set(void *object, size_t word, void *target) {
    ((void **)object)[2 + word] = target;
}

static inline void *make_object_in(uint32_t scope) {
    bind(scope, 0, NULL);
    void *object = make_object();
    bind(0, 0, NULL);
    return object;
}

static inline void free_object(void *object) {
    swift_slowDealloc(object, BYTES, ALIGNMENT_MASK);
}

// MARK: - Tests

static inline uint32_t begin_test(const char *id, const char *arguments, uint32_t scope) {
    return liveobj_test_begin(&(struct liveobj_test){.library = LIVEOBJ_TEST_TESTING,
                                                     .id = id,
                                                     .arguments = arguments,
                                                     .file = "/a/File.swift",
                                                     .line = 12,
                                                     .scope = scope});
}

static inline void end_test(uint32_t test) {
    liveobj_test_end(test, LIVEOBJ_TEST_PASSED);
    EXPECT(liveobj_test_current() == 0);
}

/// Hooks the allocator's GOT entries, without stack traces.
static inline void start_recorder(void) {
    struct liveobj_settings settings = liveobj_settings_default();
    settings.hook_mode = LIVEOBJ_HOOKS_GOT;
    settings.stacks = false;
    EXPECT(liveobj_start(&settings) == LIVEOBJ_STATE_TRACKING);
    liveobj_scope_set_key(LIVEOBJ_SCOPE_TESTS, &test_key);
    liveobj_scope_set_key(LIVEOBJ_SCOPE_DIFFS, &diff_key);
}

#endif

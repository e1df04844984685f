// unavailable.c - the public functions on systems other than Linux: there is nothing to watch, and
// they say so.

#if !defined(__linux__)

#include "CLiveObjects.h"

static const char *const reason = "LiveObjects watches the Swift runtime on Linux only";

struct liveobj_settings liveobj_settings_default(void) {
    return (struct liveobj_settings){.stacks = true, .depth = 64};
}

enum liveobj_state liveobj_start(const struct liveobj_settings *settings) {
    (void)settings;
    return LIVEOBJ_STATE_NO_RUNTIME;
}

void liveobj_stop(void) {}

struct liveobj_status liveobj_status(void) {
    return (struct liveobj_status){.state = LIVEOBJ_STATE_NO_RUNTIME, .reason = reason};
}

bool liveobj_is_handed_over(void) {
    return false;
}

uint64_t liveobj_mark(void) {
    return 0;
}

uint64_t liveobj_live_count(uint64_t since) {
    (void)since;
    return 0;
}

uint32_t liveobj_scope_make(void) {
    return 1;
}

void liveobj_scope_set_key(enum liveobj_scope_owner owner, const void *key) {
    (void)owner, (void)key;
}

bool liveobj_scope_set_task(uint32_t scope) {
    (void)scope;
    return false;
}

uint32_t liveobj_test_begin(const struct liveobj_test *test) {
    (void)test;
    return 0;
}

void liveobj_test_end(uint32_t test, enum liveobj_test_outcome outcome) {
    (void)test, (void)outcome;
}

void liveobj_test_found(uint32_t test, const void *finding, size_t count) {
    (void)test, (void)finding, (void)count;
}

void liveobj_test_close(uint32_t test, enum liveobj_test_outcome outcome, bool is_evaluated) {
    (void)test, (void)outcome, (void)is_evaluated;
}

void liveobj_scope_know(uint32_t scope) {
    (void)scope;
}

enum liveobj_remains liveobj_test_capture(uint32_t test, liveobj_write_fn write, void *context) {
    (void)test, (void)write, (void)context;
    return LIVEOBJ_REMAINS_NO_CYCLE;
}

enum liveobj_remains liveobj_test_capture_to_memory(uint32_t test, struct liveobj_buffer *buffer) {
    (void)test, (void)buffer;
    return LIVEOBJ_REMAINS_NO_CYCLE;
}

void liveobj_test_visit_instances(uint32_t test, liveobj_visit_instance_fn visit, void *context) {
    (void)test, (void)visit, (void)context;
}

enum liveobj_holding liveobj_objects_holding(const uintptr_t *objects, size_t count) {
    (void)objects, (void)count;
    return LIVEOBJ_HOLDING_OPEN;
}

uint32_t liveobj_test_current(void) {
    return 0;
}

void liveobj_ignore_begin(void) {}

void liveobj_ignore_end(void) {}

void liveobj_stack_forget(void) {}

struct liveobj_free_memory *liveobj_free_memory_take(void) {
    return NULL;
}

void liveobj_free_memory_give_back(struct liveobj_free_memory *taken) {
    (void)taken;
}

bool liveobj_capture(uint64_t since, enum liveobj_contents contents, liveobj_write_fn write,
                     void *context) {
    (void)since, (void)contents, (void)write, (void)context;
    return false;
}

struct liveobj_buffer liveobj_capture_to_memory(uint64_t since, enum liveobj_contents contents) {
    (void)since, (void)contents;
    return (struct liveobj_buffer){NULL, 0};
}

void liveobj_buffer_free(struct liveobj_buffer buffer) {
    (void)buffer;
}

int liveobj_capture_to_fd(uint64_t since, enum liveobj_contents contents, int fd) {
    (void)since, (void)contents, (void)fd;
    return 0;
}

void liveobj_visit_types(uint64_t since, liveobj_visit_type_fn visit, void *context) {
    (void)since, (void)visit, (void)context;
}

#endif

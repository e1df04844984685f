// The way to the companion's entry point: both what a caller needs to know of it, and its code.

#define _GNU_SOURCE
#include "CCompanion.h"
#include "expect.h"
#include "fake_recorder.h"
#include "preload.h"

#define ENTRY_POINT                                                                                \
    "$s7Testing19__swiftPMEntryPoint7passings5NeverOAA25__CommandLineArguments_v0VSg_tYaF"

/// An asynchronous function pointer, and the code that it leads to.
static const struct {
    int32_t distance;
    uint32_t context_bytes;
    char code[8];
} entry_point = {8, 64, ""};

static const struct liveobj_testing_companion companion = {.entry_point = &entry_point};

static void where_the_program_calls_another_one_nothing_is_done(void) {
    fake_slots_are_there = false;
    EXPECT(!liveobj_test_entry_start(&companion));
    EXPECT(fake_slot(ENTRY_POINT) == NULL);
}

static void a_companion_without_an_entry_point_is_not_called(void) {
    fake_slots_are_there = true;
    EXPECT(!liveobj_test_entry_start(&(struct liveobj_testing_companion){0}));
    EXPECT(fake_slot(ENTRY_POINT "Tu") == NULL);
}

static void the_program_is_led_to_the_companion(void) {
    EXPECT(liveobj_test_entry_start(&companion));
    EXPECT(fake_slot(ENTRY_POINT "Tu") == &entry_point);
    EXPECT(fake_slot(ENTRY_POINT) == entry_point.code);
}

int main(void) {
    where_the_program_calls_another_one_nothing_is_done();
    a_companion_without_an_entry_point_is_not_called();
    the_program_is_led_to_the_companion();
    return EXPECT_STATUS();
}

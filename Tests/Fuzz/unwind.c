// The reader of unwind tables, on an image that is nothing but the input. Half of the inputs have a
// sound header put before them: it is what bytes changed at random hardly ever are.

#include "stacks/eh_frame.h"
#include "stacks/unwind_images.h"

#include <stdlib.h>
#include <string.h>

enum { CODE = 0x1000, HEADER = 20 };

static void put_int(unsigned char *place, int64_t value) {
    int32_t low = (int32_t)value;
    memcpy(place, &low, sizeof low);
}

/// One function, whose entry begins at a byte that the input chooses.
static void put_header(unsigned char *table, size_t count, uintptr_t code, unsigned entry) {
    static const unsigned char form[] = {1, 0x1b, 0x03, 0x3b};
    memcpy(table, form, sizeof form);
    put_int(table + 8, 1);
    put_int(table + 12, (int64_t)(code - (uintptr_t)table));
    put_int(table + 16, (int64_t)(HEADER + entry % count));
}

void test_input(const uint8_t *bytes, size_t count);

void test_input(const uint8_t *bytes, size_t count) {
    if (count < HEADER + 2)
        return;
    unsigned char *table = malloc(count);
    memcpy(table, bytes, count);
    uintptr_t start = (uintptr_t)table, code = start + CODE;
    if (bytes[0] & 1)
        put_header(table, count - HEADER, code, bytes[1]);
    struct liveobj_unwind_image image = {.code = {start, code + CODE},
                                         .unwind_header = start,
                                         .readable = {{start, start + count}},
                                         .readable_count = 1};
    struct liveobj_eh_columns columns = {6, 14};
    for (uintptr_t offset = 0; offset < 256; offset += 51) {
        struct liveobj_eh_program program;
        struct liveobj_eh_row row;
        if (liveobj_eh_program_find(&image, code + offset, &program) == LIVEOBJ_EH_FOUND)
            liveobj_eh_program_run(&program, code + offset, columns, &row);
    }
    free(table);
}

// Unwind tables are read exactly where they are sound, and never past their ends where they are
// not.

#include "os/os.h"
#include "stacks/eh_frame.h"
#include "stacks/unwind_images.h"
#include "support/expect.h"

#include <stdlib.h>
#include <sys/mman.h>

#define FP_COLUMN 6
#define SP_COLUMN 7
#define CONTEXT_COLUMN 14

// MARK: - A table made by hand

/// Code that the table describes: not there, and never read.
#define CODE_BYTES 0x40

struct builder {
    unsigned char *start;
    size_t count;
};

static void put(struct builder *builder, const void *bytes, size_t count) {
    memcpy(builder->start + builder->count, bytes, count);
    builder->count += count;
}

static void put_byte(struct builder *builder, unsigned byte) {
    unsigned char value = (unsigned char)byte;
    put(builder, &value, 1);
}

static void put_int(struct builder *builder, int64_t value) {
    int32_t low = (int32_t)value;
    put(builder, &low, 4);
}

/// The offset of `to` from the place that is written next.
static int64_t from_here(const struct builder *builder, uintptr_t to) {
    return (int64_t)(to - ((uintptr_t)builder->start + builder->count));
}

#define HEADER_BYTES 20
#define CIE_BYTES 24

static const unsigned char cie_contents[CIE_BYTES - 4] = {
    0,         0,         0,   0, // it is a CIE
    1,         'z',       'R', 0, // version, augmentation
    1,         0x78,      16,     // code alignment 1, data alignment -8, return address column 16
    1,         0x1b,              // augmentation data: addresses are relative, four bytes
    0x0c,      SP_COLUMN, 8,      // DW_CFA_def_cfa: sp + 8
    0x80 | 16, 1,                 // DW_CFA_offset: return address at CFA - 8
    0,         0,                 // padding
};

static const unsigned char fde_instructions[] = {
    0x41, // advance 1
    0x0e,
    16, // def_cfa_offset 16
    0x80 | FP_COLUMN,
    2,    // offset fp at CFA - 16
    0x43, // advance 3
    0x0d,
    FP_COLUMN, // def_cfa_register fp
    0x0a,      // remember_state
    0x02,
    0x10, // advance_loc1 16
    0x0c,
    SP_COLUMN,
    8,                // def_cfa sp + 8
    0xc0 | FP_COLUMN, // restore fp
    0x41,
    0x0b, // advance 1, restore_state
    0x50, // advance 16
    0x0f,
    3,
    0x70 | FP_COLUMN,
    0x78,
    0x06, // def_cfa_expression: the word at fp - 8
    0x10,
    FP_COLUMN,
    2,
    0x70 | FP_COLUMN,
    0, // expression: fp at fp + 0
    0x41,
    0x0f,
    3,
    0x2f,
    0xfd,
    0xff, // advance 1, def_cfa_expression: skip -3
    0x10,
    FP_COLUMN,
    3,
    0x70 | FP_COLUMN,
    0,
    0x06, // expression: fp where the word at fp points to
    0x41,
    0x07,
    16, // advance 1, undefined return address
    0x0c,
    SP_COLUMN,
    0xc8,
    1, // def_cfa sp + 200
    0,
    0,
};

/// A header, a CIE and one FDE, for code that follows the table at once.
static size_t build(unsigned char *start, size_t total) {
    struct builder builder = {start, 0};
    uintptr_t cie = (uintptr_t)start + HEADER_BYTES;
    uintptr_t fde = cie + CIE_BYTES;
    uintptr_t code = (uintptr_t)start + total;
    put(&builder, (unsigned char[]){1, 0x1b, 0x03, 0x3b}, 4);
    put_int(&builder, from_here(&builder, cie));
    put_int(&builder, 1); // one function
    put_int(&builder, (int64_t)(code - (uintptr_t)start));
    put_int(&builder, (int64_t)(fde - (uintptr_t)start));
    put_int(&builder, sizeof cie_contents);
    put(&builder, cie_contents, sizeof cie_contents);
    put_int(&builder, 4 + 8 + 1 + sizeof fde_instructions);
    put_int(&builder, -from_here(&builder, cie));
    put_int(&builder, from_here(&builder, code));
    put_int(&builder, CODE_BYTES);
    put_byte(&builder, 0); // no augmentation data
    put(&builder, fde_instructions, sizeof fde_instructions);
    return builder.count;
}

#define TABLE_BYTES (HEADER_BYTES + CIE_BYTES + 4 + 4 + 8 + 1 + sizeof fde_instructions)

/// The table between two pages that cannot be read, at the end of its own.
static unsigned char *make_table(struct liveobj_unwind_image *image) {
    size_t page = liveobj_os_page_bytes();
    unsigned char *pages = mmap(NULL, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_READ | PROT_WRITE) != 0)
        abort();
    unsigned char *table = pages + 2 * page - TABLE_BYTES;
    EXPECT(build(table, TABLE_BYTES) == TABLE_BYTES);
    uintptr_t start = (uintptr_t)table;
    *image = (struct liveobj_unwind_image){
        .code = {start, start + TABLE_BYTES + CODE_BYTES},
        .unwind_header = start,
        .readable = {{start, start + TABLE_BYTES}},
        .readable_count = 1,
    };
    return table;
}

/// \returns false unless there is a program for the code at `offset` and it can be run.
static bool row_at(const struct liveobj_unwind_image *image, uintptr_t offset,
                   struct liveobj_eh_row *row) {
    static const struct liveobj_eh_columns columns = {FP_COLUMN, CONTEXT_COLUMN};
    struct liveobj_eh_program program;
    uintptr_t address = image->unwind_header + TABLE_BYTES + offset;
    return liveobj_eh_program_find(image, address, &program) == LIVEOBJ_EH_FOUND &&
           liveobj_eh_program_run(&program, address, columns, row);
}

// MARK: - Facts

static void each_address_has_one_row(const struct liveobj_unwind_image *image) {
    struct liveobj_eh_row row;
    EXPECT(row_at(image, 0, &row));
    EXPECT(row.cfa == LIVEOBJ_EH_CFA_SUM && row.cfa_register == SP_COLUMN && row.cfa_offset == 8);
    EXPECT(row.frame_pointer.saved == LIVEOBJ_EH_SAME);
    EXPECT(row.return_address.saved == LIVEOBJ_EH_AT_CFA && row.return_address.offset == -8);
    EXPECT(row_at(image, 3, &row)); // the last address before the next row
    EXPECT(row.cfa_register == SP_COLUMN && row.cfa_offset == 16);
    EXPECT(row.frame_pointer.saved == LIVEOBJ_EH_AT_CFA && row.frame_pointer.offset == -16);
    EXPECT(row_at(image, 4, &row));
    EXPECT(row.cfa_register == FP_COLUMN && row.cfa_offset == 16);
    EXPECT(row_at(image, 20, &row));
    EXPECT(row.cfa_register == SP_COLUMN && row.frame_pointer.saved == LIVEOBJ_EH_SAME);
    EXPECT(row_at(image, 21, &row));
    EXPECT(row.cfa_register == FP_COLUMN && row.frame_pointer.saved == LIVEOBJ_EH_AT_CFA);
    EXPECT(row_at(image, 37, &row));
    EXPECT(row.cfa == LIVEOBJ_EH_CFA_WORD && row.cfa_register == FP_COLUMN && row.cfa_offset == -8);
    EXPECT(row.frame_pointer.saved == LIVEOBJ_EH_AT_REGISTER);
    EXPECT(row.frame_pointer.number == FP_COLUMN && row.frame_pointer.offset == 0);
    EXPECT(row_at(image, 38, &row));
    EXPECT(row.cfa == LIVEOBJ_EH_CFA_OTHER);
    EXPECT(row.frame_pointer.saved == LIVEOBJ_EH_OTHER);
    EXPECT(row_at(image, 39, &row));
    EXPECT(row.cfa == LIVEOBJ_EH_CFA_SUM && row.cfa_offset == 200);
    EXPECT(row.return_address.saved == LIVEOBJ_EH_UNDEFINED);
}

static void code_outside_of_the_table_has_no_row(const struct liveobj_unwind_image *image) {
    struct liveobj_eh_program program;
    uintptr_t code = image->unwind_header + TABLE_BYTES;
    EXPECT(liveobj_eh_program_find(image, code - 1, &program) == LIVEOBJ_EH_NONE);
    EXPECT(liveobj_eh_program_find(image, code + CODE_BYTES, &program) == LIVEOBJ_EH_NONE);
}

/// Changes bytes at random; a read past the table would fault.
static void broken_tables_do_not_crash(const struct liveobj_unwind_image *image,
                                       unsigned char *table) {
    unsigned char sound[TABLE_BYTES];
    memcpy(sound, table, TABLE_BYTES);
    unsigned found = 0, rounds = 200000;
    srand(1);
    for (unsigned i = 0; i < rounds; i++) {
        struct liveobj_eh_row row;
        for (int changes = 1 + rand() % 3; changes > 0; changes--)
            table[rand() % (int)TABLE_BYTES] = (unsigned char)rand();
        found += row_at(image, (uintptr_t)rand() % CODE_BYTES, &row);
        memcpy(table, sound, TABLE_BYTES);
    }
    EXPECT(found > 0 && found < rounds);
}

static void truncated_tables_do_not_crash(struct liveobj_unwind_image image) {
    struct liveobj_eh_row row;
    for (size_t bytes = 0; bytes < TABLE_BYTES; bytes++) {
        image.readable[0].end = image.readable[0].start + bytes;
        EXPECT(!row_at(&image, 1, &row));
    }
}

int main(void) {
    struct liveobj_unwind_image image;
    unsigned char *table = make_table(&image);
    each_address_has_one_row(&image);
    code_outside_of_the_table_has_no_row(&image);
    truncated_tables_do_not_crash(image);
    broken_tables_do_not_crash(&image, table);
    return EXPECT_STATUS();
}

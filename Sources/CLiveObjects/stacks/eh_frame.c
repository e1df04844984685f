// eh_frame.c - finds the unwind program of a function in an image's tables; owns nothing.
//
// The format is that of the Linux Standard Base, "Exception Frames". `.eh_frame_hdr` has a table
// sorted by function whose entries refer to FDEs in `.eh_frame`; each FDE refers to its CIE. Tables
// are untrusted input: nothing is read outside of the image's readable segments.

#if defined(__linux__)

#include "stacks/eh_frame.h"

// MARK: - Reading

LIVEOBJ_HOOK uint64_t liveobj_eh_read_unsigned(struct liveobj_eh_reader *reader, size_t bytes) {
    if (reader->bad || reader->end - reader->next < bytes) {
        reader->bad = true;
        return 0;
    }
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value |= (uint64_t)((const unsigned char *)reader->next)[i] << (8 * i);
    reader->next += bytes;
    return value;
}

LIVEOBJ_HOOK int64_t liveobj_eh_read_signed(struct liveobj_eh_reader *reader, size_t bytes) {
    unsigned unused_bits = (unsigned)(64 - 8 * bytes);
    return (int64_t)(liveobj_eh_read_unsigned(reader, bytes) << unused_bits) >> unused_bits;
}

/// \returns The value's bits. `*bits` is their number and may exceed 64; `*last` is the final byte.
static uint64_t read_leb(struct liveobj_eh_reader *reader, unsigned *bits, unsigned char *last) {
    uint64_t value = 0;
    *bits = 0;
    do {
        *last = (unsigned char)liveobj_eh_read_unsigned(reader, 1);
        if (*bits < 64)
            value |= (uint64_t)(*last & 0x7f) << *bits;
        *bits += 7;
    } while (*last & 0x80);
    return value;
}

LIVEOBJ_HOOK uint64_t liveobj_eh_read_uleb(struct liveobj_eh_reader *reader) {
    unsigned bits;
    unsigned char last;
    return read_leb(reader, &bits, &last);
}

LIVEOBJ_HOOK int64_t liveobj_eh_read_sleb(struct liveobj_eh_reader *reader) {
    unsigned bits;
    unsigned char last;
    uint64_t value = read_leb(reader, &bits, &last);
    if ((last & 0x40) && bits < 64)
        value |= UINT64_MAX << bits;
    return (int64_t)value;
}

LIVEOBJ_HOOK void liveobj_eh_skip(struct liveobj_eh_reader *reader, uint64_t bytes) {
    if (reader->bad || reader->end - reader->next < bytes)
        reader->bad = true;
    else
        reader->next += bytes;
}

// MARK: - Encoded pointers

#define ENCODING_OMIT 0xff

/// Reads a number, whose format is the low four bits of its encoding.
static uint64_t read_number(struct liveobj_eh_reader *reader, unsigned encoding) {
    switch (encoding & 0x0f) {
    case 0x00:
    case 0x04:
    case 0x0c:
        return liveobj_eh_read_unsigned(reader, 8);
    case 0x01:
        return liveobj_eh_read_uleb(reader);
    case 0x02:
        return liveobj_eh_read_unsigned(reader, 2);
    case 0x03:
        return liveobj_eh_read_unsigned(reader, 4);
    case 0x09:
        return (uint64_t)liveobj_eh_read_sleb(reader);
    case 0x0a:
        return (uint64_t)liveobj_eh_read_signed(reader, 2);
    case 0x0b:
        return (uint64_t)liveobj_eh_read_signed(reader, 4);
    default:
        reader->bad = true;
        return 0;
    }
}

/// Reads an address, absolute or relative to where it is stored. No other form is used for code.
static uintptr_t read_address(struct liveobj_eh_reader *reader, unsigned encoding) {
    uintptr_t field = reader->next;
    uint64_t value = read_number(reader, encoding);
    switch (encoding & 0xf0) {
    case 0x00:
        return value;
    case 0x10:
        return value + field;
    default:
        reader->bad = true;
        return 0;
    }
}

// MARK: - Entries

/// A reader of one CIE or FDE, positioned after its length; empty if there is none.
static struct liveobj_eh_reader open_entry(const struct liveobj_unwind_image *image,
                                           uintptr_t address) {
    struct liveobj_extent range = liveobj_unwind_image_readable(image, address);
    struct liveobj_eh_reader reader = {range.start, range.end, false};
    uint64_t length = liveobj_eh_read_unsigned(&reader, 4);
    // 0 ends the table; 0xffffffff begins a 64-bit entry, which no linker makes here.
    if (length == 0 || length == 0xffffffff || reader.end - reader.next < length)
        reader.bad = true;
    else
        reader.end = reader.next + length;
    return reader;
}

/// The format of a CIE's FDEs.
struct layout {
    unsigned address_encoding;
    bool has_augmentation;
};

static void read_augmentation(struct liveobj_eh_reader *reader, uintptr_t letters,
                              struct liveobj_eh_program *program, struct layout *layout) {
    uint64_t length = liveobj_eh_read_uleb(reader);
    struct liveobj_eh_reader data = *reader;
    liveobj_eh_skip(reader, length);
    data.end = reader->next;
    for (const char *letter = (const char *)letters; *letter; letter++)
        switch (*letter) {
        case 'R':
            layout->address_encoding = (unsigned)liveobj_eh_read_unsigned(&data, 1);
            break;
        case 'L':
            liveobj_eh_skip(&data, 1);
            break;
        case 'P':
            read_number(&data, (unsigned)liveobj_eh_read_unsigned(&data, 1));
            break;
        case 'S':
            program->is_signal_frame = true;
            break;
        case 'B': // the key that signs return addresses
        case 'G': // memory of the stack is tagged
            break;
        default:
            data.bad = true;
        }
    reader->bad |= data.bad;
}

static bool read_cie(const struct liveobj_unwind_image *image, uintptr_t address,
                     struct liveobj_eh_program *program, struct layout *layout) {
    struct liveobj_eh_reader reader = open_entry(image, address);
    uint64_t id = liveobj_eh_read_unsigned(&reader, 4);
    uint64_t version = liveobj_eh_read_unsigned(&reader, 1);
    uintptr_t letters = reader.next;
    while (liveobj_eh_read_unsigned(&reader, 1))
        ;
    if (reader.bad || id != 0 || (version != 1 && version != 3))
        return false;
    program->code_alignment = liveobj_eh_read_uleb(&reader);
    program->data_alignment = liveobj_eh_read_sleb(&reader);
    program->return_address_column =
        version == 1 ? liveobj_eh_read_unsigned(&reader, 1) : liveobj_eh_read_uleb(&reader);
    layout->address_encoding = 0;
    layout->has_augmentation = *(const char *)letters == 'z';
    if (layout->has_augmentation)
        read_augmentation(&reader, letters + 1, program, layout);
    else if (*(const char *)letters)
        return false;
    program->initial = reader;
    return !reader.bad;
}

static enum liveobj_eh_result read_fde(const struct liveobj_unwind_image *image, uintptr_t entry,
                                       uintptr_t address, struct liveobj_eh_program *program) {
    struct liveobj_eh_reader reader = open_entry(image, entry);
    uintptr_t field = reader.next;
    uintptr_t cie = field - liveobj_eh_read_unsigned(&reader, 4);
    struct layout layout;
    *program = (struct liveobj_eh_program){0};
    if (reader.bad || cie == field || !read_cie(image, cie, program, &layout))
        return LIVEOBJ_EH_ODD;
    program->start = read_address(&reader, layout.address_encoding);
    uint64_t size = read_number(&reader, layout.address_encoding);
    if (layout.has_augmentation)
        liveobj_eh_skip(&reader, liveobj_eh_read_uleb(&reader));
    program->instructions = reader;
    if (reader.bad)
        return LIVEOBJ_EH_ODD;
    bool covers = address >= program->start && address - program->start < size;
    return covers ? LIVEOBJ_EH_FOUND : LIVEOBJ_EH_NONE;
}

// MARK: - The sorted table

/// The only form in which linkers write the table: pairs of signed 32-bit offsets from the header.
#define TABLE_ENCODING 0x3b

struct table {
    uintptr_t header;
    uintptr_t entries;
    uint64_t count;
};

static int64_t table_offset(const struct table *table, uint64_t index, size_t field) {
    struct liveobj_eh_reader reader = {table->entries + 8 * index + 4 * field, UINTPTR_MAX, false};
    return liveobj_eh_read_signed(&reader, 4); // in bounds: open_table checked the count
}

static enum liveobj_eh_result open_table(const struct liveobj_unwind_image *image,
                                         struct table *table) {
    if (!image->unwind_header)
        return LIVEOBJ_EH_NONE;
    struct liveobj_extent range = liveobj_unwind_image_readable(image, image->unwind_header);
    struct liveobj_eh_reader reader = {range.start, range.end, false};
    uint64_t version = liveobj_eh_read_unsigned(&reader, 1);
    unsigned frame_encoding = (unsigned)liveobj_eh_read_unsigned(&reader, 1);
    unsigned count_encoding = (unsigned)liveobj_eh_read_unsigned(&reader, 1);
    uint64_t table_encoding = liveobj_eh_read_unsigned(&reader, 1);
    if (version != 1 || table_encoding != TABLE_ENCODING || count_encoding == ENCODING_OMIT)
        return LIVEOBJ_EH_ODD;
    if (frame_encoding != ENCODING_OMIT)
        read_number(&reader, frame_encoding);
    table->count = read_number(&reader, count_encoding);
    table->header = image->unwind_header;
    table->entries = reader.next;
    if (reader.bad || table->count > (reader.end - reader.next) / 8)
        return LIVEOBJ_EH_ODD;
    return LIVEOBJ_EH_FOUND;
}

LIVEOBJ_HOOK enum liveobj_eh_result
liveobj_eh_program_find(const struct liveobj_unwind_image *image, uintptr_t address,
                        struct liveobj_eh_program *program) {
    struct table table;
    enum liveobj_eh_result opened = open_table(image, &table);
    if (opened != LIVEOBJ_EH_FOUND)
        return opened;
    int64_t offset = (int64_t)(address - table.header);
    // Invariant: functions before `low` start at or before the address, those from `high` on after
    // it.
    uint64_t low = 0, high = table.count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (table_offset(&table, middle, 0) <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return LIVEOBJ_EH_NONE;
    uintptr_t entry = table.header + (uintptr_t)table_offset(&table, low - 1, 1);
    return read_fde(image, entry, address, program);
}

#endif

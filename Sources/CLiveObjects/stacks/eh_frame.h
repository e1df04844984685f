// eh_frame.h - reads an image's unwind table (.eh_frame) for one code address. Runs in hooks.

#pragma once

#include "os/compiler.h"
#include "stacks/unwind_images.h"

#pragma GCC visibility push(hidden)

/// A part of a table, read from front to back. A read past its end returns zeros and sets `bad`.
struct liveobj_eh_reader {
    uintptr_t next;
    uintptr_t end;
    bool bad;
};

LIVEOBJ_HOOK uint64_t liveobj_eh_read_unsigned(struct liveobj_eh_reader *reader, size_t bytes);
LIVEOBJ_HOOK int64_t liveobj_eh_read_signed(struct liveobj_eh_reader *reader, size_t bytes);
LIVEOBJ_HOOK uint64_t liveobj_eh_read_uleb(struct liveobj_eh_reader *reader);
LIVEOBJ_HOOK int64_t liveobj_eh_read_sleb(struct liveobj_eh_reader *reader);
LIVEOBJ_HOOK void liveobj_eh_skip(struct liveobj_eh_reader *reader, uint64_t bytes);

/// The unwind program of one function (an FDE with its CIE).
struct liveobj_eh_program {
    struct liveobj_eh_reader initial;      // the CIE's instructions
    struct liveobj_eh_reader instructions; // the FDE's own
    uintptr_t start;                       // the function's first address
    uint64_t code_alignment;
    int64_t data_alignment;
    uint64_t return_address_column;
    bool is_signal_frame;
};

enum liveobj_eh_result {
    LIVEOBJ_EH_FOUND,
    /// No table covers the address.
    LIVEOBJ_EH_NONE,
    /// There is a table, but it is broken or has a form that is not supported here.
    LIVEOBJ_EH_ODD,
};

/// Finds the unwind program of the function that contains `address`.
LIVEOBJ_HOOK enum liveobj_eh_result
liveobj_eh_program_find(const struct liveobj_unwind_image *image, uintptr_t address,
                        struct liveobj_eh_program *program);

// Of expressions only "register + offset" and "the word at register + offset" are read: gcc
// writes these where it realigns a frame. Any other is never evaluated: it may lead anywhere, and
// may have no end.

/// Where the caller's value of a register is.
enum liveobj_eh_saved {
    LIVEOBJ_EH_SAME,        // the register still has the caller's value
    LIVEOBJ_EH_AT_CFA,      // in memory, at CFA + offset
    LIVEOBJ_EH_AT_REGISTER, // in memory, at register + offset
    LIVEOBJ_EH_UNDEFINED,   // it is lost
    LIVEOBJ_EH_OTHER,       // not supported here
};

struct liveobj_eh_column {
    enum liveobj_eh_saved saved;
    int64_t offset;
    uint64_t number; // of the register, for LIVEOBJ_EH_AT_REGISTER
};

/// What the canonical frame address is.
enum liveobj_eh_cfa {
    LIVEOBJ_EH_CFA_OTHER, // not supported here
    LIVEOBJ_EH_CFA_SUM,   // register + offset
    LIVEOBJ_EH_CFA_WORD,  // the word at register + offset
};

/// The row of the unwind table for one address, as far as a stack walk needs it.
struct liveobj_eh_row {
    enum liveobj_eh_cfa cfa;
    uint64_t cfa_register;
    int64_t cfa_offset;
    struct liveobj_eh_column frame_pointer;
    struct liveobj_eh_column return_address;
    struct liveobj_eh_column context;
};

/// The table's numbers of two registers. The return address's number is in the program.
struct liveobj_eh_columns {
    uint64_t frame_pointer;
    uint64_t context;
};

/// Runs a program up to `address`. \returns false if it has an unknown or malformed instruction.
LIVEOBJ_HOOK bool liveobj_eh_program_run(const struct liveobj_eh_program *program,
                                         uintptr_t address, struct liveobj_eh_columns columns,
                                         struct liveobj_eh_row *row);

#pragma GCC visibility pop

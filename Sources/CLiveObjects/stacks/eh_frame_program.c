// eh_frame_program.c - runs an unwind program up to the row of one address; owns nothing.
//
// A stack walk needs four columns of the table: the canonical frame address, the frame pointer, the
// return address and the register of asynchronous contexts. Instructions for other columns are
// skipped.

#if defined(__linux__)

#include "arch/unwind.h"
#include "stacks/eh_frame.h"

/// The depth to which DW_CFA_remember_state may nest; compilers use one.
#define REMEMBERED 8

struct machine {
    const struct liveobj_eh_program *program;
    struct liveobj_eh_columns columns;
    uintptr_t address; // the address whose row is wanted
    uintptr_t location;
    struct liveobj_eh_row row;
    struct liveobj_eh_row initial; // after the CIE, for DW_CFA_restore
    struct liveobj_eh_row remembered[REMEMBERED];
    unsigned remembered_count;
    bool failed;
};

/// A register's column in `row`; NULL for a register that is not needed.
static struct liveobj_eh_column *column_of(struct machine *machine, struct liveobj_eh_row *row,
                                           uint64_t column) {
    if (column == machine->columns.frame_pointer)
        return &row->frame_pointer;
    if (column == machine->columns.context)
        return &row->context;
    if (column == machine->program->return_address_column)
        return &row->return_address;
    return NULL;
}

static void set_column(struct machine *machine, uint64_t number, enum liveobj_eh_saved saved,
                       int64_t factor) {
    struct liveobj_eh_column *column = column_of(machine, &machine->row, number);
    int64_t offset;
    if (__builtin_mul_overflow(factor, machine->program->data_alignment, &offset))
        machine->failed = true;
    else if (column)
        *column = (struct liveobj_eh_column){.saved = saved, .offset = offset};
}

static void restore_column(struct machine *machine, uint64_t number) {
    struct liveobj_eh_column *column = column_of(machine, &machine->row, number);
    if (column)
        *column = *column_of(machine, &machine->initial, number);
}

static void set_cfa(struct machine *machine, uint64_t number, int64_t offset) {
    machine->row.cfa = LIVEOBJ_EH_CFA_SUM;
    machine->row.cfa_register = number;
    machine->row.cfa_offset = offset;
}

static int64_t read_scaled(struct machine *machine, struct liveobj_eh_reader *reader) {
    int64_t scaled;
    int64_t factor = liveobj_eh_read_sleb(reader);
    machine->failed |= __builtin_mul_overflow(factor, machine->program->data_alignment, &scaled);
    return scaled;
}

static void remember_row(struct machine *machine) {
    if (machine->remembered_count == REMEMBERED)
        machine->failed = true;
    else
        machine->remembered[machine->remembered_count++] = machine->row;
}

static void restore_row(struct machine *machine) {
    if (machine->remembered_count == 0)
        machine->failed = true;
    else
        machine->row = machine->remembered[--machine->remembered_count];
}

/// Reads the bytes of an expression.
static struct liveobj_eh_reader read_expression(struct liveobj_eh_reader *reader) {
    uint64_t bytes = liveobj_eh_read_uleb(reader);
    struct liveobj_eh_reader expression = *reader;
    liveobj_eh_skip(reader, bytes);
    expression.end = reader->next;
    return expression;
}

/// Reads "register + offset".
/// \returns false for another expression.
static bool read_sum(struct liveobj_eh_reader *expression, uint64_t *number, int64_t *offset) {
    enum { BREG0 = 0x70, REGISTERS = 32 };
    *number = liveobj_eh_read_unsigned(expression, 1) - BREG0;
    *offset = liveobj_eh_read_sleb(expression);
    return *number < REGISTERS && !expression->bad;
}

static void set_cfa_expression(struct machine *machine, struct liveobj_eh_reader expression) {
    enum { DEREF = 0x06 };
    struct liveobj_eh_row *row = &machine->row;
    int64_t plt_offset = liveobj_plt_cfa_offset((const unsigned char *)expression.next,
                                                expression.end - expression.next, machine->address);
    bool is_sum = read_sum(&expression, &row->cfa_register, &row->cfa_offset);
    bool is_word =
        expression.end - expression.next == 1 && *(const unsigned char *)expression.next == DEREF;
    row->cfa = is_sum && is_word                             ? LIVEOBJ_EH_CFA_WORD
               : is_sum && expression.next == expression.end ? LIVEOBJ_EH_CFA_SUM
                                                             : LIVEOBJ_EH_CFA_OTHER;
    if (plt_offset)
        set_cfa(machine, LIVEOBJ_COLUMN_SP, plt_offset);
}

static void set_column_expression(struct machine *machine, uint64_t number,
                                  struct liveobj_eh_reader expression) {
    struct liveobj_eh_column *column = column_of(machine, &machine->row, number);
    struct liveobj_eh_column read = {.saved = LIVEOBJ_EH_AT_REGISTER};
    if (!read_sum(&expression, &read.number, &read.offset) || expression.next != expression.end)
        read.saved = LIVEOBJ_EH_OTHER;
    if (column)
        *column = read;
}

/// Runs an instruction that defines the canonical frame address.
static void run_cfa(struct machine *machine, unsigned opcode, struct liveobj_eh_reader *reader) {
    struct liveobj_eh_row *row = &machine->row;
    uint64_t number;
    switch (opcode) {
    case 0x0c: // DW_CFA_def_cfa
        number = liveobj_eh_read_uleb(reader);
        set_cfa(machine, number, (int64_t)liveobj_eh_read_uleb(reader));
        break;
    case 0x12: // DW_CFA_def_cfa_sf
        number = liveobj_eh_read_uleb(reader);
        set_cfa(machine, number, read_scaled(machine, reader));
        break;
    case 0x0d: // DW_CFA_def_cfa_register
        row->cfa_register = liveobj_eh_read_uleb(reader);
        break;
    case 0x0e: // DW_CFA_def_cfa_offset
        row->cfa_offset = (int64_t)liveobj_eh_read_uleb(reader);
        break;
    case 0x13: // DW_CFA_def_cfa_offset_sf
        row->cfa_offset = read_scaled(machine, reader);
        break;
    case 0x0f: // DW_CFA_def_cfa_expression
        set_cfa_expression(machine, read_expression(reader));
        break;
    default:
        machine->failed = true;
    }
}

/// Runs an instruction about one register, which is its first operand.
static void run_column(struct machine *machine, unsigned opcode, struct liveobj_eh_reader *reader) {
    uint64_t number = liveobj_eh_read_uleb(reader);
    switch (opcode) {
    case 0x05: // DW_CFA_offset_extended
        set_column(machine, number, LIVEOBJ_EH_AT_CFA, (int64_t)liveobj_eh_read_uleb(reader));
        break;
    case 0x11: // DW_CFA_offset_extended_sf
        set_column(machine, number, LIVEOBJ_EH_AT_CFA, liveobj_eh_read_sleb(reader));
        break;
    case 0x06: // DW_CFA_restore_extended
        restore_column(machine, number);
        break;
    case 0x07: // DW_CFA_undefined
        set_column(machine, number, LIVEOBJ_EH_UNDEFINED, 0);
        break;
    case 0x08: // DW_CFA_same_value
        set_column(machine, number, LIVEOBJ_EH_SAME, 0);
        break;
    case 0x09: // DW_CFA_register
    case 0x14: // DW_CFA_val_offset
    case 0x15: // DW_CFA_val_offset_sf
        liveobj_eh_read_uleb(reader);
        set_column(machine, number, LIVEOBJ_EH_OTHER, 0);
        break;
    case 0x10: // DW_CFA_expression
        set_column_expression(machine, number, read_expression(reader));
        break;
    case 0x16: // DW_CFA_val_expression
        read_expression(reader);
        set_column(machine, number, LIVEOBJ_EH_OTHER, 0);
        break;
    default:
        machine->failed = true;
    }
}

/// The distance by which an instruction advances the location; 0 for other instructions.
static uint64_t read_advance(unsigned opcode, struct liveobj_eh_reader *reader) {
    switch (opcode) {
    case 0x02: // DW_CFA_advance_loc1
        return liveobj_eh_read_unsigned(reader, 1);
    case 0x03: // DW_CFA_advance_loc2
        return liveobj_eh_read_unsigned(reader, 2);
    case 0x04: // DW_CFA_advance_loc4
        return liveobj_eh_read_unsigned(reader, 4);
    default:
        return (opcode & 0xc0) == 0x40 ? opcode & 0x3f : 0; // DW_CFA_advance_loc
    }
}

static void run_instruction(struct machine *machine, unsigned opcode,
                            struct liveobj_eh_reader *reader) {
    if ((opcode & 0xc0) == 0x80) // DW_CFA_offset
        set_column(machine, opcode & 0x3f, LIVEOBJ_EH_AT_CFA,
                   (int64_t)liveobj_eh_read_uleb(reader));
    else if ((opcode & 0xc0) == 0xc0) // DW_CFA_restore
        restore_column(machine, opcode & 0x3f);
    else if (opcode == 0x0a) // DW_CFA_remember_state
        remember_row(machine);
    else if (opcode == 0x0b) // DW_CFA_restore_state
        restore_row(machine);
    else if (opcode == 0x2e) // DW_CFA_GNU_args_size
        liveobj_eh_read_uleb(reader);
    else if (opcode == 0x2c || opcode == 0x2d) // DW_CFA_AARCH64_negate_ra_state, with or without pc
        return;                                // a signed return address is recognised by its bits
    else if (opcode >= 0x0c && opcode != 0x10 && opcode != 0x11 && opcode < 0x14)
        run_cfa(machine, opcode, reader);
    else if (opcode != 0) // DW_CFA_nop
        run_column(machine, opcode, reader);
}

/// Runs instructions until they end or describe an address after the wanted one.
static void run_instructions(struct machine *machine, struct liveobj_eh_reader reader) {
    while (reader.next < reader.end && !machine->failed) {
        unsigned opcode = (unsigned)liveobj_eh_read_unsigned(&reader, 1);
        bool advances = (opcode & 0xc0) == 0x40 || (opcode >= 0x02 && opcode <= 0x04);
        if (advances) {
            machine->location += read_advance(opcode, &reader) * machine->program->code_alignment;
            if (machine->location > machine->address)
                break;
        } else {
            run_instruction(machine, opcode, &reader);
        }
        machine->failed |= reader.bad;
    }
}

LIVEOBJ_HOOK bool liveobj_eh_program_run(const struct liveobj_eh_program *program,
                                         uintptr_t address, struct liveobj_eh_columns columns,
                                         struct liveobj_eh_row *row) {
    struct machine machine = {
        .program = program,
        .columns = columns,
        .address = address,
        .location = program->start,
    };
    run_instructions(&machine, program->initial);
    machine.initial = machine.row;
    run_instructions(&machine, program->instructions);
    *row = machine.row;
    return !machine.failed;
}

#endif

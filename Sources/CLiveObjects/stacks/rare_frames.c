// rare_frames.c - lists the rest of a trace, from a frame on that no unwind rule passes. Owns
// nothing.
//
// These are frames of signals, those that gcc has realigned, and those whose saved registers lie
// too far apart for a rule. Only the recorder may ever have used their rows, so a row is not
// trusted: every word that is read lies between the frame's stack pointer and the top of its stack,
// and a row that needs more (another expression, another register) ends the trace.
//
// Everything runs in hooks, on the thread whose stack it is.

#if defined(__linux__)

#include "arch/registers.h"
#include "os/os.h"
#include "stacks/stack_walk.h"
#include "stacks/unwind_rules.h"

struct frame {
    struct liveobj_registers registers;
    /// The register in which a call leaves the return address; 0 if it is not known. It is needed
    /// only in code that a signal interrupted.
    uintptr_t link;
};

/// Finds the code that a signal interrupted. The walk's code addresses lie after a call, so its
/// address is that of the next instruction, which is never looked at.
static bool leave_signal(struct liveobj_stack_walk *walk, struct frame *frame) {
    uintptr_t saved = frame->registers.sp, pc = 0, sp = 0, fp = 0, link = 0;
    bool is_read = !liveobj_sp_is_guessed(saved) &&
                   liveobj_stack_walk_read(walk, saved, saved + LIVEOBJ_SIGNAL_PC, &pc) &&
                   liveobj_stack_walk_read(walk, saved, saved + LIVEOBJ_SIGNAL_SP, &sp) &&
                   liveobj_stack_walk_read(walk, saved, saved + LIVEOBJ_SIGNAL_FP, &fp) &&
                   (LIVEOBJ_SIGNAL_LINK == 0 ||
                    liveobj_stack_walk_read(walk, saved, saved + LIVEOBJ_SIGNAL_LINK, &link));
    *frame = (struct frame){{pc + LIVEOBJ_CODE_UNIT, sp, fp}, link};
    if (is_read)
        liveobj_stack_walk_move(walk, sp);
    return is_read;
}

static bool register_of(const struct liveobj_registers *frame, uint64_t number, uintptr_t *value) {
    *value = number == LIVEOBJ_COLUMN_FP ? frame->fp : frame->sp;
    return number == LIVEOBJ_COLUMN_FP ||
           (number == LIVEOBJ_COLUMN_SP && !liveobj_sp_is_guessed(frame->sp));
}

static bool find_cfa(struct liveobj_stack_walk *walk, const struct liveobj_registers *frame,
                     const struct liveobj_eh_row *row, uintptr_t *cfa) {
    if (row->cfa == LIVEOBJ_EH_CFA_OTHER || !register_of(frame, row->cfa_register, cfa))
        return false;
    *cfa += (uintptr_t)row->cfa_offset;
    return row->cfa == LIVEOBJ_EH_CFA_SUM || liveobj_stack_walk_read(walk, frame->sp, *cfa, cfa);
}

/// Finds the caller's value of a register.
/// \param value The frame's own value; replaced.
static bool restore_register(struct liveobj_stack_walk *walk, const struct liveobj_registers *frame,
                             uintptr_t cfa, const struct liveobj_eh_column *column,
                             uintptr_t *value) {
    uintptr_t base = cfa;
    switch (column->saved) {
    case LIVEOBJ_EH_SAME:
        return true;
    case LIVEOBJ_EH_AT_REGISTER:
        if (!register_of(frame, column->number, &base))
            return false;
        break;
    case LIVEOBJ_EH_AT_CFA:
        break;
    default:
        return false;
    }
    return liveobj_stack_walk_read(walk, frame->sp, base + (uintptr_t)column->offset, value);
}

static bool step_by_row(struct liveobj_stack_walk *walk, struct frame *frame) {
    struct liveobj_registers *registers = &frame->registers;
    struct liveobj_eh_row row;
    uintptr_t cfa, pc = frame->link, fp = registers->fp;
    if (!liveobj_unwind_row_find(registers->pc, &row) || !find_cfa(walk, registers, &row, &cfa) ||
        cfa < registers->sp || !restore_register(walk, registers, cfa, &row.return_address, &pc) ||
        pc == 0)
        return false;
    if (!restore_register(walk, registers, cfa, &row.frame_pointer, &fp))
        fp = 0; // lost: frames that are found by it end the trace
    *frame = (struct frame){{liveobj_code_address(pc), cfa, fp}, 0};
    return true;
}

static bool step_to_caller(struct liveobj_stack_walk *walk, struct frame *frame) {
    if (liveobj_stack_walk_step(walk, &frame->registers)) {
        frame->link = 0;
        return true;
    }
    switch (liveobj_unwind_rule_find(frame->registers.pc).kind) {
    case LIVEOBJ_UNWIND_SIGNAL:
        return leave_signal(walk, frame);
    case LIVEOBJ_UNWIND_OPAQUE:
    case LIVEOBJ_UNWIND_TASK: // its callers are looked for only where all frames have rules
        return step_by_row(walk, frame);
    default:
        return false;
    }
}

LIVEOBJ_HOOK uint32_t liveobj_rare_frames_list(struct liveobj_stack_walk *walk,
                                               uintptr_t *addresses, uint32_t capacity) {
    struct frame frame = {walk->cache->walked[walk->walked - 1].registers, 0};
    uint32_t count = 0;
    while (count < capacity && step_to_caller(walk, &frame))
        addresses[count++] = frame.registers.pc;
    return count;
}

#endif

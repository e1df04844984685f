// waiting_threads.c - see waiting_threads.h. Owns nothing.

#if defined(__linux__)

#include "roots/waiting_threads.h"
#include "arch/registers.h"
#include "os/compiler.h"
#include "stacks/unwind_rules.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

// MARK: - Code

static bool is_waiting_library(const struct liveobj_image *image) {
    static const char *const names[] = {
        "libc.so",    "libc-",   "libpthread",     "ld-linux",
        "linux-vdso", "ld-musl", "libdispatch.so", "libswift_Concurrency.so"};
    for (size_t i = 0; !image->is_main && i < sizeof names / sizeof *names; i++)
        if (liveobj_image_is_named(image, names[i]))
            return true;
    return false;
}

void liveobj_waiting_code_take(struct liveobj_waiting_code *code,
                               const struct liveobj_image *image) {
    enum { LIMIT = sizeof code->items / sizeof *code->items };
    if (!is_waiting_library(image))
        return;
    const ElfW(Phdr) *headers = image->headers;
    for (size_t i = 0; i < image->header_count && code->count < LIMIT; i++)
        if (headers[i].p_type == PT_LOAD && headers[i].p_flags & PF_X) {
            uintptr_t start = image->bias + headers[i].p_vaddr;
            code->items[code->count++] = (struct liveobj_extent){start, start + headers[i].p_memsz};
        }
}

static bool is_waiting_code(const struct liveobj_waiting_code *code, uintptr_t address) {
    for (uint32_t i = 0; i < code->count; i++)
        if (address >= code->items[i].start && address < code->items[i].end)
            return true;
    return false;
}

// MARK: - Frames

LIVEOBJ_ANY_MEMORY_BEGIN

/// Whether the thread waits in a system call: a worker makes others while it has work.
static bool is_waiting_call(const struct user_regs_struct *registers) {
    enum { WAIT = 0, WAIT_BITSET = 9, OPERATION = 0x7f }; // of futex
    long call = liveobj_stopped_call(registers);
    uintptr_t operation = liveobj_stopped_second(registers) & OPERATION;
#if defined(SYS_epoll_wait)
    if (call == SYS_epoll_wait)
        return true;
#endif
    return call == SYS_epoll_pwait || call == SYS_rt_sigsuspend ||
           (call == SYS_futex && (operation == WAIT || operation == WAIT_BITSET));
}

struct frame {
    uintptr_t pc; // a return address, or 0
    uintptr_t sp;
    uintptr_t fp;
};

static uintptr_t word_below(uintptr_t address, uint16_t words) {
    return *(const uintptr_t *)(address - words * sizeof(uintptr_t));
}

/// Moves to the caller's frame. \returns false if it cannot be found.
static bool step_waiting_frame(struct frame *frame) {
    struct liveobj_unwind_rule rule = liveobj_unwind_rule_find(frame->pc);
    if (rule.kind != LIVEOBJ_UNWIND_STEP)
        return false;
    uintptr_t cfa = liveobj_cfa(rule.from_fp, rule.cfa_words, rule.fp_words, frame->sp, frame->fp);
    bool is_outer = cfa > frame->sp;
    frame->fp = is_outer && rule.fp_words ? word_below(cfa, rule.fp_words) : frame->fp;
    frame->pc = is_outer ? liveobj_code_address(word_below(cfa, rule.return_words)) : 0;
    frame->sp = cfa;
    return is_outer;
}

/// Whether the address lies in a thread's outermost frame: in libc, or in the few instructions at
/// the program's entry point, for which not every linker writes unwind tables.
static bool is_outermost(uintptr_t address) {
    enum { START_BYTES = 64 };
    uintptr_t behind_entry = address - getauxval(AT_ENTRY);
    return (behind_entry > 0 && behind_entry < START_BYTES) ||
           liveobj_unwind_rule_find(address).kind == LIVEOBJ_UNWIND_OUTERMOST;
}

bool liveobj_thread_waits_for_work(const struct liveobj_waiting_code *code,
                                   const struct liveobj_stopped_thread *thread) {
    enum { MOST_FRAMES = 64 };
    if (thread->state != LIVEOBJ_THREAD_STOPPED || !is_waiting_call(&thread->registers))
        return false;
    struct frame frame = {.pc = liveobj_stopped_pc(&thread->registers) + LIVEOBJ_CODE_UNIT,
                          .sp = liveobj_stopped_sp(&thread->registers),
                          .fp = liveobj_stopped_fp(&thread->registers)};
    for (int i = 0; i < MOST_FRAMES; i++) {
        if (is_outermost(frame.pc))
            return true;
        if (!is_waiting_code(code, frame.pc))
            return false;
        if (step_waiting_frame(&frame))
            continue;
        // The innermost function may have its return address in a register only.
        frame.pc = i == 0 ? liveobj_stopped_link(&thread->registers) : 0;
        if (!frame.pc)
            return false;
    }
    return false;
}

LIVEOBJ_ANY_MEMORY_END

// MARK: - Threads that run

enum { LIMIT = 256 };

/// Threads, and the run time of each when it was added.
struct run_times {
    uint32_t count;
    struct {
        uint32_t thread;
        uint64_t time;
    } items[LIMIT];
};

static void add_run_time(void *context, uint32_t thread) {
    struct run_times *times = context;
    if (thread == liveobj_os_thread_id() || times->count == LIMIT)
        return;
    times->items[times->count].thread = thread;
    times->items[times->count++].time = liveobj_os_thread_time(thread);
}

/// Whether each thread sleeps, or has run for that long since it was added.
static bool have_settled(const struct run_times *times, uint64_t nanoseconds) {
    for (uint32_t i = 0; i < times->count; i++) {
        uint32_t thread = times->items[i].thread;
        uint64_t present = liveobj_os_thread_time(thread);
        if (present != UINT64_MAX && present - times->items[i].time < nanoseconds &&
            liveobj_thread_state_of(thread).is_running)
            return false;
    }
    return true;
}

void liveobj_threads_let_settle(void) {
    static const uint64_t pause = 500000, patience = 3000000, most = 10000000000;
    struct run_times times = {0};
    uint64_t start = liveobj_os_time();
    liveobj_os_visit_threads(add_run_time, &times);
    while (!have_settled(&times, patience) && liveobj_os_time() - start < most)
        liveobj_os_sleep(pause);
}

#endif

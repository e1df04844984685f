// idle_threads.c - see idle_threads.h.
//
// Stacks are read through the kernel, because a thread that wakes up may end and free its stack.

#if defined(__linux__)

#define _GNU_SOURCE
#include "roots/idle_threads.h"
#include "arch/registers.h"
#include "os/os.h"
#include "runtime/image.h"
#include "runtime/memory_reader.h"
#include "stacks/leaf_call.h"
#include "stacks/unwind_images.h"
#include "stacks/unwind_rules.h"

#include <elf.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

// MARK: - State of a thread

enum { PATH_BYTES = 64 };

/// The number of the system call in which the thread sleeps: the first word.
static long system_call_of(const char *text) {
    long number = 0;
    for (; *text >= '0' && *text <= '9'; text++)
        number = 10 * number + *text - '0';
    return number;
}

static bool waits_for_events(long system_call) {
#if defined(SYS_epoll_wait)
    if (system_call == SYS_epoll_wait)
        return true;
#endif
    return system_call == SYS_epoll_pwait;
}

/// Cuts off and returns the last number, in the kernel's format: ` 0x7ffd…`.
static uintptr_t take_last_number(char *text) {
    char *word = strrchr(text, ' ');
    if (!word)
        return 0;
    *word = 0;
    const char *digits = word + strlen(" 0x");
    return liveobj_os_take_hexadecimal(&digits);
}

struct liveobj_thread_state liveobj_thread_state_of(uint32_t thread) {
    enum { TEXT_BYTES = 256 };
    char path[PATH_BYTES], text[TEXT_BYTES];
    liveobj_os_thread_file(thread, "syscall", path);
    text[liveobj_os_file_read(path, text, sizeof text - 1)] = 0;
    if (!strchr(text, ' ')) // `running`, or unreadable: after setuid, without /proc
        return (struct liveobj_thread_state){.is_running = *text == 'r'};
    long number = system_call_of(text);
    struct liveobj_thread_state state = {.is_suspended = number == SYS_rt_sigsuspend,
                                         .waits_for_events = waits_for_events(number)};
    state.program_counter = take_last_number(text);
    state.stack_pointer = take_last_number(text);
    return state;
}

static bool take_switches(void *context, const char *line) {
    uint64_t *switches = context;
    const char *digit = strstr(line, "voluntary_ctxt_switches:");
    for (digit = digit ? digit + strlen("voluntary_ctxt_switches:") : ""; *digit; digit++)
        if (*digit >= '0' && *digit <= '9')
            *switches = *switches * 10 + (uint64_t)(*digit - '0');
    return true;
}

/// A number that changes when the thread is switched out: the digits of both of its counts in
/// sequence.
static uint64_t switches_of(uint32_t thread) {
    char path[PATH_BYTES];
    uint64_t switches = 0;
    liveobj_os_thread_file(thread, "status", path);
    liveobj_os_visit_lines(path, take_switches, &switches);
    return switches;
}

struct liveobj_thread_state liveobj_idle_threads_add(struct liveobj_idle_threads *idle,
                                                     uint32_t thread) {
    struct liveobj_thread_state state = liveobj_thread_state_of(thread);
    idle->is_lost |= idle->count == LIVEOBJ_IDLE_THREADS_LIMIT;
    if (idle->is_lost)
        return state;
    idle->items[idle->count].thread = thread;
    idle->items[idle->count].waits_for_events = state.waits_for_events;
    idle->items[idle->count++].switches = switches_of(thread);
    return state;
}

// MARK: - Frames

static bool is_of_waiting_library(uintptr_t address) {
    static const char *const names[] = {
        "libc.so",    "libc-",   "libpthread",     "ld-linux",
        "linux-vdso", "ld-musl", "libdispatch.so", "libswift_Concurrency.so"};
    struct liveobj_image image;
    if (!liveobj_image_of(address, &image) || image.is_main)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (liveobj_image_is_named(&image, names[i]))
            return true;
    return false;
}

/// A frame of a sleeping thread. Its frame pointer is known once an inner function has saved it.
struct frame {
    uintptr_t pc;
    uintptr_t sp;
    uintptr_t fp;
    bool has_fp;
};

static bool read_word(struct liveobj_reader *reader, uintptr_t address, uintptr_t *word) {
    return liveobj_read_checked(reader, address, word, sizeof *word);
}

/// Moves to the caller's frame. \returns false if it cannot be found.
static bool step(struct frame *frame, const struct liveobj_unwind_rule *rule,
                 struct liveobj_reader *reader) {
    uintptr_t cfa =
        liveobj_cfa(rule->from_fp, rule->cfa_words, rule->fp_words, frame->sp, frame->fp);
    if (rule->fp_words) {
        frame->has_fp = read_word(reader, cfa - rule->fp_words * sizeof(uintptr_t), &frame->fp);
        if (!frame->has_fp)
            return false;
    }
    frame->sp = cfa;
    bool has_pc = read_word(reader, cfa - rule->return_words * sizeof(uintptr_t), &frame->pc);
    frame->pc = liveobj_code_address(frame->pc);
    return has_pc;
}

/// Moves out of the innermost function through one of its calls, and then out of the caller, whose
/// frame has to show that it is the caller. \returns false if it does not.
static bool leave_through(uintptr_t call, struct frame *frame, struct liveobj_reader *reader) {
    struct liveobj_unwind_rule rule = liveobj_unwind_rule_find(call);
    return rule.kind == LIVEOBJ_UNWIND_STEP && !rule.from_fp && step(frame, &rule, reader) &&
           liveobj_leaf_is_call_of(frame->pc, call);
}

/// Moves out of the innermost function, if its return address is only in a register, and out of its
/// caller. \returns false if the caller is not known: of several calls, only one may be confirmed.
static bool leave_leaf(struct frame *frame, struct liveobj_reader *reader) {
    const struct liveobj_leaf_calls *calls = liveobj_leaf_calls_of(frame->pc);
    struct frame found = {0};
    uint32_t confirmed = 0;
    for (uint32_t i = 0; calls && calls->is_complete && i < calls->count; i++) {
        struct frame outer = {.sp = frame->sp};
        if (leave_through(calls->return_addresses[i], &outer, reader)) {
            found = outer;
            confirmed++;
        }
    }
    if (confirmed == 1)
        *frame = found;
    return confirmed == 1;
}

/// Whether the address lies in a thread's outermost frame: in libc, or in the few instructions at
/// the program's entry point, for which not every linker writes unwind tables.
static bool is_outermost(uintptr_t address) {
    enum { START_BYTES = 64 };
    uintptr_t behind_entry = address - getauxval(AT_ENTRY);
    return (behind_entry > 0 && behind_entry < START_BYTES) ||
           liveobj_unwind_rule_find(address).kind == LIVEOBJ_UNWIND_OUTERMOST;
}

/// Whether the main thread sleeps forever in libdispatch, after `dispatch_main` has ended it, as
/// under Swift Testing. It sleeps in a destructor of thread-specific data, when the program's
/// frames are gone, and never returns. This is the only place where libdispatch waits for a signal.
/// The caller's address is only in a register, and stale words remain on the stack, so the frames
/// cannot be walked.
static bool is_asleep_for_good(const struct liveobj_thread_state *state, uintptr_t address) {
    struct liveobj_image image;
    return state->is_suspended && liveobj_image_of(address, &image) &&
           liveobj_image_is_named(&image, "libdispatch.so");
}

/// Whether no word up to the thread's outermost frame points into other code. Used for a frame
/// whose caller's address is only in a register. A stale word can make an idle thread look busy,
/// and never the reverse. A frame that the search does not find has no unwind table.
static bool is_rest_quiet(uintptr_t place, struct liveobj_reader *reader) {
    struct liveobj_image image;
    struct liveobj_unwind_image any;
    enum { MOST_BYTES = 256 * 1024 };
    uintptr_t word, end = place + MOST_BYTES;
    for (; place < end && read_word(reader, place, &word); place += sizeof word) {
        word = liveobj_code_address(word);
        if (is_outermost(word))
            return true;
        // The first test excludes most words, so that the other two are rarely needed.
        if (liveobj_unwind_image_find(word, &any) && !is_of_waiting_library(word) &&
            liveobj_image_of(word, &image) && liveobj_image_contains(&image, word, PF_X))
            return false;
    }
    return false;
}

/// Whether all frames of the thread belong to libraries that wait for work.
static bool has_no_other_frames(uint32_t thread, struct liveobj_reader *reader) {
    enum { MOST_FRAMES = 64 };
    struct liveobj_thread_state state = liveobj_thread_state_of(thread);
    struct frame frame = {.pc = state.program_counter, .sp = state.stack_pointer};
    for (int i = 0; frame.pc && i < MOST_FRAMES; i++) {
        struct liveobj_unwind_rule rule = liveobj_unwind_rule_find(frame.pc);
        if (is_outermost(frame.pc) || is_asleep_for_good(&state, frame.pc))
            return true;
        if (!is_of_waiting_library(frame.pc))
            return false;
        bool can_step = rule.kind == LIVEOBJ_UNWIND_STEP && (!rule.from_fp || frame.has_fp);
        if (!can_step && (i > 0 || !leave_leaf(&frame, reader)))
            return is_rest_quiet(frame.sp, reader);
        if (can_step && !step(&frame, &rule, reader))
            return false;
    }
    return false;
}

/// Whether the thread has slept since, or is libdispatch's manager and sleeps: the one that waits
/// for events without frames of the program. It hands them to other threads, and never runs code of
/// the program. Checks the state too, because a thread that was woken and still runs has not been
/// counted yet.
static bool has_slept(uint32_t thread, uint64_t switches, bool may_be_manager) {
    struct liveobj_thread_state state = liveobj_thread_state_of(thread);
    bool is_manager = may_be_manager && state.waits_for_events;
    return state.stack_pointer && (is_manager || switches_of(thread) == switches);
}

static enum liveobj_idleness idleness(const struct liveobj_idle_threads *idle, uint32_t index,
                                      struct liveobj_reader *reader) {
    uint32_t thread = idle->items[index].thread;
    uint64_t switches = idle->items[index].switches;
    bool has_no_other = has_no_other_frames(thread, reader);
    bool is_manager = has_no_other && idle->items[index].waits_for_events;
    if (!has_slept(thread, switches, is_manager))
        return LIVEOBJ_RAN;
    return has_no_other ? LIVEOBJ_WAITED_FOR_WORK : LIVEOBJ_SLEPT;
}

enum liveobj_idleness liveobj_idle_threads_idleness(struct liveobj_idle_threads *idle) {
    enum liveobj_idleness least = idle->is_lost ? LIVEOBJ_RAN : LIVEOBJ_WAITED_FOR_WORK;
    struct liveobj_reader reader;
    liveobj_reader_start(&reader);
    for (uint32_t i = 0; i < idle->count; i++) {
        enum liveobj_idleness present = idleness(idle, i, &reader);
        idle->items[i].waited_for_work = present == LIVEOBJ_WAITED_FOR_WORK;
        least = present < least ? present : least;
    }
    return least;
}

static void add_other(void *context, uint32_t thread) {
    if (thread != liveobj_os_thread_id())
        liveobj_idle_threads_add(context, thread);
}

/// Threads, and the run time of each when it was added.
struct run_times {
    uint32_t count;
    struct {
        uint32_t thread;
        uint64_t time;
    } items[LIVEOBJ_IDLE_THREADS_LIMIT];
};

static void add_run_time(void *context, uint32_t thread) {
    struct run_times *times = context;
    if (thread == liveobj_os_thread_id() || times->count == LIVEOBJ_IDLE_THREADS_LIMIT)
        return;
    times->items[times->count].thread = thread;
    times->items[times->count++].time = liveobj_os_thread_time(thread);
}

/// Whether each thread has run for that long since it was added, or is not ready to run.
static bool have_run(const struct run_times *times, uint64_t nanoseconds) {
    for (uint32_t i = 0; i < times->count; i++) {
        uint32_t thread = times->items[i].thread;
        uint64_t present = liveobj_os_thread_time(thread);
        if (present != UINT64_MAX && present - times->items[i].time < nanoseconds &&
            liveobj_thread_state_of(thread).is_running)
            return false;
    }
    return true;
}

static bool merely_wait_now(void) {
    struct liveobj_idle_threads idle = {0};
    struct liveobj_reader reader;
    liveobj_reader_start(&reader);
    liveobj_os_visit_threads(add_other, &idle);
    bool merely_wait = !idle.is_lost;
    for (uint32_t i = 0; merely_wait && i < idle.count; i++)
        merely_wait = idleness(&idle, i, &reader) == LIVEOBJ_WAITED_FOR_WORK;
    return merely_wait;
}

void liveobj_idle_threads_let_settle(void) {
    static const uint64_t pause = 500000, patience = 3000000, most = 10000000000;
    struct run_times times = {0};
    uint64_t start = liveobj_os_time(), waited = 0;
    liveobj_unwind_images_refresh();
    liveobj_os_visit_threads(add_run_time, &times);
    while (!merely_wait_now() && waited < most &&
           (waited < patience || !have_run(&times, patience))) {
        liveobj_os_sleep(pause);
        waited = liveobj_os_time() - start;
    }
}

#endif

// stopped_threads.c - the program's half; see stopped_threads.h. Owns the helper process.

#if defined(__linux__)

#include "roots/stopped_threads.h"
#include "arch/registers.h"
#include "arch/system_call.h"

#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

// MARK: - The state of a thread that waits

/// Moves behind the next number of the line and returns it: the kernel's format is `7 0x1 0x7ffd…`.
static uintptr_t take_number(const char **line) {
    const char *digits = strstr(*line, " 0x");
    *line = digits ? digits + strlen(" 0x") : "";
    return liveobj_os_take_hexadecimal(line);
}

struct liveobj_thread_state liveobj_thread_state_of(uint32_t thread) {
    enum { PATH_BYTES = 64, TEXT_BYTES = 256, MORE_ARGUMENTS = 5 };
    char path[PATH_BYTES], text[TEXT_BYTES];
    liveobj_os_thread_file(thread, "syscall", path);
    text[liveobj_os_file_read(path, text, sizeof text - 1)] = 0;
    const char *rest = text;
    if (!strchr(text, ' ')) // `running`, or unreadable: after setuid, without /proc
        return (struct liveobj_thread_state){.is_running = *text == 'r'};
    struct liveobj_thread_state state = {.first_argument = take_number(&rest)};
    for (int i = 0; *text != '-' && i < MORE_ARGUMENTS; i++)
        take_number(&rest);
    state.stack_pointer = *text == '-' ? state.first_argument : take_number(&rest);
    state.has_ended = *text == '-' && state.stack_pointer == 0;
    return state;
}

// MARK: - The program

enum { STACK_BYTES = 64 * 1024 };

/// Whether only a process that was named may trace this one (ptrace_scope of the Yama module).
static bool must_name_tracer(void) {
    char scope = 0;
    liveobj_os_file_read("/proc/sys/kernel/yama/ptrace_scope", &scope, 1);
    return scope == '1';
}

static bool start_helper(struct liveobj_stopped_threads *threads) {
    threads->host = getpid();
    threads->turn = LIVEOBJ_TURN_OF_PROGRAM;
    long helper =
        liveobj_clone(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_UNTRACED,
                      (char *)threads->stack + STACK_BYTES, liveobj_thread_helper, threads);
    threads->helper = helper > 0 ? (pid_t)helper : 0;
    if (threads->helper && must_name_tracer())
        prctl(PR_SET_PTRACER, helper, 0, 0, 0);
    return threads->helper;
}

static bool has_helper_ended(struct liveobj_stopped_threads *threads, int flags) {
    // Raw: not a cancellation point.
    long ended = syscall(SYS_wait4, threads->helper, NULL, __WALL | flags, NULL);
    if (ended == threads->helper || (ended < 0 && errno == ECHILD))
        threads->helper = 0;
    return threads->helper == 0;
}

/// \returns false if the helper has ended, which nothing but the system does.
static bool ask_helper(struct liveobj_stopped_threads *threads) {
    static const uint64_t pause = 2000000;
    // Release and acquire: what is asked, and what was done.
    __atomic_store_n(&threads->turn, LIVEOBJ_TURN_OF_HELPER, __ATOMIC_RELEASE);
    liveobj_os_wake(&threads->turn);
    while (__atomic_load_n(&threads->turn, __ATOMIC_ACQUIRE) == LIVEOBJ_TURN_OF_HELPER) {
        if (has_helper_ended(threads, WNOHANG))
            return false;
        liveobj_os_wait(&threads->turn, LIVEOBJ_TURN_OF_HELPER, pause);
    }
    return true;
}

/// Whether a thread is in the list. The system lists them in the same order each time.
static bool is_thread_listed(struct liveobj_stopped_threads *threads, uint32_t id) {
    uint32_t i = threads->next;
    if (i == threads->count || threads->items[i].id != id)
        for (i = 0; i < threads->count && threads->items[i].id != id; i++)
            continue;
    threads->next = i < threads->count ? i + 1 : 0;
    return i < threads->count;
}

static void list_thread(void *context, uint32_t id) {
    struct liveobj_stopped_threads *threads = context;
    bool is_own = id == liveobj_os_thread_id();
    threads->has_caller |= is_own;
    if (is_own || is_thread_listed(threads, id))
        return;
    struct liveobj_thread_state before = liveobj_thread_state_of(id);
    threads->is_refused |= !before.has_ended && threads->count == threads->capacity;
    if (!before.has_ended && threads->count < threads->capacity)
        threads->items[threads->count++] = (struct liveobj_stopped_thread){
            .id = id, .state = LIVEOBJ_THREAD_RUNS, .before = before};
}

static void count_thread(void *context, uint32_t id) {
    (void)id;
    ++*(uint32_t *)context;
}

bool liveobj_threads_prepare(struct liveobj_stopped_threads *threads) {
    enum { MORE = 64 }; // that may start meanwhile
    uint32_t listed = 0;
    liveobj_os_visit_threads(count_thread, &listed);
    threads->items = liveobj_os_map((listed + MORE) * sizeof *threads->items);
    threads->stack = liveobj_os_map(STACK_BYTES);
    threads->capacity = threads->items ? listed + MORE : 0;
    return listed > 0;
}

/// Until no thread is new: a thread may start another one before it stops.
static void stop_with_helper(struct liveobj_stopped_threads *threads) {
    while (threads->asked < threads->count && !threads->is_refused) {
        bool has_answered = ask_helper(threads); // which may have been refused a thread
        threads->is_refused |= !has_answered;
        threads->asked = threads->count;
        liveobj_os_visit_threads(list_thread, threads);
    }
    for (uint32_t i = 0; i < threads->count; i++)
        threads->is_complete &= threads->items[i].state != LIVEOBJ_THREAD_RUNS;
    threads->is_complete &= !threads->is_refused;
}

void liveobj_threads_stop(struct liveobj_stopped_threads *threads) {
    liveobj_os_visit_threads(list_thread, threads);
    threads->is_complete = threads->has_caller && threads->capacity > 0;
    if (threads->count == 0)
        return;
    // Where /proc has the ids of another namespace, they are those of other processes here.
    bool can_trace = threads->is_complete && threads->stack && start_helper(threads);
    threads->is_complete &= can_trace;
    if (can_trace)
        stop_with_helper(threads);
}

void liveobj_threads_continue(struct liveobj_stopped_threads *threads) {
    if (!threads->helper)
        return;
    threads->is_over = true;
    __atomic_store_n(&threads->turn, LIVEOBJ_TURN_OF_HELPER, __ATOMIC_RELEASE); // see ask_helper
    liveobj_os_wake(&threads->turn);
    while (!has_helper_ended(threads, 0))
        continue; // a signal came
    if (must_name_tracer())
        prctl(PR_SET_PTRACER, 0, 0, 0, 0);
}

void liveobj_threads_end(struct liveobj_stopped_threads *threads) {
    liveobj_os_unmap(threads->items, threads->capacity * sizeof *threads->items);
    liveobj_os_unmap(threads->stack, STACK_BYTES);
    *threads = (struct liveobj_stopped_threads){0};
}

uintptr_t liveobj_thread_stack_pointer(const struct liveobj_stopped_thread *thread) {
    return thread->state == LIVEOBJ_THREAD_STOPPED ? liveobj_stopped_sp(&thread->registers)
                                                   : thread->before.stack_pointer;
}

#endif

// stopped_threads.h - stops the other threads for a moment, and reads their registers.
//
// A thread may have the only reference to an object in a register, and only its stack pointer says
// which part of its stack is in use. So the other threads stand still while the process is copied,
// and the copy is of one moment.
//
// Threads are stopped with ptrace, by a helper process that shares the program's memory, since no
// thread may trace those of its own process. It has no exit signal, so the program's `wait` does
// not find it. System calls that wait go on waiting: the kernel starts them again, and those that
// would fail with EINTR are made to start again. A timeout begins anew.
//
// In the program, outside of hooks.

#pragma once

#include "os/os.h"

#include <sys/types.h>
#include <sys/user.h>

#pragma GCC visibility push(hidden)

/// What the kernel says of a thread without stopping it, while it waits in a system call.
struct liveobj_thread_state {
    uintptr_t stack_pointer; // 0 if the thread runs, or cannot be read
    uintptr_t first_argument;
    bool is_running; // or ready to run; false if the system does not say
    bool has_ended;  // the main thread stays listed
};
struct liveobj_thread_state liveobj_thread_state_of(uint32_t thread);

struct liveobj_stopped_thread {
    uint32_t id;
    int signal; // that the stop has held up
    enum {
        LIVEOBJ_THREAD_ENDED,
        LIVEOBJ_THREAD_RUNS, // its registers are not known
        LIVEOBJ_THREAD_STOPPED,
    } state;
    bool waits_for_work;                // set by `liveobj_roots_place_stacks`
    struct liveobj_thread_state before; // it was asked to stop
    struct user_regs_struct registers;
    uintptr_t vectors[66]; // the low halves of vector registers, which copy objects, and flags
};

/// The other threads. Zeroed at first.
struct liveobj_stopped_threads {
    struct liveobj_stopped_thread *items;
    uint32_t count;
    uint32_t capacity;
    bool is_complete; // all of them are stopped, and have their registers
    bool has_caller;  // the system has listed the calling thread as well
    uint32_t next;    // of the list, while it is compared
    // For the helper.
    pid_t helper;
    pid_t host;
    void *stack;
    uint32_t asked;  // the items from here on are to be stopped
    uint32_t turn;   // atomic: LIVEOBJ_TURN_OF_…; the other one waits
    bool is_refused; // a thread cannot be traced
    bool is_over;    // the helper lets go
};

enum { LIVEOBJ_TURN_OF_PROGRAM, LIVEOBJ_TURN_OF_HELPER };
/// The helper process. `context` is the list; it does not return.
void liveobj_thread_helper(void *context);

/// Makes room for the threads that there are. Called first: takes memory.
/// \returns false if the system does not list them.
bool liveobj_threads_prepare(struct liveobj_stopped_threads *threads);
/// Stops them, within half a second, for ten seconds at most. Takes no lock: a stopped thread may
/// hold it. If the system does not allow it, notes the state of those that wait.
void liveobj_threads_stop(struct liveobj_stopped_threads *threads);
void liveobj_threads_continue(struct liveobj_stopped_threads *threads);
void liveobj_threads_end(struct liveobj_stopped_threads *threads);

/// The lowest address of the thread's stack that is in use, as far as it is known; 0 if not.
uintptr_t liveobj_thread_stack_pointer(const struct liveobj_stopped_thread *thread);

#pragma GCC visibility pop

// thread.h - the state of one thread while it records.

#pragma once

#include "os/compiler.h"
#include "stacks/sampling.h"
#include "stacks/stack_walk.h"

#pragma GCC visibility push(hidden)

struct liveobj_batch;

/// A thread's block. Blocks outlive their threads: the next thread takes over the free records, the
/// sequence numbers and the counts that the last owner left.
struct liveobj_thread {
    struct liveobj_thread *next; // in the list of all blocks; never changes
    bool is_taken;               // atomic

    uint32_t *free_indices; // the free records: [0, free_count), room for free_capacity
    uint32_t free_count;
    uint32_t free_capacity;
    struct liveobj_batch *batch;       // the batch that `free_indices` points into
    struct liveobj_batch *spare_batch; // a full one, or NULL
    uint32_t orphans;                  // the first of a chain of free records, or 0; see records.c

    uint64_t sequence_next; // the thread's numbers: [sequence_next, sequence_end)
    uint64_t sequence_end;
    uint64_t epoch;

    struct liveobj_stack_cache *stacks;
    struct liveobj_sampler sampler;
    /// Odd while the thread may use and store ids of stack traces of the round that it has seen;
    /// see records/trace_collection.c. Atomic, written by the owner.
    uint32_t trace_uses;
    /// What `trace_uses` was when a collection began. Written by the thread that collects.
    uint32_t noted_uses;

    // Written by the owner, read by any thread: relaxed atomics.
    uint64_t allocations;
    uint64_t deallocations;
    uint64_t missed_deallocations;
    uint64_t dropped;
};

/// The state of the calling thread when it entered the recorder.
struct liveobj_caller_context {
    uintptr_t stack_pointer; // deeper frames are the recorder's
    /// The callee-saved registers, as complements: plain words would be found as references in
    /// memory.
    uintptr_t registers[10];
    bool is_on_signal_stack; // of the program; known only to the report at exit
};

/// A thread's variables. Initial-exec: the default model may allocate on first access, and inside a
/// hook that would recurse.
struct liveobj_tls {
    struct liveobj_thread *thread;
    uint32_t guard;   // not 0: this thread is at work for the recorder
    bool ended;       // its destructors have run
    int cancel_state; // the program's, during the recorder's own work
    uint64_t signals; // the signals that the program blocks, during a fork
    /// The last allocations for the recorder's own work (self_test.c), as complements, like
    /// registers.
    uintptr_t hidden_own_object;
    uintptr_t hidden_own_memory;
    struct liveobj_caller_context caller;
};

/// The values that are added to the guard, one per hook and per piece of the recorder's own work,
/// which may nest.
enum { LIVEOBJ_GUARD_HOOK = 1, LIVEOBJ_GUARD_OWN_WORK = 2 };

extern __thread struct liveobj_tls liveobj_tls __attribute__((tls_model("initial-exec")));

// A thread-local variable of this model is a plain load.
LIVEOBJ_UNCHECKED_BEGIN
LIVEOBJ_HOOK static inline struct liveobj_tls *liveobj_tls_get(void) {
    return &liveobj_tls;
}
LIVEOBJ_UNCHECKED_END

/// Begin and end the part of a hook that a signal handler of the same thread must not repeat. The
/// fences keep the compiler from moving work out of that part.
LIVEOBJ_HOOK static inline void liveobj_guard_set(struct liveobj_tls *tls) {
    tls->guard = LIVEOBJ_GUARD_HOOK;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
LIVEOBJ_HOOK static inline void liveobj_guard_clear(struct liveobj_tls *tls) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    tls->guard = 0;
}

bool liveobj_threads_start(void);

/// Gives the calling thread a block. Its guard must be set.
/// \returns NULL if there is no memory. Slow path.
LIVEOBJ_HOOK struct liveobj_thread *liveobj_thread_attach(void);
/// Gives up the block of a thread whose destructors have run. Slow path.
LIVEOBJ_HOOK void liveobj_thread_detach(void);

/// Sums over all blocks.
struct liveobj_counts {
    uint64_t allocations;
    uint64_t deallocations;
    uint64_t missed_deallocations;
    uint64_t dropped;
};
struct liveobj_counts liveobj_threads_counts(void);
/// Events on threads that had no usable block; atomic.
extern struct liveobj_counts liveobj_counts_of_no_thread;
/// Counts an allocation that was not recorded because the thread had no usable block.
LIVEOBJ_HOOK void liveobj_counts_add_drop(void);

uint64_t liveobj_sequence_mark(void);
/// Gives the thread new sequence numbers. Slow path.
LIVEOBJ_HOOK void liveobj_sequence_refill(struct liveobj_thread *thread);
/// Incremented by each mark; makes every thread take new numbers.
extern uint64_t liveobj_sequence_epoch;

static inline uint64_t liveobj_sequence_next(struct liveobj_thread *thread) {
    // Acquire: reads the epoch before the counter that the refill reads.
    uint64_t epoch = __atomic_load_n(&liveobj_sequence_epoch, __ATOMIC_ACQUIRE);
    if (LIVEOBJ_UNLIKELY(thread->sequence_next == thread->sequence_end || thread->epoch != epoch))
        liveobj_sequence_refill(thread);
    return thread->sequence_next++;
}

/// Enclose the use of the ids of stack traces in a hook, up to the store of one.
static inline void liveobj_traces_begin(struct liveobj_thread *thread) {
    LIVEOBJ_INCREMENT_OWNED(thread->trace_uses);
    // The compiler keeps the round's load behind this; for the processor, see trace_collection.c.
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
static inline void liveobj_traces_end(struct liveobj_thread *thread) {
    // Release: who sees the end sees the id that was stored.
    __atomic_store_n(&thread->trace_uses, thread->trace_uses + 1, __ATOMIC_RELEASE);
}

/// Note which threads use stack traces, and tell whether all of these have ended that.
LIVEOBJ_HOOK void liveobj_threads_note_traces(void);
LIVEOBJ_HOOK bool liveobj_threads_have_ended_traces(void);

void liveobj_threads_after_fork_child(void);

#pragma GCC visibility pop

// thread.c - owns the blocks in which threads keep what they use while recording.
//
// A block is taken by a thread's first hook and given back by its destructor. Blocks are never
// unmapped: the next thread takes one over with its free records, and no count is ever lost.
// A thread whose destructors have run takes a block for each single hook.

#if defined(__linux__)

#define _GNU_SOURCE
#include "internal.h"

#include <pthread.h>

__thread struct liveobj_tls liveobj_tls __attribute__((tls_model("initial-exec")));

/// Numbers that a thread takes from the common counter at once.
enum { SEQUENCE_BLOCK = 256 };

static struct liveobj_lock lock; // over `blocks`, the `taken` flags and the chunk
static struct liveobj_thread *blocks;
static struct liveobj_thread *chunk_next, *chunk_end;
static pthread_key_t key;

static uint64_t sequence = 1; // the next number that nobody has
uint64_t liveobj_sequence_epoch;

static void give_back(void *block) {
    struct liveobj_tls *tls = liveobj_tls_get();
    tls->thread = NULL;
    tls->ended = true;
    liveobj_lock_acquire(&lock);
    ((struct liveobj_thread *)block)->taken = false;
    liveobj_lock_release(&lock);
}

bool liveobj_threads_start(void) {
    return pthread_key_create(&key, give_back) == 0;
}

static struct liveobj_thread *new_block_locked(void) {
    enum { CHUNK_BYTES = 64 * 1024 };
    if (chunk_next == chunk_end) {
        chunk_next = liveobj_os_map(CHUNK_BYTES);
        chunk_end = chunk_next ? chunk_next + CHUNK_BYTES / sizeof *chunk_next : NULL;
        if (!chunk_next)
            return NULL;
    }
    struct liveobj_thread *block = chunk_next++;
    block->next = blocks;
    // Release: readers of the list take no lock.
    __atomic_store_n(&blocks, block, __ATOMIC_RELEASE);
    return block;
}

static struct liveobj_thread *free_block_locked(void) {
    for (struct liveobj_thread *block = blocks; block; block = block->next)
        if (!block->taken)
            return block;
    return new_block_locked();
}

LIVEOBJ_UNCHECKED_BEGIN
/// Once a thread. Glibc keeps the first 32 keys in the thread itself, and ours is made before main;
/// a later key would cost a calloc, outside of the runtime and of our slots.
LIVEOBJ_HOOK static void give_back_at_end(struct liveobj_thread *block) {
    pthread_setspecific(key, block);
}
LIVEOBJ_UNCHECKED_END

LIVEOBJ_HOOK struct liveobj_thread *liveobj_thread_attach(void) {
    liveobj_lock_acquire(&lock);
    struct liveobj_thread *block = free_block_locked();
    if (block)
        block->taken = true;
    liveobj_lock_release(&lock);
    liveobj_tls_get()->thread = block;
    if (block && !liveobj_tls_get()->ended)
        give_back_at_end(block);
    return block;
}

LIVEOBJ_HOOK void liveobj_thread_detach(void) {
    struct liveobj_tls *tls = liveobj_tls_get();
    if (tls->ended && tls->thread)
        give_back(tls->thread);
}

struct liveobj_counts liveobj_threads_counts(void) {
    struct liveobj_counts sum = {0};
    for (struct liveobj_thread *block = __atomic_load_n(&blocks, __ATOMIC_ACQUIRE); block;
         block = block->next) {
        // Relaxed: each count is exact once the threads that count have been waited for.
        sum.allocations += __atomic_load_n(&block->allocations, __ATOMIC_RELAXED);
        sum.deaths += __atomic_load_n(&block->deaths, __ATOMIC_RELAXED);
        sum.missed_deaths += __atomic_load_n(&block->missed_deaths, __ATOMIC_RELAXED);
        sum.dropped += __atomic_load_n(&block->dropped, __ATOMIC_RELAXED);
    }
    return sum;
}

// MARK: - Sequence numbers
//
// A common counter would be a cache line that every allocation of every thread fights for, so
// threads take numbers in blocks. A mark raises the epoch first and reads the counter then: a
// thread that sees the new epoch takes a new block, whose numbers are all greater.

uint64_t liveobj_sequence_mark(void) {
    __atomic_fetch_add(&liveobj_sequence_epoch, 1, __ATOMIC_SEQ_CST);
    return __atomic_load_n(&sequence, __ATOMIC_SEQ_CST);
}

LIVEOBJ_HOOK void liveobj_sequence_refill(struct liveobj_thread *thread) {
    thread->epoch = __atomic_load_n(&liveobj_sequence_epoch, __ATOMIC_SEQ_CST);
    // After the load of the epoch, so that the numbers are not older than the mark.
    thread->sequence_next = __atomic_fetch_add(&sequence, SEQUENCE_BLOCK, __ATOMIC_SEQ_CST);
    thread->sequence_end = thread->sequence_next + SEQUENCE_BLOCK;
}

// MARK: - Fork

void liveobj_threads_before_fork(void) {
    liveobj_lock_acquire(&lock);
}

void liveobj_threads_after_fork_parent(void) {
    liveobj_lock_release(&lock);
}

/// The thread that owned the block was stopped between any two instructions, so nothing that it was
/// changing can be trusted. Its free records and its memory stay unused in the child.
static void clear_after_fork(struct liveobj_thread *block) {
    block->taken = false;
    block->free_indices = NULL;
    block->free_count = block->free_capacity = 0;
    block->batch = block->spare_batch = NULL;
    block->sequence_next = block->sequence_end = 0;
    block->stacks = NULL;
}

void liveobj_threads_after_fork_child(void) {
    // Only the forking thread lives on. The others' blocks are free for the child's new threads.
    for (struct liveobj_thread *block = blocks; block; block = block->next)
        if (block->taken && block != liveobj_tls.thread)
            clear_after_fork(block);
    liveobj_lock_release(&lock);
}

#endif

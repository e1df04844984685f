// thread.c - owns the blocks in which threads keep their recording state.
//
// A thread's first hook takes a block, and the thread's destructor gives it back. Blocks are never
// unmapped: the next thread takes one over with its free records, and no count is lost. A thread
// whose destructors have run takes a block for each single hook. There are no locks, because a fork
// or a signal handler may come between any two instructions.

#if defined(__linux__)

#include "records/thread.h"
#include "os/arena.h"

#include <pthread.h>

__thread struct liveobj_tls liveobj_tls __attribute__((tls_model("initial-exec")));

/// The sequence numbers that a thread takes from the common counter at once.
enum { SEQUENCE_BLOCK = 256 };

static struct liveobj_thread *blocks; // atomic; grows only at its head
static pthread_key_t key;
struct liveobj_counts liveobj_counts_of_no_thread;

static uint64_t sequence = 1; // the next unused number
uint64_t liveobj_sequence_epoch;

static void release_block(void *block) {
    struct liveobj_tls *tls = liveobj_tls_get();
    tls->thread = NULL;
    tls->ended = true;
    // Release: the next owner continues with what this one has written.
    __atomic_store_n(&((struct liveobj_thread *)block)->is_taken, false, __ATOMIC_RELEASE);
}

bool liveobj_threads_start(void) {
    return pthread_key_create(&key, release_block) == 0;
}

static bool acquire_block(struct liveobj_thread *block) {
    // Relaxed: the exchange decides. Acquire: pairs with the release in `release_block`.
    return !__atomic_load_n(&block->is_taken, __ATOMIC_RELAXED) &&
           !__atomic_exchange_n(&block->is_taken, true, __ATOMIC_ACQUIRE);
}

static struct liveobj_thread *acquire_free_block(void) {
    struct liveobj_thread *block = __atomic_load_n(&blocks, __ATOMIC_ACQUIRE);
    while (block && !acquire_block(block))
        block = block->next;
    return block;
}

/// Adds blocks and takes the first. If threads do so at once, each adds its own.
static struct liveobj_thread *add_blocks(void) {
    enum { CHUNK_BYTES = 16 * 1024, COUNT = CHUNK_BYTES / sizeof(struct liveobj_thread) };
    struct liveobj_thread *added = liveobj_os_map_charged(CHUNK_BYTES, true);
    if (!added)
        return NULL;
    added->is_taken = true;
    for (size_t i = 0; i + 1 < COUNT; i++)
        added[i].next = &added[i + 1];
    added[COUNT - 1].next = __atomic_load_n(&blocks, __ATOMIC_RELAXED);
    // Release: readers of the list take no lock.
    while (!__atomic_compare_exchange_n(&blocks, &added[COUNT - 1].next, added, true,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        continue;
    return added;
}

LIVEOBJ_UNCHECKED_BEGIN
/// Runs once per thread. Glibc keeps the first 32 keys in the thread's own memory, and this key is
/// made before main. A later key would cost a calloc, which the hooks do not see.
LIVEOBJ_HOOK static void release_block_at_end(struct liveobj_thread *block) {
    pthread_setspecific(key, block);
}
LIVEOBJ_UNCHECKED_END

LIVEOBJ_HOOK struct liveobj_thread *liveobj_thread_attach(void) {
    struct liveobj_thread *block = acquire_free_block();
    if (!block)
        block = add_blocks();
    liveobj_tls_get()->thread = block;
    if (block && !liveobj_tls_get()->ended)
        release_block_at_end(block);
    return block;
}

LIVEOBJ_HOOK void liveobj_thread_detach(void) {
    struct liveobj_tls *tls = liveobj_tls_get();
    if (tls->ended && tls->thread)
        release_block(tls->thread);
}

LIVEOBJ_HOOK void liveobj_counts_add_drop(void) {
    // Relaxed: counts order nothing.
    __atomic_fetch_add(&liveobj_counts_of_no_thread.allocations, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&liveobj_counts_of_no_thread.dropped, 1, __ATOMIC_RELAXED);
}

struct liveobj_counts liveobj_threads_counts(void) {
    struct liveobj_counts *others = &liveobj_counts_of_no_thread;
    struct liveobj_counts sum = {
        .allocations = __atomic_load_n(&others->allocations, __ATOMIC_RELAXED),
        .deallocations = __atomic_load_n(&others->deallocations, __ATOMIC_RELAXED),
        .dropped = __atomic_load_n(&others->dropped, __ATOMIC_RELAXED),
    };
    for (struct liveobj_thread *block = __atomic_load_n(&blocks, __ATOMIC_ACQUIRE); block;
         block = block->next) {
        // Relaxed: a count is exact if the caller has waited for the thread that counts.
        sum.allocations += __atomic_load_n(&block->allocations, __ATOMIC_RELAXED);
        sum.deallocations += __atomic_load_n(&block->deallocations, __ATOMIC_RELAXED);
        sum.missed_deallocations += __atomic_load_n(&block->missed_deallocations, __ATOMIC_RELAXED);
        sum.dropped += __atomic_load_n(&block->dropped, __ATOMIC_RELAXED);
    }
    return sum;
}

// MARK: - Sequence numbers
//
// Every allocation of every thread would contend for one counter, so threads take numbers in
// blocks. A mark reads the counter before it increments the epoch: a thread that sees the new epoch
// takes a new block, whose numbers are not below the mark. In the other order, a thread could take
// such a block before the mark has read the counter, and keep numbers below it.

uint64_t liveobj_sequence_mark(void) {
    uint64_t mark = __atomic_load_n(&sequence, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&liveobj_sequence_epoch, 1, __ATOMIC_SEQ_CST);
    return mark;
}

LIVEOBJ_HOOK void liveobj_sequence_refill(struct liveobj_thread *thread) {
    thread->epoch = __atomic_load_n(&liveobj_sequence_epoch, __ATOMIC_SEQ_CST);
    // After the load of the epoch, so that the numbers are not older than the mark.
    thread->sequence_next = __atomic_fetch_add(&sequence, SEQUENCE_BLOCK, __ATOMIC_SEQ_CST);
    thread->sequence_end = thread->sequence_next + SEQUENCE_BLOCK;
}

// MARK: - Stack traces

// Acquire: pairs with the release in `liveobj_traces_end`.

LIVEOBJ_HOOK void liveobj_threads_note_traces(void) {
    for (struct liveobj_thread *block = __atomic_load_n(&blocks, __ATOMIC_ACQUIRE); block;
         block = block->next)
        block->noted_uses = __atomic_load_n(&block->trace_uses, __ATOMIC_ACQUIRE);
}

LIVEOBJ_HOOK bool liveobj_threads_have_ended_traces(void) {
    for (struct liveobj_thread *block = __atomic_load_n(&blocks, __ATOMIC_ACQUIRE); block;
         block = block->next)
        if (block->noted_uses % 2 &&
            block->noted_uses == __atomic_load_n(&block->trace_uses, __ATOMIC_ACQUIRE))
            return false;
    return true;
}

// MARK: - Fork

/// Clears a block whose owner does not exist in the child. The owner may have been stopped between
/// any two instructions, so nothing that it was changing can be trusted. Its free records and its
/// memory stay unused in the child.
static void clear_after_fork(struct liveobj_thread *block) {
    block->is_taken = false;
    block->free_indices = NULL;
    block->free_count = block->free_capacity = 0;
    block->batch = block->spare_batch = NULL;
    block->orphans = 0;
    block->sequence_next = block->sequence_end = 0;
    block->stacks = NULL;
    block->trace_uses = 0;
}

void liveobj_threads_after_fork_child(void) {
    // Only the forking thread exists in the child. New threads there may use the others' blocks.
    for (struct liveobj_thread *block = blocks; block; block = block->next)
        if (block->is_taken && block != liveobj_tls.thread)
            clear_after_fork(block);
}

#endif

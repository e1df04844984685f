// trace_collection.c - owns the collection of stack traces. See trace_collection.h.
//
// The steps:
//   1. begin a round: new traces go to the other space of the depot
//   2. wait until no thread is in a hook that began before
//   3. store the traces of live objects again, in the new space, and replace their ids
//   4. empty the old space
// No thread uses an id of the old space after step 2, so one pass over the records finds all. Where
// a thread stays in a hook (a signal handler that interrupted it goes on for long, or left it by a
// jump), step 2 does not end, and both spaces stay in use.
//
// There is no thread for this, which the program would notice. A hook that has stored a new trace
// pays with a piece of the work, so that no hook takes long, and who stores no traces pays nothing.
//
// A thread says that it uses traces, and then reads the round; no barrier keeps the processor from
// doing the second first, since it would be paid for at each allocation, and a filter of system
// calls may forbid `membarrier`. Instead, the threads are looked at some time after the round has
// begun: every store is visible by then, as is the new round.
//
// A record's id is replaced by a compare-and-swap of the word that holds it. Another object may
// have taken over the record meanwhile: then the word has another value, and stays; or the same
// one, and the same trace is replaced by the same one. A free record's word means nothing.
//
// Nothing waits for a collection: who reads traces keeps its steps from running.

#if defined(__linux__)

#include "records/trace_collection.h"
#include "records/records.h"
#include "records/retain_ledger.h"
#include "records/thread.h"
#include "stacks/stacks.h"

enum step { BEGIN, NOTE_THREADS, WAIT_FOR_THREADS, RENEW, END, STEPS };

static struct {
    struct liveobj_lock lock; // held during a piece of work
    uint32_t holds;           // atomic
    enum step next_step;
    uint64_t begun_at;
    uint64_t not_before; // the next time at which a collection may begin
    uint64_t work;       // on the records in this collection, in nanoseconds
    uint32_t next_record;
} collection;

void liveobj_traces_visit_locks(liveobj_lock_visit_fn visit, void *context) {
    visit(context, &collection.lock);
}

/// A lock that cannot be had is that of a thread that left a piece of work by a jump: then there
/// are no others.
void liveobj_traces_hold(void) {
    bool is_locked = liveobj_lock_acquire(&collection.lock);
    // Relaxed: the lock orders it, and what is read after it.
    __atomic_fetch_add(&collection.holds, 1, __ATOMIC_RELAXED);
    if (is_locked)
        liveobj_lock_release(&collection.lock);
}

void liveobj_traces_release(void) {
    // Release: what the holder has read, it has read before the next piece of work.
    __atomic_fetch_sub(&collection.holds, 1, __ATOMIC_RELEASE);
}

// MARK: - The steps

static bool begin_round(uint64_t now) {
    static const uint64_t rest = 1000000000;
    if (now < collection.not_before)
        return false;
    collection.begun_at = now;
    collection.work = 0;
    collection.next_record = 1;
    bool has_begun = liveobj_stack_depot_begin_round();
    collection.not_before = has_begun ? 0 : now + rest;
    return has_begun;
}

static bool note_threads(uint64_t now) {
    static const uint64_t pause = 1000000;
    if (now - collection.begun_at < pause)
        return false;
    liveobj_threads_note_traces();
    return true;
}

/// \returns Whether the record had a trace to renew.
static bool renew_record(uint32_t index) {
    struct liveobj_object object;
    liveobj_ledger_renew_stacks(index);
    if (!liveobj_stack_depot_is_old(liveobj_records_stack(index)) ||
        !liveobj_records_get(index, &object) || !liveobj_stack_depot_is_old(object.stack))
        return false;
    liveobj_records_replace_stack(index, &object, liveobj_stack_depot_renew(object.stack));
    return true;
}

/// Renews a piece of the records: some microseconds, and yet so many that the pass is over before
/// new traces take much room.
static bool renew_some(uint64_t now) {
    enum { COST_OF_TRACE = 16, COST_OF_PIECE = 256 };
    uint32_t end = liveobj_records_end();
    for (uint32_t cost = 0; cost < COST_OF_PIECE && collection.next_record < end; cost++)
        cost += renew_record(collection.next_record++) ? COST_OF_TRACE : 0;
    collection.work += liveobj_os_time() - now;
    return collection.next_record >= end;
}

static bool end_round(uint64_t now) {
    enum { REST = 50 }; // times the work: where nearly all is live, 2 % of the time are spent on it
    if (liveobj_stack_depot_end_round())
        collection.not_before = now + REST * collection.work;
    return true;
}

/// Does a piece of a step. \returns Whether the step is complete.
static bool run_collection_step(enum step step, uint64_t now) {
    switch (step) {
    case BEGIN:
        return begin_round(now);
    case NOTE_THREADS:
        return note_threads(now);
    case WAIT_FOR_THREADS:
        return liveobj_threads_have_ended_traces();
    case RENEW:
        return renew_some(now);
    default:
        return end_round(now);
    }
}

LIVEOBJ_HOOK void liveobj_traces_advance(void) {
    if (liveobj_lock_try(&collection.lock)) {
        // Acquire: pairs with the release of a holder.
        bool is_held = __atomic_load_n(&collection.holds, __ATOMIC_ACQUIRE) > 0;
        if (!is_held && run_collection_step(collection.next_step, liveobj_os_time()))
            collection.next_step = (collection.next_step + 1) % STEPS;
        liveobj_lock_release(&collection.lock);
    }
    LIVEOBJ_STORE_RELAXED(liveobj_stack_depot_is_due, false); // renewed traces have set it
}

void liveobj_traces_end_collections(void) {
    liveobj_traces_hold();
    if (liveobj_stack_depot_round == 0)
        liveobj_stack_depot_use_one_space();
}

#endif

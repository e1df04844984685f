// trace_collection.c - owns the collection of stack traces. See trace_collection.h.
//
// The steps:
//   1. begin a round: new traces go to the other space of the depot
//   2. wait until no thread is in a hook that began before
//   3. store the traces of live objects again, in the new space, and replace their ids
//   4. empty the old space
// No thread uses an id of the old space after step 2, so one pass over the records finds all. Where
// a thread stays in a hook (a signal handler that interrupted it goes on for long), step 2 is tried
// again at the next call, and until then both spaces are in use.
//
// A record's id is replaced by a compare-and-swap of the word that holds it. Another object may
// have taken over the record meanwhile: then the word has another value, and stays; or the same
// one, and the same trace is replaced by the same one. A free record's word means nothing.
//
// A thread in a hook never waits for a collection, only for single insertions into the depot and
// for the calls of one object in the ledger. A forked child does not collect: it has no thread for
// that. Both spaces stay in use there.

#if defined(__linux__)

#include "records/trace_collection.h"
#include "records/records.h"
#include "records/retain_ledger.h"
#include "records/thread.h"
#include "stacks/stacks.h"

static struct {
    bool has_begun;      // a round has begun, and the one before it has not ended
    bool is_running;     // ids and traces are being changed; atomic
    uint32_t holds;      // atomic
    uint64_t not_before; // the next time at which a collection may begin
} collection;

bool liveobj_traces_start_collected(uint64_t max_bytes) {
    liveobj_traces_are_collected = liveobj_stack_depot_start_collected(max_bytes);
    return liveobj_traces_are_collected;
}

// MARK: - Exclusion

bool liveobj_traces_hold(uint64_t deadline) {
    static const uint64_t nap = 1000000;
    // Sequentially consistent, as in `exclude_holders`: one of the two sees the other.
    __atomic_fetch_add(&collection.holds, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&collection.is_running, __ATOMIC_SEQ_CST)) {
        if (liveobj_os_time() >= deadline) {
            liveobj_traces_release();
            return false;
        }
        liveobj_os_sleep(nap);
    }
    return true;
}

void liveobj_traces_release(void) {
    // Release: what the holder has read, it has read before the next collection.
    __atomic_fetch_sub(&collection.holds, 1, __ATOMIC_RELEASE);
}

static void end_exclusion(void) {
    // A holder that sees it sees the new ids and traces.
    __atomic_store_n(&collection.is_running, false, __ATOMIC_SEQ_CST);
}

static bool exclude_holders(void) {
    __atomic_store_n(&collection.is_running, true, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&collection.holds, __ATOMIC_SEQ_CST) == 0)
        return true;
    end_exclusion();
    return false;
}

// MARK: - The pass over the records

static void renew_record(uint32_t index) {
    struct liveobj_object object;
    if (liveobj_stack_depot_is_old(liveobj_records_stack(index)) &&
        liveobj_records_get(index, &object) && liveobj_stack_depot_is_old(object.stack))
        liveobj_records_replace_stack(index, &object, liveobj_stack_depot_renew(object.stack));
}

static void renew_records(void) {
    uint32_t end = liveobj_records_end();
    for (uint32_t index = 1; index < end; index++) {
        renew_record(index);
        liveobj_ledger_renew_stacks(index);
    }
}

// MARK: - The collection

/// \returns Whether a round has begun and no thread uses the one before it.
static bool begin(void) {
    static const uint64_t patience = 20000000;
    if (!collection.has_begun)
        collection.has_begun = liveobj_os_time() >= collection.not_before &&
                               liveobj_stack_depot_is_worth_a_collection() &&
                               liveobj_stack_depot_begin_round();
    return collection.has_begun && liveobj_threads_wait_for_traces(liveobj_os_time() + patience);
}

static void collect(void) {
    enum { REST = 50 }; // times the work: a heap full of live traces costs 2 % of a processor
    uint32_t thread = liveobj_os_thread_id();
    uint64_t start = liveobj_os_thread_time(thread);
    renew_records();
    liveobj_stack_depot_end_round();
    collection.has_begun = false;
    uint64_t work = liveobj_os_thread_time(thread) - start;
    collection.not_before = liveobj_os_time() + REST * work;
}

bool liveobj_traces_collect_if_needed(void) {
    if (!liveobj_traces_are_collected)
        return false;
    if (!begin() || !exclude_holders())
        return false;
    collect();
    end_exclusion();
    return true;
}

void liveobj_traces_after_fork_child(void) {
    collection.is_running = false;
}

#endif

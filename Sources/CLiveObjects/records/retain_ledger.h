// retain_ledger.h - counts the retains and releases of an object by call site.
//
// Only objects of watched types (watched_types.h) have an account. It counts each retain and
// release that the hooks see once: under the stack trace of the call, or, if that was not recorded
// or had no room, in the object's counters without a site. So the sums are exact, up to 2^32 - 1
// retains of an object at a call site. An account is closed when its object's memory is freed.

#pragma once

#include "metadata/watched_types.h"
#include "os/compiler.h"
#include "os/os.h"

#pragma GCC visibility push(hidden)

/// An object's account. The lock of its stripe guards its blocks.
struct liveobj_account {
    uint32_t first_block; // 0: there is no account; atomic
    uint32_t block_count;
    uint32_t retains; // those without a site; atomic
    uint32_t releases;
};

/// Set before the first hook is installed, constant from then on.
struct liveobj_ledger {
    struct liveobj_account *accounts; // by record index; NULL if retains are not recorded
};
extern struct liveobj_ledger liveobj_ledger;

/// \param record_limit The bound of all record indices, present and future.
/// \param record_room The bound of the indices that have memory now.
/// \param types Patterns; NULL for all types.
/// \returns false if there is no memory.
bool liveobj_ledger_start(uint32_t record_limit, uint32_t record_room, const char *types);
/// Makes room for the accounts of records below `record_count`. Called before such records exist.
LIVEOBJ_HOOK bool liveobj_ledger_make_room(uint32_t record_count);

/// Open and close a record's account. The thread's guard must be set.
LIVEOBJ_HOOK void liveobj_ledger_open(uint32_t record);
LIVEOBJ_HOOK void liveobj_ledger_close(uint32_t record);
/// Closes an account on a thread that may be at work for the recorder. If that is impossible now,
/// the account is closed when its record is reused.
LIVEOBJ_HOOK void liveobj_ledger_try_close(uint32_t record);

/// Adds to an object's counts.
/// \param stack The id of the call's stack trace; 0 for none. A signal handler that may have
/// interrupted the ledger must pass 0.
LIVEOBJ_HOOK void liveobj_ledger_add(uint32_t record, uint32_t stack, uint32_t retains,
                                     uint32_t releases);

/// Relaxed: an object that is retained was allocated before, and is not deallocated meanwhile.
static inline bool liveobj_ledger_has(uint32_t record) {
    return __atomic_load_n(&liveobj_ledger.accounts[record].first_block, __ATOMIC_RELAXED) != 0;
}

/// Opens the account of a new object of a watched type. A reused record may still have the account
/// of an object whose deallocation was missed; that one is closed first.
static inline void liveobj_ledger_allocated(uint32_t record, uintptr_t metadata) {
    if (LIVEOBJ_LIKELY(!liveobj_ledger.accounts))
        return;
    if (LIVEOBJ_UNLIKELY(liveobj_ledger_has(record)))
        liveobj_ledger_close(record);
    if (liveobj_watches_type(metadata))
        liveobj_ledger_open(record);
}

static inline void liveobj_ledger_deallocated(uint32_t record) {
    if (LIVEOBJ_UNLIKELY(liveobj_ledger.accounts && liveobj_ledger_has(record)))
        liveobj_ledger_close(record);
}

typedef void (*liveobj_ledger_visit_fn)(void *context, uint32_t stack, uint32_t retains,
                                        uint32_t releases);
/// Calls `visit` for every call site in the account; stack 0 is for the counts without a site. Must
/// be called outside of hooks, with the guard set.
void liveobj_ledger_visit(uint32_t record, liveobj_ledger_visit_fn visit, void *context);

/// Replaces the ids of stack traces that are old (stacks.h).
LIVEOBJ_HOOK void liveobj_ledger_renew_stacks(uint32_t record);

void liveobj_ledger_visit_locks(liveobj_lock_visit_fn visit, void *context);

#pragma GCC visibility pop

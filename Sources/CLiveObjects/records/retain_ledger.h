// retain_ledger.h - who retained and released an object, by call site.
//
// Only objects of watched types (watched_types.h) have an account. Every retain and release that
// the hooks see is in it, once: under the stack trace of its call, or, where that was not recorded
// or found no room, in the object's rest, so that the sum is always exact. An account is closed
// when its object's memory goes.

#ifndef LIVEOBJ_RETAIN_LEDGER_H
#define LIVEOBJ_RETAIN_LEDGER_H

#include "metadata/watched_types.h"
#include "os/compiler.h"
#include "os/os.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// An object's account, whose blocks its stripe's lock guards.
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

/// \param record_limit the greatest record index that there can be, plus one.
/// \param record_room the same at present.
/// \param types patterns; NULL for all types.
/// \returns false if there is no memory for it.
bool liveobj_ledger_start(uint32_t record_limit, uint32_t record_room, const char *types);
/// Makes room for the accounts of records below `record_count`, before there are such records.
LIVEOBJ_HOOK bool liveobj_ledger_make_room(uint32_t record_count);

/// Both with the thread's guard set.
LIVEOBJ_HOOK void liveobj_ledger_open(uint32_t record);
LIVEOBJ_HOOK void liveobj_ledger_close(uint32_t record);
/// The same on behalf of a thread that may be at work for the recorder. An account that cannot be
/// closed now is when its record is used again.
LIVEOBJ_HOOK void liveobj_ledger_try_close(uint32_t record);

/// \param stack the id of the call's stack trace; 0 for none. Only then may a signal handler call
/// this that interrupted the ledger.
LIVEOBJ_HOOK void liveobj_ledger_add(uint32_t record, uint32_t stack, uint32_t retains,
                                     uint32_t releases);

/// Relaxed: an object that is retained was allocated before, and is not freed meanwhile.
static inline bool liveobj_ledger_has(uint32_t record) {
    return __atomic_load_n(&liveobj_ledger.accounts[record].first_block, __ATOMIC_RELAXED) != 0;
}

/// A record that was used before may have an account left, of an object whose death was missed.
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

/// Calls `visit` for every call site in the account; stack 0 stands for the rest. Outside of hooks,
/// with the guard set.
typedef void (*liveobj_ledger_visit_fn)(void *context, uint32_t stack, uint32_t retains,
                                        uint32_t releases);
void liveobj_ledger_visit(uint32_t record, liveobj_ledger_visit_fn visit, void *context);

void liveobj_ledger_visit_locks(liveobj_lock_visit_fn visit, void *context);

#pragma GCC visibility pop

#endif

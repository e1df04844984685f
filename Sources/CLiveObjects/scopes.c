// scopes.c - owns the scopes: how many there are, which was opened in which, and which are known.
//
// A scope is a number. Its parent, a smaller number, is kept for as long as the process lives,
// since objects name scopes long after they have ended; so is whether what it leaves behind is
// known, in the same word. Outside of hooks, from any thread; never forgets, so that
// nothing has to be locked.

#if defined(__linux__)

#include "scopes.h"
#include "records.h"

/// More than any process opens; address space only, four bytes each.
enum { SCOPES_LIMIT = 1 << 24 };

/// Beside the parent; above all scopes.
static const uint32_t KNOWN = 1u << 31;

static struct {
    uint32_t count;    // atomic
    uint32_t *parents; // by scope; atomic, as it is made by the first who needs it
} scopes;

static uint32_t *parents(void) {
    // Acquire: pairs with the exchange below; the mapping's zeros are there.
    uint32_t *known = __atomic_load_n(&scopes.parents, __ATOMIC_ACQUIRE);
    if (known)
        return known;
    uint32_t *made = liveobj_os_map(SCOPES_LIMIT * sizeof *made);
    if (made && !__atomic_compare_exchange_n(&scopes.parents, &known, made, false, __ATOMIC_ACQ_REL,
                                             __ATOMIC_ACQUIRE)) {
        liveobj_os_unmap(made, SCOPES_LIMIT * sizeof *made);
        return known;
    }
    return made;
}

uint32_t liveobj_scope_open(uint32_t parent) {
    // Relaxed: the number alone matters.
    uint32_t scope = __atomic_add_fetch(&scopes.count, 1, __ATOMIC_RELAXED);
    if (parent && scope < SCOPES_LIMIT && parents())
        LIVEOBJ_SET(scopes.parents[scope], parent);
    return scope;
}

uint32_t liveobj_scope_parent(uint32_t scope) {
    const uint32_t *known = __atomic_load_n(&scopes.parents, __ATOMIC_ACQUIRE);
    return known && scope < SCOPES_LIMIT ? LIVEOBJ_GET(known[scope]) & ~KNOWN : 0;
}

void liveobj_scope_set_known(uint32_t scope) {
    // Relaxed: whoever reads it in a capture comes later on the same thread, or takes what is
    // there.
    if (scope && scope < SCOPES_LIMIT && parents())
        __atomic_fetch_or(&scopes.parents[scope], KNOWN, __ATOMIC_RELAXED);
}

bool liveobj_scope_is_known(uint32_t scope) {
    const uint32_t *kept = __atomic_load_n(&scopes.parents, __ATOMIC_ACQUIRE);
    return kept && scope < SCOPES_LIMIT && LIVEOBJ_GET(kept[scope]) & KNOWN;
}

bool liveobj_scope_is_within(uint32_t scope, uint32_t outer) {
    while (scope > outer)
        scope = liveobj_scope_parent(scope);
    return scope == outer;
}

uint32_t liveobj_scopes_last(void) {
    uint32_t count = __atomic_load_n(&scopes.count, __ATOMIC_RELAXED);
    return count < SCOPES_LIMIT ? count : SCOPES_LIMIT - 1;
}

#endif

// scopes.c - owns the scopes: how many there are, which was opened in which, and what is known of
// which.
//
// A scope is a number. Its parent, a smaller number, is kept for as long as the process lives,
// since objects name scopes long after they have ended; so is up to when what it left behind is
// known. Outside of hooks, from any thread; never forgets, so that nothing has to be locked.

#if defined(__linux__)

#include "scopes.h"
#include "records.h"

/// More than any process opens; address space only, four bytes each, and eight where any is known.
enum { SCOPES_LIMIT = 1 << 24 };

static struct {
    uint32_t count; // atomic
    // By scope; atomic, as each is made by the first who needs it.
    void *parents; // uint32_t
    void *marks;   // uint64_t: what is older is known
} scopes;

/// A table with room for all scopes; NULL without memory.
static void *make_table(void **table, size_t width) {
    // Acquire: pairs with the exchange below; the mapping's zeros are there.
    void *kept = __atomic_load_n(table, __ATOMIC_ACQUIRE);
    if (kept)
        return kept;
    void *made = liveobj_os_map(SCOPES_LIMIT * width);
    if (made && !__atomic_compare_exchange_n(table, &kept, made, false, __ATOMIC_ACQ_REL,
                                             __ATOMIC_ACQUIRE)) {
        liveobj_os_unmap(made, SCOPES_LIMIT * width);
        return kept;
    }
    return made;
}

uint32_t liveobj_scope_open(uint32_t parent) {
    // Relaxed: the number alone matters.
    uint32_t scope = __atomic_add_fetch(&scopes.count, 1, __ATOMIC_RELAXED);
    bool is_kept = parent && scope < SCOPES_LIMIT;
    uint32_t *parents = is_kept ? make_table(&scopes.parents, sizeof *parents) : NULL;
    if (parents)
        LIVEOBJ_SET(parents[scope], parent);
    return scope;
}

uint32_t liveobj_scope_parent(uint32_t scope) {
    const uint32_t *parents = __atomic_load_n(&scopes.parents, __ATOMIC_ACQUIRE);
    return parents && scope < SCOPES_LIMIT ? LIVEOBJ_GET(parents[scope]) : 0;
}

void liveobj_scope_set_known(uint32_t scope) {
    bool is_kept = scope && scope < SCOPES_LIMIT;
    uint64_t *marks = is_kept ? make_table(&scopes.marks, sizeof *marks) : NULL;
    // Relaxed: whoever reads it in a capture comes later on the same thread, or takes what is
    // there.
    if (marks)
        LIVEOBJ_SET(marks[scope], liveobj_sequence_mark());
}

uint64_t liveobj_scope_known_before(uint32_t scope) {
    const uint64_t *marks = __atomic_load_n(&scopes.marks, __ATOMIC_ACQUIRE);
    return marks && scope < SCOPES_LIMIT ? LIVEOBJ_GET(marks[scope]) : 0;
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

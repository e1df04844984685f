// scopes.c - owns the scopes: their number, their parents, and the marks of known issues.
//
// A scope is a number. Its parent, a smaller number, is kept until the process ends, because
// objects name scopes long after those have ended. The same holds for the mark below which its
// survivors are a known issue. Functions may be called from any thread, but not in hooks. Readers
// take no lock: nothing is removed.

#if defined(__linux__)

#include "records/scopes.h"
#include "os/arena.h"
#include "os/compiler.h"
#include "records/thread.h"

/// More than any process opens.
enum { SCOPES_LIMIT = 1 << 24 };

/// An array by scope. Scopes without an entry read as 0.
struct table {
    struct liveobj_arena arena;
    size_t width;
};

static struct {
    struct liveobj_lock lock; // guards the tables' growth, not their entries
    uint32_t count;           // atomic
    struct table parents;     // uint32_t
    struct table marks;       // uint64_t: objects with smaller sequence numbers are a known issue
} scopes = {.parents.width = sizeof(uint32_t), .marks.width = sizeof(uint64_t)};

/// A scope's entry; NULL if the table is not so long.
static void *find_scope(const struct table *table, uint32_t scope) {
    size_t at = scope * table->width;
    return at + table->width <= liveobj_arena_bytes(&table->arena) ? table->arena.start + at : NULL;
}

static bool make_scope_room_locked(struct table *table, uint32_t scope) {
    if (!table->arena.most && !liveobj_arena_start(&table->arena, SCOPES_LIMIT * table->width))
        return false;
    return liveobj_arena_grow(&table->arena, (scope + 1) * table->width);
}

/// A scope's entry in a table that is made long enough; NULL without memory.
static void *scope_slot(struct table *table, uint32_t scope) {
    void *slot = find_scope(table, scope);
    if (slot || scope >= SCOPES_LIMIT || !liveobj_lock_acquire(&scopes.lock))
        return slot;
    make_scope_room_locked(table, scope);
    liveobj_lock_release(&scopes.lock);
    return find_scope(table, scope);
}

void liveobj_scopes_visit_locks(liveobj_lock_visit_fn visit, void *context) {
    visit(context, &scopes.lock);
}

uint32_t liveobj_scope_open(uint32_t parent) {
    // Relaxed: only the number itself matters.
    uint32_t scope = __atomic_add_fetch(&scopes.count, 1, __ATOMIC_RELAXED);
    uint32_t *slot = parent ? scope_slot(&scopes.parents, scope) : NULL;
    if (slot)
        LIVEOBJ_STORE_RELAXED(*slot, parent);
    return scope;
}

uint32_t liveobj_scope_parent(uint32_t scope) {
    const uint32_t *parent = find_scope(&scopes.parents, scope);
    return parent ? LIVEOBJ_LOAD_RELAXED(*parent) : 0;
}

void liveobj_scope_set_known_issue(uint32_t scope) {
    uint64_t *mark = scope ? scope_slot(&scopes.marks, scope) : NULL;
    // Relaxed: a reader in a capture runs later on the same thread, or may miss the newest mark.
    if (mark)
        LIVEOBJ_STORE_RELAXED(*mark, liveobj_sequence_mark());
}

uint64_t liveobj_scope_known_before(uint32_t scope) {
    const uint64_t *mark = find_scope(&scopes.marks, scope);
    return mark ? LIVEOBJ_LOAD_RELAXED(*mark) : 0;
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

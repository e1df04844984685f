// retain_ledger.c - owns the accounts of the objects whose retains are recorded, and their call
// sites. See retain_ledger.h.
//
// An account's sites lie in blocks of five, one cache line each. In addition to its stack trace, a
// retain costs the cache misses on the way to its site, and most objects are used from few places.
// All data of one record is guarded by one lock: that of the stripe that the low bits of its index
// choose. A thread that holds a stripe's lock takes no other lock, except the one for more blocks
// and the depot's, and has the thread's guard set.
//
// Memory is bounded, in all (BLOCKS) and per object (BLOCKS_OF_ACCOUNT). Beyond a bound, calls from
// new sites are added to the object's counts without a site.

#if defined(__linux__)

#include "records/retain_ledger.h"
#include "os/arena.h"
#include "records/thread.h"
#include "stacks/stacks.h"

/// The trace of a site whose trace could not be stored: no trace has this id.
#define LOST_STACK UINT32_MAX

enum {
    STRIPES = 256,
    SITES = 5,
    BLOCKS = 1 << 25,
    BLOCKS_OF_ACCOUNT = 128,
    CHUNK = 16,   // blocks that a stripe takes together
    NO_BLOCK = 1, // the end of an account's blocks: blocks[1] is never used
};

struct site {
    uint32_t stack; // 0: this site and all later ones of the block are free
    uint32_t retains;
    uint32_t releases;
};

struct block {
    uint32_t next; // of the account, or the next free one
    struct site sites[SITES];
};
_Static_assert(sizeof(struct block) == 64, "a cache line");

struct stripe {
    _Alignas(64) struct liveobj_lock lock;
    uint32_t free_blocks; // 0 at the end
    uint32_t chunk_next;  // this stripe's unused blocks: [chunk_next, chunk_end)
    uint32_t chunk_end;
};

struct liveobj_ledger liveobj_ledger;
static struct stripe stripes[STRIPES];
static struct liveobj_arena account_arena; // grows with the records, under their lock
static struct liveobj_arena block_arena;
static struct liveobj_lock block_lock; // guards what follows; its holder takes no other
static struct block *blocks;
static uint32_t blocks_taken = NO_BLOCK + 1;

// MARK: - Start

bool liveobj_ledger_start(uint32_t record_limit, uint32_t record_room, const char *types) {
    uint64_t account_bytes = (uint64_t)record_limit * sizeof *liveobj_ledger.accounts;
    if (!liveobj_watched_types_start(types) ||
        !liveobj_arena_start(&block_arena, BLOCKS * sizeof *blocks) ||
        !liveobj_arena_start(&account_arena, account_bytes))
        return false;
    blocks = (struct block *)(void *)block_arena.start;
    liveobj_ledger.accounts = (struct liveobj_account *)(void *)account_arena.start;
    return liveobj_ledger_make_room(record_room);
}

LIVEOBJ_HOOK bool liveobj_ledger_make_room(uint32_t record_count) {
    return !liveobj_ledger.accounts ||
           liveobj_arena_grow(&account_arena, record_count * sizeof *liveobj_ledger.accounts);
}

// MARK: - Sites

static struct stripe *stripe_of(uint32_t record) {
    return &stripes[record % STRIPES];
}

static bool take_chunk_locked(struct stripe *stripe) {
    if (!liveobj_lock_acquire(&block_lock))
        return false;
    uint32_t start = blocks_taken;
    bool has_room = liveobj_arena_grow(&block_arena, (start + CHUNK) * sizeof *blocks);
    blocks_taken += has_room ? CHUNK : 0;
    liveobj_lock_release(&block_lock);
    stripe->chunk_next = start;
    stripe->chunk_end = has_room ? start + CHUNK : start;
    return has_room;
}

/// \returns 0 if there is none left.
static uint32_t take_block_locked(struct stripe *stripe) {
    uint32_t id = stripe->free_blocks;
    if (id) {
        stripe->free_blocks = blocks[id].next;
        return id;
    }
    if (stripe->chunk_next == stripe->chunk_end && !take_chunk_locked(stripe))
        return 0;
    return stripe->chunk_next++;
}

/// True for a block; false for the end of an account's blocks, and for an account that was closed
/// meanwhile.
static bool is_block(uint32_t id) {
    return id > NO_BLOCK;
}

/// Adds a block with one site at the account's head.
static struct site *add_block_locked(uint32_t record, uint32_t stack) {
    struct liveobj_account *account = &liveobj_ledger.accounts[record];
    bool has_room = account->block_count < BLOCKS_OF_ACCOUNT;
    uint32_t id = has_room ? take_block_locked(stripe_of(record)) : 0;
    if (!id)
        return NULL;
    blocks[id] = (struct block){.next = account->first_block, .sites = {{.stack = stack}}};
    account->block_count++;
    LIVEOBJ_STORE_RELAXED(account->first_block, id);
    return &blocks[id].sites[0];
}

static struct site *find_site(uint32_t first_block, uint32_t stack) {
    for (uint32_t id = first_block; is_block(id); id = blocks[id].next)
        for (struct site *site = blocks[id].sites; site < blocks[id].sites + SITES; site++)
            if (site->stack == stack)
                return site;
    return NULL;
}

/// Finds or adds a site. Only the first block of an account has free sites.
/// \returns NULL if there is no room, or the account was closed.
static struct site *site_locked(uint32_t record, uint32_t stack) {
    uint32_t first = liveobj_ledger.accounts[record].first_block;
    struct site *site = find_site(first, stack);
    if (site || !first)
        return site;
    struct site *last = first == NO_BLOCK ? NULL : &blocks[first].sites[SITES - 1];
    if (!last || last->stack)
        return add_block_locked(record, stack);
    site = blocks[first].sites;
    while (site->stack)
        site++;
    site->stack = stack;
    return site;
}

// MARK: - In hooks

LIVEOBJ_HOOK void liveobj_ledger_open(uint32_t record) {
    struct liveobj_account *account = &liveobj_ledger.accounts[record];
    // The lock keeps out a reader of the account that the record's previous object had.
    if (!liveobj_lock_acquire(&stripe_of(record)->lock))
        return;
    LIVEOBJ_STORE_RELAXED(account->retains, 0);
    LIVEOBJ_STORE_RELAXED(account->releases, 0);
    account->block_count = 0;
    LIVEOBJ_STORE_RELAXED(account->first_block, NO_BLOCK);
    liveobj_lock_release(&stripe_of(record)->lock);
}

LIVEOBJ_HOOK void liveobj_ledger_close(uint32_t record) {
    struct liveobj_account *account = &liveobj_ledger.accounts[record];
    struct stripe *stripe = stripe_of(record);
    if (!liveobj_lock_acquire(&stripe->lock))
        return;
    uint32_t id = account->first_block;
    LIVEOBJ_STORE_RELAXED(account->first_block, 0);
    while (is_block(id)) {
        uint32_t next = blocks[id].next;
        blocks[id].next = stripe->free_blocks;
        stripe->free_blocks = id;
        id = next;
    }
    liveobj_lock_release(&stripe->lock);
}

LIVEOBJ_HOOK void liveobj_ledger_try_close(uint32_t record) {
    struct liveobj_tls *tls = liveobj_tls_get();
    if (tls->guard) // a signal handler's thread may hold the stripe
        return;
    liveobj_guard_set(tls);
    liveobj_ledger_close(record);
    liveobj_guard_clear(tls);
}

/// A count that has reached its limit stays there: it must not begin again at 0.
static uint32_t limited_sum(uint32_t count, uint32_t more) {
    return count > UINT32_MAX - more ? UINT32_MAX : count + more;
}

static bool add_to_site(uint32_t record, uint32_t stack, uint32_t retains, uint32_t releases) {
    if (!liveobj_lock_acquire(&stripe_of(record)->lock))
        return false;
    struct site *site = site_locked(record, stack);
    if (site) {
        site->retains = limited_sum(site->retains, retains);
        site->releases = limited_sum(site->releases, releases);
    }
    liveobj_lock_release(&stripe_of(record)->lock);
    return site != NULL;
}

/// Relaxed: a count orders nothing.
static void add_to_count(uint32_t *count, uint32_t more) {
    uint32_t before = LIVEOBJ_LOAD_RELAXED(*count);
    while (!__atomic_compare_exchange_n(count, &before, limited_sum(before, more), true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

LIVEOBJ_HOOK void liveobj_ledger_add(uint32_t record, uint32_t stack, uint32_t retains,
                                     uint32_t releases) {
    if (stack && add_to_site(record, stack, retains, releases))
        return;
    struct liveobj_account *account = &liveobj_ledger.accounts[record];
    add_to_count(&account->retains, retains);
    add_to_count(&account->releases, releases);
}

// MARK: - Outside of hooks

static void visit_block(const struct block *block, liveobj_ledger_visit_fn visit, void *context) {
    for (const struct site *site = block->sites; site < block->sites + SITES && site->stack; site++)
        visit(context, site->stack, site->retains, site->releases);
}

void liveobj_ledger_visit(uint32_t record, liveobj_ledger_visit_fn visit, void *context) {
    if (!liveobj_ledger.accounts || !liveobj_ledger_has(record))
        return;
    const struct liveobj_account *account = &liveobj_ledger.accounts[record];
    if (!liveobj_lock_acquire(&stripe_of(record)->lock))
        return;
    for (uint32_t id = account->first_block; is_block(id); id = blocks[id].next)
        visit_block(&blocks[id], visit, context);
    liveobj_lock_release(&stripe_of(record)->lock);
    if (LIVEOBJ_LOAD_RELAXED(account->retains) || LIVEOBJ_LOAD_RELAXED(account->releases))
        visit(context, 0, LIVEOBJ_LOAD_RELAXED(account->retains),
              LIVEOBJ_LOAD_RELAXED(account->releases));
}

static void renew_block_locked(struct block *block) {
    for (struct site *site = block->sites; site < block->sites + SITES && site->stack; site++) {
        if (site->stack == LOST_STACK || !liveobj_stack_depot_is_old(site->stack))
            continue;
        uint32_t renewed = liveobj_stack_depot_renew(site->stack);
        site->stack = renewed ? renewed : LOST_STACK;
    }
}

LIVEOBJ_HOOK void liveobj_ledger_renew_stacks(uint32_t record) {
    if (!liveobj_ledger.accounts || !liveobj_ledger_has(record) ||
        !liveobj_lock_acquire(&stripe_of(record)->lock))
        return;
    uint32_t first = liveobj_ledger.accounts[record].first_block;
    for (uint32_t id = first; is_block(id); id = blocks[id].next)
        renew_block_locked(&blocks[id]);
    liveobj_lock_release(&stripe_of(record)->lock);
}

// MARK: - Fork

void liveobj_ledger_visit_locks(liveobj_lock_visit_fn visit, void *context) {
    for (uint32_t i = 0; i < STRIPES; i++)
        visit(context, &stripes[i].lock);
    visit(context, &block_lock); // last: it is taken under a stripe
}

#endif

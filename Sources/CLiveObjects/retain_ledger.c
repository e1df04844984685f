// retain_ledger.c - owns the accounts of the objects whose retains are recorded, and their call
// sites. See retain_ledger.h.
//
// A site is found through a hash table over (record, stack), and all sites of a record hang
// together as well, so that an account can be closed. All that belongs to one record lies under one
// lock, the stripe that the low bits of its index choose; whoever holds a stripe takes no other
// lock and has the thread's guard set, so that no signal handler of the same thread waits for it.
//
// What this can take is bounded: LIMIT sites, address space until they are used. When they are, new
// call sites go into the rest of their object.

#if defined(__linux__)

#include "retain_ledger.h"
#include "internal.h"
#include "records.h"

enum {
    STRIPE_BITS = 8,
    STRIPES = 1 << STRIPE_BITS,
    BUCKETS = 1 << 22,
    LIMIT = 1 << 26,
    LEAST = 1 << 16,
    CHUNK = 64,    // sites that a stripe takes at once
    LAST_SITE = 1, // stands for the end of an account's sites: sites[1] is never used
};

struct site {
    uint32_t record;
    uint32_t stack;
    uint32_t retains;
    uint32_t releases;
    uint32_t next_in_bucket;  // 0: none; of a free site, the next free one
    uint32_t next_of_account; // LAST_SITE: none
};

struct stripe {
    _Alignas(64) struct liveobj_lock lock;
    uint32_t free_sites;
    uint32_t chunk_next; // sites of its own that were never used: [chunk_next, chunk_end)
    uint32_t chunk_end;
};

struct liveobj_ledger liveobj_ledger;
static struct stripe stripes[STRIPES];
static uint32_t *buckets; // of a stripe are those with its number in the low bits
static struct site *sites;
static uint32_t site_limit;
static uint32_t sites_taken = LAST_SITE + 1; // atomic

// MARK: - Start

/// As many sites as the system grants.
static bool make_room_for_sites(void) {
    uint64_t limit = liveobj_os_reserve_limit();
    for (site_limit = LIMIT; !sites && site_limit >= LEAST; site_limit /= 2)
        if (site_limit * sizeof *sites <= limit)
            sites = liveobj_os_map(site_limit * sizeof *sites);
    site_limit *= 2; // undoes the last step of the loop
    return sites != NULL;
}

bool liveobj_ledger_start(uint32_t record_count, const char *types) {
    buckets = liveobj_os_map(BUCKETS * sizeof *buckets);
    if (!buckets || !make_room_for_sites() || !liveobj_watched_types_start(types))
        return false;
    liveobj_ledger.accounts = liveobj_os_map(record_count * sizeof *liveobj_ledger.accounts);
    return liveobj_ledger.accounts != NULL;
}

// MARK: - Sites

static struct stripe *stripe_of(uint32_t record) {
    return &stripes[record % STRIPES];
}

static uint32_t *bucket_of(uint32_t record, uint32_t stack) {
    uint64_t hash = (record ^ (uint64_t)stack << 32) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t high = (uint32_t)(hash >> 32) << STRIPE_BITS;
    return &buckets[(high | record % STRIPES) % BUCKETS];
}

static bool take_chunk_locked(struct stripe *stripe) {
    // Relaxed: the numbers alone are handed out.
    if (LIVEOBJ_GET(sites_taken) > site_limit - CHUNK)
        return false;
    uint32_t start = __atomic_fetch_add(&sites_taken, CHUNK, __ATOMIC_RELAXED);
    if (start > site_limit - CHUNK)
        return false;
    stripe->chunk_next = start;
    stripe->chunk_end = start + CHUNK;
    return true;
}

/// \returns 0 if there is none left.
static uint32_t take_site_locked(struct stripe *stripe) {
    uint32_t id = stripe->free_sites;
    if (id) {
        stripe->free_sites = sites[id].next_in_bucket;
        return id;
    }
    if (stripe->chunk_next == stripe->chunk_end && !take_chunk_locked(stripe))
        return 0;
    return stripe->chunk_next++;
}

static struct site *add_site_locked(uint32_t record, uint32_t stack, uint32_t *bucket) {
    struct liveobj_account *account = &liveobj_ledger.accounts[record];
    uint32_t id = take_site_locked(stripe_of(record));
    if (!id)
        return NULL;
    sites[id] = (struct site){record, stack, 0, 0, *bucket, account->first_site};
    *bucket = id;
    LIVEOBJ_SET(account->first_site, id);
    return &sites[id];
}

/// \returns NULL if there is no room for it.
static struct site *site_locked(uint32_t record, uint32_t stack) {
    uint32_t *bucket = bucket_of(record, stack);
    for (uint32_t id = *bucket; id; id = sites[id].next_in_bucket)
        if (sites[id].record == record && sites[id].stack == stack)
            return &sites[id];
    return add_site_locked(record, stack, bucket);
}

static void free_site_locked(uint32_t id) {
    struct site *site = &sites[id];
    uint32_t *link = bucket_of(site->record, site->stack);
    while (*link != id)
        link = &sites[*link].next_in_bucket;
    *link = site->next_in_bucket;
    struct stripe *stripe = stripe_of(site->record);
    site->next_in_bucket = stripe->free_sites;
    stripe->free_sites = id;
}

// MARK: - In hooks

LIVEOBJ_HOOK void liveobj_ledger_open(uint32_t record) {
    struct liveobj_account *account = &liveobj_ledger.accounts[record];
    LIVEOBJ_SET(account->retains, 0);
    LIVEOBJ_SET(account->releases, 0);
    LIVEOBJ_SET(account->first_site, LAST_SITE);
}

LIVEOBJ_HOOK void liveobj_ledger_close(uint32_t record) {
    struct liveobj_account *account = &liveobj_ledger.accounts[record];
    if (LIVEOBJ_GET(account->first_site) == LAST_SITE) { // an object that nobody uses any more
        LIVEOBJ_SET(account->first_site, 0);
        return;
    }
    liveobj_lock_acquire(&stripe_of(record)->lock);
    for (uint32_t id = account->first_site, next; id > LAST_SITE; id = next) {
        next = sites[id].next_of_account;
        free_site_locked(id);
    }
    LIVEOBJ_SET(account->first_site, 0);
    liveobj_lock_release(&stripe_of(record)->lock);
}

LIVEOBJ_HOOK void liveobj_ledger_try_close(uint32_t record) {
    struct liveobj_tls *tls = liveobj_tls_get();
    if (tls->guard) // a signal handler's thread may hold the stripe
        return;
    tls->guard = 1;
    liveobj_ledger_close(record);
    tls->guard = 0;
}

static bool add_to_site(uint32_t record, uint32_t stack, uint32_t retains, uint32_t releases) {
    liveobj_lock_acquire(&stripe_of(record)->lock);
    struct site *site = site_locked(record, stack);
    if (site) {
        site->retains += retains;
        site->releases += releases;
    }
    liveobj_lock_release(&stripe_of(record)->lock);
    return site != NULL;
}

LIVEOBJ_HOOK void liveobj_ledger_add(uint32_t record, uint32_t stack, uint32_t retains,
                                     uint32_t releases) {
    if (stack && add_to_site(record, stack, retains, releases))
        return;
    // Relaxed: a count orders nothing.
    struct liveobj_account *account = &liveobj_ledger.accounts[record];
    __atomic_fetch_add(&account->retains, retains, __ATOMIC_RELAXED);
    __atomic_fetch_add(&account->releases, releases, __ATOMIC_RELAXED);
}

// MARK: - Outside of hooks

void liveobj_ledger_visit(uint32_t record, liveobj_ledger_visit_fn visit, void *context) {
    if (!liveobj_ledger.accounts || !liveobj_ledger_has(record))
        return;
    const struct liveobj_account *account = &liveobj_ledger.accounts[record];
    liveobj_lock_acquire(&stripe_of(record)->lock);
    for (uint32_t id = account->first_site; id > LAST_SITE; id = sites[id].next_of_account)
        visit(context, sites[id].stack, sites[id].retains, sites[id].releases);
    liveobj_lock_release(&stripe_of(record)->lock);
    if (LIVEOBJ_GET(account->retains) || LIVEOBJ_GET(account->releases))
        visit(context, 0, LIVEOBJ_GET(account->retains), LIVEOBJ_GET(account->releases));
}

// MARK: - Fork

void liveobj_ledger_before_fork(void) {
    for (uint32_t i = 0; i < STRIPES; i++)
        liveobj_lock_acquire(&stripes[i].lock);
}

void liveobj_ledger_after_fork(void) {
    for (uint32_t i = 0; i < STRIPES; i++)
        liveobj_lock_release(&stripes[i].lock);
}

#endif

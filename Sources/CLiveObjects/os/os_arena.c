// os_arena.c - memory that is charged to the recorder; owns its count, and the addresses for
// arenas. See os.h.
//
// Address space is mapped when it is needed and not in advance, because a limit counts it, even a
// limit that the program sets later. An arena, which grows without moving, is far below the
// addresses that the system chooses for mappings, and is mapped piece by piece. If another mapping
// is in its way, it cannot grow further.
//
// Charged memory stays within a share of each limit. So a program that needs 95 % of RLIMIT_AS, or
// five sixths of its memory cgroup, runs as it does without the recorder. Beyond the share, records
// are dropped and counted. A budget is a limit for all memory that is written to; of sparse memory,
// for what was written to when it was last measured.

#if defined(__linux__)

#include "os/arena.h"
#include "os/os.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>

enum { SHARE_OF_ADDRESSES = 24, SHARE_OF_MEMORY = 16 };

// Read when the recorder starts.
static uint64_t promised_limit = UINT64_MAX;
static uint64_t memory_limit = UINT64_MAX;
static uint64_t budget = UINT64_MAX;

static uint64_t charged; // atomic
static uint64_t dense;   // the part that is written to throughout; atomic
static uint64_t sparse;  // what is in use of the other part; atomic
static bool was_short;   // atomic

void liveobj_os_read_limits(void) {
    promised_limit = liveobj_os_address_room().limit;
    memory_limit = liveobj_os_memory_room().room.limit;
}

uint64_t liveobj_os_memory_share(void) {
    struct sysinfo info;
    uint64_t all = sysinfo(&info) == 0 ? (uint64_t)info.totalram * info.mem_unit : UINT64_MAX;
    return (memory_limit < all ? memory_limit : all) / SHARE_OF_MEMORY;
}

bool liveobj_os_was_short_of_memory(void) {
    return __atomic_load_n(&was_short, __ATOMIC_RELAXED); // relaxed: nothing else depends on it
}

static void note_shortage(void) {
    __atomic_store_n(&was_short, true, __ATOMIC_RELAXED); // relaxed: see above
}

// MARK: - The share

LIVEOBJ_UNCHECKED_BEGIN
/// The limit of a resource; RLIM_INFINITY is the largest number.
LIVEOBJ_HOOK static uint64_t limit_of(int resource) {
    struct rlimit limit;
    int saved = errno;
    bool is_known = getrlimit(resource, &limit) == 0;
    errno = saved; // a filter of system calls may refuse this one
    return is_known ? limit.rlim_cur : UINT64_MAX;
}
LIVEOBJ_UNCHECKED_END

static uint64_t address_limit(void) {
    uint64_t space = limit_of(RLIMIT_AS), data = limit_of(RLIMIT_DATA);
    uint64_t limit = space < data ? space : data;
    return limit < promised_limit ? limit : promised_limit;
}

static bool add_within(uint64_t *counter, uint64_t bytes, uint64_t most) {
    // Relaxed: a count orders nothing.
    if (__atomic_add_fetch(counter, bytes, __ATOMIC_RELAXED) <= most)
        return true;
    __atomic_sub_fetch(counter, bytes, __ATOMIC_RELAXED);
    note_shortage();
    return false;
}

static void uncharge_memory(size_t bytes, bool is_dense) {
    __atomic_sub_fetch(&charged, bytes, __ATOMIC_RELAXED);
    __atomic_sub_fetch(&dense, is_dense ? bytes : 0, __ATOMIC_RELAXED);
}

/// Relaxed: threads that take memory at once may each take a last piece.
static bool is_within_budget(uint64_t bytes) {
    return LIVEOBJ_LOAD_RELAXED(dense) + LIVEOBJ_LOAD_RELAXED(sparse) + bytes <= budget;
}

/// Charges memory to the recorder. \returns false if it would exceed the share, or the budget.
static bool charge_memory(size_t bytes, bool is_dense) {
    if (!is_within_budget(is_dense ? bytes : 0))
        return false;
    if (!add_within(&charged, bytes, address_limit() / SHARE_OF_ADDRESSES))
        return false;
    if (!is_dense || add_within(&dense, bytes, memory_limit / SHARE_OF_MEMORY))
        return true;
    uncharge_memory(bytes, false);
    return false;
}

uint64_t liveobj_os_set_budget(uint64_t bytes) {
    uint64_t addresses = address_limit() / SHARE_OF_ADDRESSES;
    uint64_t share = memory_limit / SHARE_OF_MEMORY;
    share = share < addresses ? share : addresses;
    return budget = bytes < share ? bytes : share;
}

bool liveobj_os_prepay(uint64_t bytes) {
    return charge_memory(bytes, true);
}

void liveobj_os_set_sparse_bytes(uint64_t bytes) {
    LIVEOBJ_STORE_RELAXED(sparse, bytes);
}

LIVEOBJ_HOOK void *liveobj_os_map_charged(size_t bytes, bool is_dense) {
    if (!charge_memory(bytes, is_dense))
        return NULL;
    void *start = liveobj_os_map(bytes);
    if (start)
        return start;
    uncharge_memory(bytes, is_dense);
    note_shortage();
    return NULL;
}

LIVEOBJ_HOOK void liveobj_os_unmap_charged(void *start, size_t bytes, bool is_dense) {
    liveobj_os_unmap(start, bytes);
    uncharge_memory(bytes, is_dense);
}

// MARK: - Arenas

enum { PIECE_BYTES = 256 << 10, LARGE_PIECE_BYTES = 2 << 20, LARGE_FROM_BYTES = 4 << 20 };

static const uintptr_t FAR_BYTES = (uintptr_t)4 << 40;

/// Reserves addresses that are unlikely to be used: 4 TB below those at which the system maps
/// memory, but not below half of such an address. Lower still, ThreadSanitizer allows no mappings.
static uintptr_t take_addresses(size_t bytes) {
    static uintptr_t next; // atomic
    uintptr_t first = 0;
    if (__atomic_load_n(&next, __ATOMIC_RELAXED) == 0) {
        void *example = liveobj_os_map(LIVEOBJ_PAGE_BYTES);
        uintptr_t half = (uintptr_t)example / 2;
        uintptr_t below = (uintptr_t)example - (half < FAR_BYTES ? half : FAR_BYTES);
        below &= ~(uintptr_t)(LARGE_PIECE_BYTES - 1);
        liveobj_os_unmap(example, LIVEOBJ_PAGE_BYTES);
        __atomic_compare_exchange_n(&next, &first, below, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
    }
    return __atomic_fetch_add(&next, liveobj_round_up(bytes, LARGE_PIECE_BYTES) + LARGE_PIECE_BYTES,
                              __ATOMIC_RELAXED);
}

bool liveobj_arena_start(struct liveobj_arena *arena, uint64_t most_bytes) {
    static const uint64_t least = PIECE_BYTES;
    arena->most = (size_t)(most_bytes < least ? least : most_bytes);
    arena->start = (unsigned char *)take_addresses(arena->most);
    if (liveobj_arena_grow(arena, arena->is_prepaid ? arena->most : 1))
        return true;
    // The addresses are in use, or the system insists on its own choice: take any free ones.
    for (; arena->most >= least; arena->most /= 2) {
        arena->start = liveobj_os_find_room(arena->most);
        if (arena->start && liveobj_arena_grow(arena, arena->is_prepaid ? arena->most : 1))
            return true;
    }
    return false;
}

LIVEOBJ_HOOK bool liveobj_arena_grow(struct liveobj_arena *arena, size_t wanted) {
    size_t bytes = arena->bytes;
    size_t piece = bytes < LARGE_FROM_BYTES ? PIECE_BYTES : LARGE_PIECE_BYTES;
    size_t grown = liveobj_round_up(wanted, piece);
    grown = grown < arena->most ? grown : liveobj_round_up(arena->most, LIVEOBJ_PAGE_BYTES);
    if (wanted <= bytes)
        return true;
    if (wanted > arena->most || (!arena->is_prepaid && !charge_memory(grown - bytes, true)))
        return false;
    if (!liveobj_os_map_at(arena->start + bytes, grown - bytes)) {
        uncharge_memory(arena->is_prepaid ? 0 : grown - bytes, true);
        note_shortage();
        return false;
    }
    if (arena->is_for_self)
        liveobj_os_set_inherited(arena->start + bytes, grown - bytes, false);
    // Release: a reader of the count may use the bytes.
    __atomic_store_n(&arena->bytes, grown, __ATOMIC_RELEASE);
    return true;
}

LIVEOBJ_UNCHECKED_BEGIN
LIVEOBJ_HOOK void liveobj_arena_empty(struct liveobj_arena *arena) {
    int saved = errno;
    madvise(arena->start, arena->bytes, MADV_DONTNEED);
    errno = saved;
}
LIVEOBJ_UNCHECKED_END

#endif

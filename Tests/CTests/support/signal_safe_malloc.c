// signal_safe_malloc.c - an allocator that a signal handler may use, whatever it has interrupted:
// memory is handed out once and never again. For the tests of hooks in signal handlers.

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { HEADER_BYTES = 16, UNIT_BYTES = 32 };
#define ARENA_BYTES ((size_t)8 << 30) // address space until it is touched

static char *arena;
static size_t used; // atomic

__attribute__((constructor(101))) static void map_arena(void) {
    if (!arena)
        arena = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

static void *allocate(size_t alignment, size_t bytes) {
    map_arena(); // before any constructor there is one thread
    size_t unit = alignment > UNIT_BYTES ? alignment : UNIT_BYTES;
    size_t taken = HEADER_BYTES + bytes + unit + UNIT_BYTES;
    size_t at = __atomic_fetch_add(&used, taken / UNIT_BYTES * UNIT_BYTES, __ATOMIC_RELAXED);
    if (at + taken > ARENA_BYTES)
        return NULL;
    char *start = (char *)(((uintptr_t)arena + at + HEADER_BYTES + unit - 1) & ~(unit - 1));
    *(size_t *)(void *)(start - sizeof(size_t)) = bytes;
    return start;
}

void *malloc(size_t bytes) {
    return allocate(UNIT_BYTES, bytes);
}

void *calloc(size_t count, size_t bytes) {
    return allocate(UNIT_BYTES, count * bytes); // the arena is zeroed
}

void *realloc(void *old, size_t bytes) {
    void *new = allocate(UNIT_BYTES, bytes);
    size_t kept = old ? *(size_t *)(void *)((char *)old - sizeof(size_t)) : 0;
    if (new &&old)
        memcpy(new, old, kept < bytes ? kept : bytes);
    return new;
}

int posix_memalign(void **memory, size_t alignment, size_t bytes) {
    *memory = allocate(alignment, bytes);
    return *memory ? 0 : ENOMEM;
}

void free(void *memory) {
    (void)memory;
}

size_t malloc_usable_size(void *memory) {
    size_t bytes = memory ? *(size_t *)(void *)((char *)memory - sizeof(size_t)) : 0;
    return bytes > UNIT_BYTES - HEADER_BYTES ? bytes : UNIT_BYTES; // what begins apart
}

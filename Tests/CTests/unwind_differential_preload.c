// unwind_differential_preload.c - preloaded into any program, compares at each of its calls to
// malloc the recorder's stack trace with libunwind's, and says at exit how many there were and how
// many differed. UNWIND_DIFFERENTIAL names the file to append to; exits with 99 on any difference.

#define _GNU_SOURCE
#include "unwind_truth.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t bytes);

static struct truth truth;
static bool is_ready;
static uint64_t compared, differing;

static _Thread_local struct liveobj_stack_cache *cache
    __attribute__((tls_model("initial-exec")));
static _Thread_local bool is_inside __attribute__((tls_model("initial-exec")));

static void show(const char *title, const uintptr_t *addresses, size_t count) {
    dprintf(2, "  %s:", title);
    for (size_t i = 0; i < count; i++) {
        Dl_info info = {0};
        dladdr((void *)(addresses[i] - 1), &info);
        dprintf(2, "\n    %zu %#lx %s", i, addresses[i], info.dli_sname ? info.dli_sname : "?");
    }
    dprintf(2, "\n");
}

static void compare(struct liveobj_registers leaf) {
    uintptr_t ours[MAX_FRAMES], theirs[MAX_FRAMES];
    if (!cache)
        cache = liveobj_os_map(liveobj_stack_cache_bytes());
    size_t our_count = expand(liveobj_stack_trace_record(cache, leaf), ours);
    size_t their_count = truth_walk(&truth, leaf, theirs);
    __atomic_fetch_add(&compared, 1, __ATOMIC_RELAXED);
    // A stack of more than MAX_FRAMES is cut to `depth` frames.
    bool is_same = our_count == their_count || (their_count == MAX_FRAMES && our_count == 64);
    if (is_same && memcmp(ours, theirs, our_count * sizeof ours[0]) == 0)
        return;
    if (__atomic_fetch_add(&differing, 1, __ATOMIC_RELAXED) < 3) {
        show("recorder", ours, our_count);
        show("libunwind", theirs, their_count);
    }
}

__attribute__((noinline)) void *malloc(size_t bytes) {
    if (is_ready && !is_inside) {
        is_inside = true;
        compare(CALLER_REGISTERS());
        is_inside = false;
    }
    return __libc_malloc(bytes);
}

__attribute__((constructor)) static void start(void) {
    is_inside = true;
    is_ready = truth_load(&truth) &&
               liveobj_stacks_start(64, (uint64_t)1 << 30) == LIVEOBJ_STACKS_UNWIND;
    is_inside = false;
}

__attribute__((destructor)) static void finish(void) {
    is_ready = false;
    const char *path = getenv("UNWIND_DIFFERENTIAL");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file) {
        fprintf(file, "%lu compared, %lu differing, %u traces, %lu dropped\n", compared, differing,
                liveobj_stack_depot_last(), liveobj_stacks_dropped());
        fclose(file);
    }
    if (differing || liveobj_stacks_dropped())
        _exit(99);
}

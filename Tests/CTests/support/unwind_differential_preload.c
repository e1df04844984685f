// unwind_differential_preload.c - preloaded into any program, compares at its calls to
// malloc the recorder's stack trace with libunwind's, and reports at exit how many there were and
// how many differed. UNWIND_DIFFERENTIAL names the file to append to; exits with 99 on any
// difference.
//
// Some functions of the toolchain's Foundation have no unwind table. Both sides then take the frame
// pointer for one, and libunwind before 1.7 goes on with a wrong sp: behind such a function its
// frames are no measure. On aarch64 libunwind 1.8 ends in a function of the C library by finding
// the same frame again. Traces that differ only behind such frames are counted apart.
//
// A trace of a task goes on with the task's callers, which libunwind does not know: what is
// compared ends there.

#include "CLiveObjects.h"
#include "os/os.h"
#include "stacks/stack_walk.h"
#include "stacks/stacks.h"
#include "stacks/unwind_rules.h"
#include "unwind_truth.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t bytes);

static struct truth truth;
static bool is_ready;
static uint64_t calls, compared, differing, guessed;

static _Thread_local struct liveobj_stack_cache *cache __attribute__((tls_model("initial-exec")));
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

static bool is_same(const uintptr_t *ours, const uintptr_t *theirs, size_t count) {
    return memcmp(ours, theirs, count * sizeof *ours) == 0;
}

/// The frames up to the first whose code has no unwind table, and the one it was called from.
static size_t frames_with_table(const uintptr_t *addresses, size_t count) {
    size_t i = 0;
    while (i < count && liveobj_unwind_rule_find(addresses[i]).kind != LIVEOBJ_UNWIND_GUESS)
        i++;
    return i + 2;
}

/// The frames up to one that follows itself at the end.
static size_t frames_with_progress(const uintptr_t *addresses, size_t count) {
    return count > 1 && addresses[count - 1] == addresses[count - 2] ? count - 1 : count;
}

/// The frames inside of the one in which the runtime runs a task.
static size_t frames_of_task(const uintptr_t *addresses, size_t count) {
    size_t i = 0;
    while (i < count && liveobj_unwind_rule_find(addresses[i]).kind != LIVEOBJ_UNWIND_TASK)
        i++;
    return i;
}

static void compare(struct liveobj_registers leaf) {
    uintptr_t ours[MAX_FRAMES], theirs[MAX_FRAMES];
    if (!cache)
        cache = liveobj_os_map(sizeof *cache);
    size_t our_count = expand(liveobj_stack_trace_record(cache, leaf.pc, leaf.sp, leaf.fp), ours);
    size_t their_count = truth_walk(&truth, leaf, theirs);
    our_count = truth_count(ours, our_count, their_count);
    __atomic_fetch_add(&compared, 1, __ATOMIC_RELAXED);
    size_t task_count = frames_of_task(theirs, their_count);
    if (task_count < their_count && task_count < our_count)
        our_count = their_count = task_count;
    // A stack of more than MAX_FRAMES is cut to `depth` frames.
    bool is_cut = their_count == MAX_FRAMES && our_count == 64;
    if ((our_count == their_count || is_cut) && is_same(ours, theirs, our_count))
        return;
    size_t measured = frames_with_table(ours, our_count);
    size_t followed = frames_with_progress(theirs, their_count);
    if (followed < their_count && followed < measured)
        measured = followed;
    if (measured < our_count && measured <= their_count && is_same(ours, theirs, measured)) {
        __atomic_fetch_add(&guessed, 1, __ATOMIC_RELAXED);
        return;
    }
    if (__atomic_fetch_add(&differing, 1, __ATOMIC_RELAXED) < 3) {
        show("recorder", ours, our_count);
        show("libunwind", theirs, their_count);
    }
}

/// One call of 16 once many were compared: libunwind takes a millisecond for each on emulated
/// machines.
static bool is_due(void) {
    uint64_t call = __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
    return call < 100000 || call % 16 == 0;
}

__attribute__((noinline)) void *malloc(size_t bytes) {
    if (is_ready && !is_inside && is_due()) {
        is_inside = true;
        compare(CALLER_REGISTERS());
        is_inside = false;
    }
    return __libc_malloc(bytes);
}

__attribute__((constructor)) static void start(void) {
    is_inside = true;
    is_ready =
        truth_load(&truth) && liveobj_stacks_start(64, (uint64_t)1 << 30) == LIVEOBJ_STACKS_UNWIND;
    is_inside = false;
}

__attribute__((destructor)) static void finish(void) {
    is_ready = false;
    const char *path = getenv("UNWIND_DIFFERENTIAL");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file) {
        fprintf(
            file,
            "%lu compared, %lu differing, %lu differing behind frames that libunwind gets wrong\n",
            compared, differing, guessed);
        fclose(file);
    }
    if (differing || compared == 0 || liveobj_stack_depot_dropped())
        _exit(99);
}

// unwind.c - owns libunwind's functions; the one file that knows libunwind.
//
// It is never linked: a program that links it resolves _Unwind_RaiseException and _Unwind_Backtrace
// to it, and C++ exceptions of the host would run through another unwinder than before. dlopen with
// RTLD_LOCAL leaves the host's symbols alone. Headers are not needed: what is declared here has
// been the binary interface of libunwind.so.8 on x86_64 since 2014.
//
// The walk asks for it only where the unwind table needs a full machine: signal frames, frames
// whose CFA is computed by an expression or from another register than sp and fp. From such a frame
// on the whole rest of the trace is libunwind's, since it does not tell what it read to get there.

#if defined(__linux__)

#define _GNU_SOURCE
#include "unwind.h"

#if defined(__x86_64__)

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#define REGISTER_SP 7
#define REGISTER_PC 16
#define CACHE_PER_THREAD 2

// Larger than the library's own (ucontext_t, 968 bytes; 127 words).
struct context {
    _Alignas(16) unsigned char bytes[1024];
};
struct cursor {
    _Alignas(16) unsigned char bytes[1024];
};

// Said to be fit for hooks, which holds but for one thing: its tables are thread-local storage,
// which the dynamic linker may take from malloc when a thread comes here first. No call of malloc
// by the host is under way in a hook, so that is slow and not unsafe.
LIVEOBJ_HOOK typedef int get_context_fn(struct context *);
LIVEOBJ_HOOK typedef int init_local_fn(struct cursor *, struct context *);
LIVEOBJ_HOOK typedef int step_fn(struct cursor *);
LIVEOBJ_HOOK typedef int get_register_fn(struct cursor *, int number, uintptr_t *value);
typedef int set_caching_policy_fn(void *address_space, int policy);

static struct {
    get_context_fn *get_context;
    init_local_fn *init_local;
    step_fn *step;
    get_register_fn *get_register;
} libunwind;

static bool is_loaded;
static uint32_t threads_inside;

LIVEOBJ_HOOK bool liveobj_unwind_is_loaded(void) {
    // Acquire: the function pointers were stored before.
    return __atomic_load_n(&is_loaded, __ATOMIC_ACQUIRE);
}

/// Its first use of all sets up tables.
static void use_first(void) {
    struct liveobj_registers nowhere = {0, UINTPTR_MAX, 0};
    uintptr_t pc;
    liveobj_unwind_from(nowhere, &pc, 1);
}

/// Takes the lowest free descriptors, so that the next ones are high: libunwind opens a pipe to
/// probe memory with when it is set up, and keeps it.
/// \returns their number.
static int take_low_descriptors(int *taken, int capacity) {
    enum { PIPE_AND_A_FEW = 8 };
    struct rlimit limit = {0};
    getrlimit(RLIMIT_NOFILE, &limit);
    int count = 0;
    int descriptor = open("/", O_PATH | O_CLOEXEC);
    while (descriptor >= 0) {
        taken[count++] = descriptor;
        if (count == capacity || (rlim_t)descriptor + PIPE_AND_A_FEW >= limit.rlim_cur)
            break;
        descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    }
    return count;
}

static bool load(void) {
    void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
    libunwind.get_context = (get_context_fn *)dlsym(library, "_Ux86_64_getcontext");
    libunwind.init_local = (init_local_fn *)dlsym(library, "_ULx86_64_init_local");
    libunwind.step = (step_fn *)dlsym(library, "_ULx86_64_step");
    libunwind.get_register = (get_register_fn *)dlsym(library, "_ULx86_64_get_reg");
    set_caching_policy_fn *set_caching_policy =
        (set_caching_policy_fn *)dlsym(library, "_ULx86_64_set_caching_policy");
    void **address_space = dlsym(library, "_ULx86_64_local_addr_space");
    if (!libunwind.get_context || !libunwind.init_local || !libunwind.step ||
        !libunwind.get_register)
        return false;
    if (set_caching_policy && address_space)
        set_caching_policy(*address_space, CACHE_PER_THREAD);
    // Release: pairs with the acquire in liveobj_unwind_is_loaded.
    __atomic_store_n(&is_loaded, true, __ATOMIC_RELEASE);
    use_first();
    return true;
}

/// Keeps libunwind's pipe out of the program's way: it would shift the numbers of all its files,
/// and a program that closes every low descriptor and opens its own would have libunwind write to
/// those.
bool liveobj_unwind_start(void) {
    enum { MOST = 900 }; // below 1,024, for programs that use select
    int taken[MOST];
    int saved = errno;
    if (liveobj_unwind_is_loaded())
        return true;
    int count = take_low_descriptors(taken, MOST);
    bool loaded = load();
    while (count > 0)
        close(taken[--count]);
    errno = saved;
    return loaded;
}

static uintptr_t register_of(struct cursor *cursor, int number) {
    uintptr_t value = 0;
    return libunwind.get_register(cursor, number, &value) == 0 ? value : 0;
}

/// Steps outwards up to the frame; the frames between are ours and the hook's.
static bool step_to(struct cursor *cursor, struct liveobj_registers frame) {
    while (register_of(cursor, REGISTER_SP) < frame.sp)
        if (libunwind.step(cursor) <= 0)
            return false;
    return register_of(cursor, REGISTER_SP) == frame.sp &&
           register_of(cursor, REGISTER_PC) == frame.pc;
}

LIVEOBJ_UNCHECKED_BEGIN
LIVEOBJ_HOOK static int *host_errno(void) {
    return &errno; // a thread-local variable of libc
}
LIVEOBJ_UNCHECKED_END

LIVEOBJ_HOOK size_t liveobj_unwind_from(struct liveobj_registers frame, uintptr_t *pcs,
                                        size_t capacity) {
    struct context context;
    struct cursor cursor;
    size_t count = 0;
    if (!liveobj_unwind_is_loaded())
        return 0;
    int saved = *host_errno(); // libunwind tries memory out with system calls that may fail
    // Relaxed: the count is only read by a fork's child, which has no other threads.
    __atomic_fetch_add(&threads_inside, 1, __ATOMIC_RELAXED);
    libunwind.get_context(&context);
    if (libunwind.init_local(&cursor, &context) == 0 && step_to(&cursor, frame))
        while (count < capacity && libunwind.step(&cursor) > 0)
            pcs[count++] = register_of(&cursor, REGISTER_PC);
    __atomic_fetch_sub(&threads_inside, 1, __ATOMIC_RELAXED);
    *host_errno() = saved;
    return count;
}

void liveobj_unwind_after_fork_child(void) {
    // A thread that was inside may have held a lock which nobody releases in the child.
    if (threads_inside > 0)
        __atomic_store_n(&is_loaded, false, __ATOMIC_RELEASE);
    threads_inside = 0;
}

#else

bool liveobj_unwind_start(void) {
    return false;
}

LIVEOBJ_HOOK bool liveobj_unwind_is_loaded(void) {
    return false;
}

LIVEOBJ_HOOK size_t liveobj_unwind_from(struct liveobj_registers frame, uintptr_t *pcs,
                                        size_t capacity) {
    (void)frame;
    (void)pcs;
    (void)capacity;
    return 0;
}

void liveobj_unwind_after_fork_child(void) {}

#endif

#endif

// unwind.c - owns libunwind's functions; the only file that uses libunwind.
//
// libunwind is never linked. In a program that links it, _Unwind_RaiseException and
// _Unwind_Backtrace are libunwind's, so the program's C++ exceptions would use another unwinder
// than before. dlopen with RTLD_LOCAL does not change the program's symbols. Headers are not
// needed: the declarations here have been the binary interface of libunwind.so.8 since 2014.
//
// A walk uses libunwind only where the unwind table needs a full interpreter: for signal frames,
// and for frames whose CFA is computed by an expression or from another register than sp and fp.
// From such a frame on, libunwind lists the whole rest of the trace, because it does not report
// what it read to get there.

#if defined(__linux__)

#define _GNU_SOURCE
#include "arch/unwind.h"
#include "arch/assembly.h"
#include "arch/registers.h"
#include "stacks/stacks.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CACHE_PER_THREAD 2

#define NAME(name) LIVEOBJ_LIBUNWIND_PREFIX name
/// Without the L of names that are for the own process only.
#define SHARED_NAME(name) "_U" LIVEOBJ_LIBUNWIND_NAME "_" name

// Larger than the library's own (on aarch64: 992 bytes; 250 words).
struct context {
    _Alignas(16) unsigned char bytes[1024];
};
struct cursor {
    _Alignas(16) unsigned char bytes[2048];
};

__asm__(LIVEOBJ_LIBUNWIND_CONTEXT_ASSEMBLY);

// Declared fit for hooks, with one exception: libunwind's tables are thread-local storage, which
// the dynamic linker may allocate with malloc at a thread's first use. That is slow but safe,
// because the program is not inside malloc while a hook runs.
LIVEOBJ_HOOK typedef int get_context_fn(struct context *);
LIVEOBJ_HOOK typedef int init_local_fn(struct cursor *, struct context *);
LIVEOBJ_HOOK typedef int step_fn(struct cursor *);
LIVEOBJ_HOOK typedef int get_register_fn(struct cursor *, int number, uintptr_t *value);
typedef int set_caching_policy_fn(void *address_space, int policy);

/// The callbacks through which libunwind accesses the process. Only the fourth is replaced.
LIVEOBJ_HOOK typedef int access_memory_fn(void *space, uintptr_t address, uintptr_t *value,
                                          int is_write, void *cursor);
struct accessors {
    void *find_procedure;
    void *put_procedure;
    void *get_dynamic_procedures;
    access_memory_fn *access_memory;
};
typedef struct accessors *get_accessors_fn(void *address_space);

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

/// Makes libunwind set up its tables, which it does at its first use.
static void use_first(void) {
    struct liveobj_registers nowhere = {0, UINTPTR_MAX, 0};
    uintptr_t pc;
    liveobj_unwind_from(nowhere, &pc, 1);
}

// MARK: - Its memory
//
// libunwind checks whether memory is readable by writing from it to a pipe. If a program closes all
// descriptors, as daemons do, libunwind would write to the program's own files. So it reads through
// the function below, and does not use its pipe.

/// The page that was read last. A stack has few pages.
static __thread uintptr_t last_page __attribute__((tls_model("initial-exec")));

LIVEOBJ_UNCHECKED_BEGIN // a thread-local variable of this model is a plain load
LIVEOBJ_HOOK static uintptr_t *readable_page(void) {
    return &last_page;
}
LIVEOBJ_UNCHECKED_END

static bool is_memory(uintptr_t address) {
    uintptr_t page = address & ~(uintptr_t)(LIVEOBJ_PAGE_BYTES - 1);
    if (page == 0 || (page != *readable_page() && !liveobj_os_is_readable(address)))
        return false;
    *readable_page() = page;
    return true;
}

/// libunwind's callback that reads or writes a word, at any address.
LIVEOBJ_HOOK static int access_memory(void *space, uintptr_t address, uintptr_t *value,
                                      int is_write, void *cursor) {
    (void)space, (void)cursor;
    enum { REFUSED = -1 };
    if (!is_memory(address) || !is_memory(address + sizeof *value - 1))
        return REFUSED;
    // A program that uses libunwind itself may set registers that were saved to memory.
    if (is_write)
        memcpy((void *)address, value, sizeof *value);
    else
        memcpy(value, (const void *)address, sizeof *value);
    return 0;
}

/// The two lowest free descriptors. Version 1.6 opens its pipe when it is set up. If no other
/// thread opens files meanwhile, the pipe has these two and is closed again; otherwise it stays
/// open, unused.
struct lowest {
    int descriptors[2];
};

static struct lowest lowest_descriptors(void) {
    struct lowest lowest = {{open("/", O_PATH | O_CLOEXEC), open("/", O_PATH | O_CLOEXEC)}};
    close(lowest.descriptors[0]);
    close(lowest.descriptors[1]);
    return lowest;
}

static void close_pipe(struct lowest lowest) {
    struct stat ends[2];
    if (fstat(lowest.descriptors[0], &ends[0]) == 0 &&
        fstat(lowest.descriptors[1], &ends[1]) == 0 && S_ISFIFO(ends[0].st_mode) &&
        S_ISFIFO(ends[1].st_mode) && ends[0].st_ino == ends[1].st_ino) {
        close(lowest.descriptors[0]);
        close(lowest.descriptors[1]);
    }
}

/// Sets libunwind up to read through `access_memory`. \returns false if that is impossible.
static bool take_over_memory(void *library, void *address_space) {
    get_accessors_fn *get_accessors =
        (get_accessors_fn *)dlsym(library, SHARED_NAME("get_accessors"));
    if (!get_accessors)
        get_accessors = (get_accessors_fn *)dlsym(library, NAME("get_accessors"));
    bool is_alone = liveobj_os_is_single_threaded();
    struct lowest lowest = is_alone ? lowest_descriptors() : (struct lowest){{-1, -1}};
    struct accessors *accessors = get_accessors ? get_accessors(address_space) : NULL;
    if (accessors)
        __atomic_store_n(&accessors->access_memory, access_memory, __ATOMIC_RELEASE);
    if (is_alone)
        close_pipe(lowest);
    return accessors != NULL;
}

// MARK: - Start

static bool load(void) {
    void *library = dlopen(LIVEOBJ_LIBUNWIND_FILE, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
    libunwind.get_context = (get_context_fn *)liveobj_libunwind_context;
    if (!libunwind.get_context) // this library has it
        libunwind.get_context = (get_context_fn *)dlsym(library, SHARED_NAME("getcontext"));
    libunwind.init_local = (init_local_fn *)dlsym(library, NAME("init_local"));
    libunwind.step = (step_fn *)dlsym(library, NAME("step"));
    libunwind.get_register = (get_register_fn *)dlsym(library, NAME("get_reg"));
    set_caching_policy_fn *set_caching_policy =
        (set_caching_policy_fn *)dlsym(library, NAME("set_caching_policy"));
    void **address_space = dlsym(library, NAME("local_addr_space"));
    if (!libunwind.get_context || !libunwind.init_local || !libunwind.step ||
        !libunwind.get_register || !address_space || !take_over_memory(library, *address_space))
        return false;
    if (set_caching_policy)
        set_caching_policy(*address_space, CACHE_PER_THREAD);
    // Release: pairs with the acquire in liveobj_unwind_is_loaded.
    __atomic_store_n(&is_loaded, true, __ATOMIC_RELEASE);
    use_first();
    return true;
}

bool liveobj_unwind_start(void) {
    int saved = errno;
    bool is_usable = liveobj_unwind_is_loaded() || load();
    errno = saved;
    return is_usable;
}

// MARK: - Use

static uintptr_t register_of(struct cursor *cursor, int number) {
    uintptr_t value = 0;
    return libunwind.get_register(cursor, number, &value) == 0 ? value : 0;
}

static uintptr_t pc_of(struct cursor *cursor) {
    return liveobj_code_address(register_of(cursor, LIVEOBJ_LIBUNWIND_PC));
}

static uintptr_t sp_of(struct cursor *cursor) {
    return register_of(cursor, LIVEOBJ_LIBUNWIND_SP);
}

/// Steps outwards to the frame; the frames before it are the recorder's and the hook's.
static bool step_to(struct cursor *cursor, struct liveobj_registers frame) {
    while (sp_of(cursor) < frame.sp)
        if (libunwind.step(cursor) <= 0)
            return false;
    return liveobj_sp_matches(frame.sp, sp_of(cursor)) && pc_of(cursor) == frame.pc;
}

LIVEOBJ_UNCHECKED_BEGIN
LIVEOBJ_HOOK static int *host_errno(void) {
    return &errno; // a thread-local variable of libc
}

/// libunwind may open files of images: a cancelled thread must not end in there.
LIVEOBJ_HOOK static int set_cancel_state(int state) {
    int before;
    pthread_setcancelstate(state, &before); // also a thread-local variable
    return before;
}
LIVEOBJ_UNCHECKED_END

LIVEOBJ_HOOK size_t liveobj_unwind_from(struct liveobj_registers frame, uintptr_t *pcs,
                                        size_t capacity) {
    struct context context;
    struct cursor cursor;
    size_t count = 0;
    if (!liveobj_unwind_is_loaded())
        return 0;
    int saved = *host_errno(); // libunwind's system calls may fail
    int cancel_state = set_cancel_state(PTHREAD_CANCEL_DISABLE);
    *readable_page() = 0; // the page may have been unmapped since
    // Relaxed: the count is only read in a fork's child, which has no other threads.
    __atomic_fetch_add(&threads_inside, 1, __ATOMIC_RELAXED);
    libunwind.get_context(&context);
    if (libunwind.init_local(&cursor, &context) == 0 && step_to(&cursor, frame))
        while (count < capacity && libunwind.step(&cursor) > 0)
            pcs[count++] = pc_of(&cursor);
    __atomic_fetch_sub(&threads_inside, 1, __ATOMIC_RELAXED);
    set_cancel_state(cancel_state);
    *host_errno() = saved;
    return count;
}

void liveobj_unwind_after_fork_child(void) {
    // A thread that was inside may have held a lock, which is never released in the child.
    if (threads_inside > 0)
        __atomic_store_n(&is_loaded, false, __ATOMIC_RELEASE);
    threads_inside = 0;
}

#endif

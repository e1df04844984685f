// Counts the instructions that hooks of the preload library execute, by single-stepping through
// calls of the Swift runtime. Counts are the same on any machine of an architecture, also on an
// emulated one.
//
// Usage: hook-instructions PRELOAD_LIBRARY. Prints lines "CALL<tab>INSTRUCTIONS": medians.
//
// The process runs itself as a traced child, under the library. The child traps before and after
// each call. Counted is what lies in the library's code: neither the runtime nor the allocator.

#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <elf.h>

void *swift_allocObject(const void *metadata, size_t bytes, size_t alignment_mask);
void swift_slowDealloc(void *memory, size_t bytes, size_t alignment_mask);
void *swift_retain(void *object);
void swift_release(void *object);
extern const char any_class[] __asm__("$ss10AnyKeyPathCN"); // any class of the standard library

enum { WARM = 300, REPETITIONS = 5, FRAMES = 10, OBJECT_BYTES = 32 };

static void fail(const char *what) {
    perror(what);
    exit(1);
}

// MARK: - The architecture

#if defined(__x86_64__)
#define TRAP() __asm__ volatile("int3" ::: "memory")
typedef struct user_regs_struct registers;
static uint64_t counter(const registers *values) {
    return values->rip;
}
static void pass_trap(registers *values) {
    (void)values; // the processor has
}
#elif defined(__aarch64__)
#define TRAP() __asm__ volatile("brk #0" ::: "memory")
typedef struct user_regs_struct registers;
static uint64_t counter(const registers *values) {
    return values->pc;
}
static void pass_trap(registers *values) {
    values->pc += 4;
}
#endif

// MARK: - The traced child

typedef void (*call_fn)(void **object);

static void allocate(void **object) {
    *object = swift_allocObject(any_class, OBJECT_BYTES, 15);
}

static void deallocate(void **object) {
    swift_slowDealloc(*object, OBJECT_BYTES, 15);
}

static void retain(void **object) {
    swift_retain(*object);
}

static void release(void **object) {
    swift_release(*object);
}

static const struct measured {
    const char *name;
    const char *options;
    call_fn call;
    bool is_elsewhere; // the outer frames differ from those of the last trace
} measured[] = {
    {"allocate", "stacks=off", allocate, false},
    {"deallocate", "stacks=off", deallocate, false},
    {"allocate, the same stack again", "stacks=on", allocate, false},
    {"allocate, 10 other frames", "stacks=on", allocate, true},
    {"deallocate, with stack traces", "stacks=on", deallocate, false},
    {"retain, type not watched", "stacks=on:retains=None.*", retain, false},
    {"release, type not watched", "stacks=on:retains=None.*", release, false},
    {"retain, without stack traces", "stacks=off:retains=all", retain, false},
    {"release, without stack traces", "stacks=off:retains=all", release, false},
    {"retain, the same stack again", "stacks=on:retains=all", retain, false},
    {"retain, 10 other frames", "stacks=on:retains=all", retain, true},
    {"release, the same stack again", "stacks=on:retains=all", release, false},
    {"release, 10 other frames", "stacks=on:retains=all", release, true},
};
enum { COUNT = sizeof measured / sizeof *measured };

/// Calls twice from one place, and traps at the second call only; or once.
__attribute__((noinline)) static void call(const struct measured *one, void **objects,
                                           bool is_traced) {
    for (int i = one->is_elsewhere; i < 2; i++) {
        bool is_counted = is_traced && i == 1;
        if (is_counted)
            TRAP();
        one->call(&objects[i]);
        if (is_counted)
            TRAP();
    }
}

// Two ways to the call, with other return addresses. The comments keep the compiler from uniting
// them.

// NOLINTNEXTLINE(misc-no-recursion)
__attribute__((noinline)) static void go_left(const struct measured *one, void **objects,
                                              bool is_traced, int frames) {
    if (frames == 1)
        call(one, objects, is_traced);
    else
        go_left(one, objects, is_traced, frames - 1);
    __asm__ volatile("/* left */");
}

// NOLINTNEXTLINE(misc-no-recursion)
__attribute__((noinline)) static void go_right(const struct measured *one, void **objects,
                                               bool is_traced, int frames) {
    if (frames == 1)
        call(one, objects, is_traced);
    else
        go_right(one, objects, is_traced, frames - 1);
    __asm__ volatile("/* right */");
}

static void repeat(const struct measured *one) {
    void *objects[2];
    allocate(&objects[0]);
    allocate(&objects[1]);
    for (int i = 0; i < WARM + REPETITIONS; i++) {
        if (one->call == deallocate) {
            allocate(&objects[0]);
            allocate(&objects[1]);
        } else if (one->call == release) { // once more than released
            retain(&objects[0]);
            retain(&objects[1]);
        }
        if (i % 2)
            go_left(one, objects, i >= WARM, FRAMES);
        else
            go_right(one, objects, i >= WARM, FRAMES);
    }
}

// MARK: - The tracing parent

static void start(const char *library, const struct measured *one, const char *own) {
    char index[8];
    snprintf(index, sizeof index, "%d", (int)(one - measured));
    setenv("LD_PRELOAD", library, 1);
    setenv("LIVEOBJECTS_OPTIONS", one->options, 1);
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    execl("/proc/self/exe", own, "--traced", index, (char *)NULL);
    fail("exec");
}

static uint64_t step_from, step_to; // the library's code

static void find_code(pid_t child, const char *library) {
    char path[64], line[4096], permissions[8];
    const char *name = strrchr(library, '/') + 1;
    snprintf(path, sizeof path, "/proc/%d/maps", child);
    FILE *maps = fopen(path, "r");
    unsigned long from, to;
    while (maps && fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %7s", &from, &to, permissions) == 3 && permissions[2] == 'x' &&
            strstr(line, name)) {
            step_from = from;
            step_to = to;
        }
    if (maps)
        fclose(maps);
    if (!step_to)
        fail("the library is not loaded");
}

static registers registers_of(pid_t child) {
    registers values;
    struct iovec place = {&values, sizeof values};
    if (ptrace(PTRACE_GETREGSET, child, (void *)NT_PRSTATUS, &place) != 0)
        fail("ptrace");
    return values;
}

/// Continues until the child stops. \returns Whether it was by its own trap.
static bool resume(pid_t child, int request) {
    int status;
    siginfo_t signal;
    if (ptrace(request, child, NULL, NULL) != 0 || waitpid(child, &status, 0) != child ||
        !WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP ||
        ptrace(PTRACE_GETSIGINFO, child, NULL, &signal) != 0)
        fail("the traced process ended");
    return signal.si_code != TRAP_TRACE && signal.si_code != SI_USER;
}

static void leave_trap(pid_t child) {
    registers values = registers_of(child);
    struct iovec place = {&values, sizeof values};
    pass_trap(&values);
    ptrace(PTRACE_SETREGSET, child, (void *)NT_PRSTATUS, &place);
}

/// Steps from one trap to the next.
static long count_instructions(pid_t child) {
    long count = 0;
    do {
        registers values = registers_of(child);
        count += counter(&values) >= step_from && counter(&values) < step_to;
    } while (!resume(child, PTRACE_SINGLESTEP));
    return count;
}

static int compare(const void *a, const void *b) {
    const long *first = a, *second = b;
    return (*first > *second) - (*first < *second);
}

static long measure(const struct measured *one, const char *library, const char *own) {
    long counts[REPETITIONS];
    int status;
    pid_t child = fork();
    if (child == 0)
        start(library, one, own);
    waitpid(child, &status, 0); // for exec
    for (int i = 0; i < REPETITIONS; i++) {
        resume(child, PTRACE_CONT);
        if (i == 0)
            find_code(child, library);
        leave_trap(child);
        counts[i] = count_instructions(child);
        leave_trap(child);
    }
    kill(child, SIGKILL); // without a report
    waitpid(child, &status, 0);
    qsort(counts, REPETITIONS, sizeof *counts, compare);
    return counts[REPETITIONS / 2];
}

/// Two processors would wake each other at each step, which takes an emulated machine ten times as
/// long.
static void stay_on_one_processor(void) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
}

int main(int count, char **arguments) {
    if (count == 3 && strcmp(arguments[1], "--traced") == 0) {
        repeat(&measured[atoi(arguments[2])]);
        return 0;
    }
    if (count != 2 || !strchr(arguments[1], '/')) {
        fprintf(stderr, "usage: hook-instructions PRELOAD_LIBRARY (a path)\n");
        return 2;
    }
    stay_on_one_processor();
    setvbuf(stdout, NULL, _IOLBF, 0); // a line can take seconds
    for (int i = 0; i < COUNT; i++)
        printf("%s\t%ld\n", measured[i].name, measure(&measured[i], arguments[1], arguments[0]));
}

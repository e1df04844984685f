// libunwind costs the program no descriptor, and does nothing to those that the program has.

#define _GNU_SOURCE
#include "CLiveObjects.h"
#include "os/os.h"
#include "stacks/stack_walk.h"
#include "stacks/stacks.h"
#include "support/stack_testing.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct liveobj_stack_cache *cache;
static uint32_t trace;

static int next_descriptor(void) {
    int descriptor = open("/dev/null", O_RDONLY);
    close(descriptor);
    return descriptor;
}

void liveobj_raise(void);
void liveobj_raise(void) {
    raise(SIGTRAP);
}

/// Raises a signal below a function without an unwind table, where libunwind guesses and tries
/// memory out.
void liveobj_stop_without_table(void);
#if defined(__x86_64__)
__asm__("liveobj_stop_without_table:\n"
        "  push %rbp\n  mov %rsp, %rbp\n  call liveobj_raise\n  pop %rbp\n  ret\n");
#elif defined(__aarch64__)
__asm__("liveobj_stop_without_table:\n"
        "  stp x29, x30, [sp, #-16]!\n  mov x29, sp\n  bl liveobj_raise\n"
        "  ldp x29, x30, [sp], #16\n  ret\n");
#endif

/// A signal frame is one that only libunwind passes.
static void record_trace(int signal) {
    (void)signal;
    struct liveobj_registers leaf = CALLER_REGISTERS();
    trace = liveobj_stack_trace_record(cache, leaf.pc, leaf.sp, leaf.fp);
}

static void the_next_descriptor_number_is_unchanged(void) {
    int before = next_descriptor();
    cache = liveobj_os_map(sizeof *cache);
    EXPECT(liveobj_stacks_start(64, 1 << 20) != LIVEOBJ_STACKS_OFF);
    EXPECT(next_descriptor() == before);
    int second = open("/dev/null", O_RDONLY);
    EXPECT(next_descriptor() == before + 1);
    close(second);
}

/// As a daemon does that closes whatever is open, and opens its own.
static void files_of_the_program_are_not_changed(void) {
    enum { DESCRIPTORS = 1000, BYTES = 16 };
    char name[] = "/tmp/liveobjects-file-XXXXXX";
    struct stat status = {.st_size = -1};
    int file = mkstemp(name);
    EXPECT(write(file, "what is in here.", BYTES) == BYTES && lseek(file, 0, SEEK_SET) == 0);
    for (int descriptor = 3; descriptor < DESCRIPTORS; descriptor++)
        if (descriptor != file)
            EXPECT(dup2(file, descriptor) == descriptor);
    signal(SIGTRAP, record_trace);
    liveobj_stop_without_table();
    EXPECT(trace != 0 && liveobj_stack_depot_get(trace).own_frames > 2);
    EXPECT(fstat(file, &status) == 0 && status.st_size == BYTES);
    EXPECT(lseek(file, 0, SEEK_CUR) == 0); // nothing was read, either
    EXPECT(next_descriptor() == DESCRIPTORS);
    unlink(name);
}

int main(void) {
    the_next_descriptor_number_is_unchanged();
    if (!liveobj_unwind_is_loaded())
        return EXPECT_STATUS(); // not on this machine
    files_of_the_program_are_not_changed();
    return EXPECT_STATUS();
}

// limits.c - a program that gives up rights after it has started.

#include "situation.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define DENY(number)                                                                               \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, action)

/// Forbids system calls that this program does not use, but a library that reports at exit might.
static void sandbox(uint32_t action) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        DENY(SYS_memfd_create),
        DENY(SYS_process_vm_readv),
        DENY(SYS_execve),
        DENY(SYS_clone),
        DENY(SYS_clone3),
        DENY(SYS_timer_create),
        DENY(SYS_mincore),
        DENY(SYS_openat),
        DENY(SYS_setitimer),
        DENY(SYS_prctl),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    NEED(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    NEED(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

void situation_sandbox_errno(void) {
    sandbox(SECCOMP_RET_ERRNO | 1);
}

void situation_sandbox_trap(void) {
    sandbox(SECCOMP_RET_TRAP);
}

void situation_sandbox_kill(void) {
    sandbox(SECCOMP_RET_KILL_PROCESS);
}

void situation_set_user(void) {
    NEED(setresgid(65534, 65534, 65534) == 0 && setresuid(65534, 65534, 65534) == 0);
}

static void limit(int resource, rlim_t value) {
    struct rlimit limit = {value, value};
    NEED(setrlimit((__typeof__(RLIMIT_AS))resource, &limit) == 0);
}

/// The size of the process's address space, in bytes.
static rlim_t address_space(void) {
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    NEED(file && fscanf(file, "%lu", &pages) == 1);
    fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

void situation_set_limits(void) {
    limit(RLIMIT_AS, address_space() + (64 << 20));
    limit(RLIMIT_NOFILE, 8);
    limit(RLIMIT_NPROC, 1);
}

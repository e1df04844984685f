// What cannot be listed is reported: without roots, live objects would look like leaks.

#include "records/records.h"
#include "records/thread.h"
#include "roots/roots.h"
#include "support/expect.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/// Forbids this process to list folders.
static bool forbid_listing(void) {
    enum { FLAGS = offsetof(struct seccomp_data, args[2]) };
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FLAGS),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_DIRECTORY, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// An empty list would mean that no other thread can hold an object.
static void a_failure_to_list_threads_is_reported(void) {
    int status = -1;
    pid_t sandboxed = fork();
    if (sandboxed == 0) {
        struct liveobj_roots roots;
        EXPECT(!liveobj_roots_find(&roots, &liveobj_tls.caller));
        liveobj_roots_end(&roots);
        EXPECT(forbid_listing());
        const char *failure = liveobj_roots_find(&roots, &liveobj_tls.caller);
        EXPECT(failure && strstr(failure, "threads"));
        _exit(EXPECT_STATUS());
    }
    EXPECT(waitpid(sandboxed, &status, 0) == sandboxed && status == 0);
}

static void a_lack_of_memory_is_reported(void) {
    struct rlimit present, none;
    struct liveobj_roots roots;
    EXPECT(getrlimit(RLIMIT_AS, &present) == 0);
    none = (struct rlimit){1, present.rlim_max};
    EXPECT(setrlimit(RLIMIT_AS, &none) == 0);
    const char *failure = liveobj_roots_find(&roots, &liveobj_tls.caller);
    EXPECT(setrlimit(RLIMIT_AS, &present) == 0);
    EXPECT(failure && strstr(failure, "not enough memory"));
    liveobj_roots_end(&roots);
}

int main(void) {
    EXPECT(liveobj_threads_start() && liveobj_records_start(1 << 16));
    EXPECT(liveobj_thread_attach() != NULL);
    a_failure_to_list_threads_is_reported();
    a_lack_of_memory_is_reported();
    return EXPECT_STATUS();
}

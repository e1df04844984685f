// Where the processor may reorder loads, and the kernel refuses to order them, hooks are installed
// only while the process has one thread.

#include "CLiveObjects.h"
#include "arch/system_call.h"
#include "support/expect.h"
#include "support/fake_runtime.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static void refuse_membarrier(void) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof code / sizeof *code, code};
    EXPECT(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    EXPECT(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0);
}

static void *wait_forever(void *context) {
    for (;;)
        pause();
    return context;
}

int main(void) {
    pthread_t thread;
    struct liveobj_settings settings = liveobj_settings_default();
    settings.hook_mode = LIVEOBJ_HOOKS_GOT;
    settings.stacks = false;
    refuse_membarrier();
    EXPECT(pthread_create(&thread, NULL, wait_forever, NULL) == 0);
#if defined(FAKE_RUNTIME_CAN_BE_WATCHED)
    bool is_ordered = liveobj_order_threads();
    EXPECT((liveobj_start(&settings) == LIVEOBJ_STATE_TRACKING) == is_ordered);
    EXPECT(is_ordered || strstr(liveobj_status().reason, "membarrier"));
#endif
    void *object = swift_allocObject(NULL, 48, 7);
    EXPECT(object != NULL);
    swift_slowDealloc(object, 48, 7);
    return EXPECT_STATUS();
}

// While the process forks, all the recorder's locks are held: whatever else runs on that thread
// then, a signal handler or a fork handler of the program, must not wait for one of them.

#include "recorder/recorder.h"
#include "records/retain_ledger.h"
#include "records/thread.h"
#include "support/expect.h"

#include <unistd.h>

enum { RECORD = 1, METADATA = 0x10000, STACK = 7, PATIENCE_SECONDS = 20 };

static void an_object_with_an_account_may_die_while_the_process_forks(void) {
    liveobj_ledger_allocated(RECORD, METADATA);
    liveobj_ledger_add(RECORD, STACK, 1, 0);
    liveobj_recorder_before_fork();
    liveobj_ledger_try_close(RECORD);
    liveobj_recorder_after_fork();
    liveobj_ledger_try_close(RECORD);
    EXPECT(!liveobj_ledger_has(RECORD));
}

static void the_guard_is_as_it_was_before(void) {
    EXPECT(liveobj_tls_get()->guard == 0);
}

int main(void) {
    alarm(PATIENCE_SECONDS);
    EXPECT(liveobj_ledger_start(4096, 0, NULL) && liveobj_ledger_make_room(4096));
    an_object_with_an_account_may_die_while_the_process_forks();
    the_guard_is_as_it_was_before();
    return EXPECT_STATUS();
}

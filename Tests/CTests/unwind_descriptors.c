// A program finds its next descriptor where it would be without stack traces.

#include "stacks.h"
#include "support/expect.h"
#include "unwind.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

static int next_descriptor(void) {
    int descriptor = open("/dev/null", O_RDONLY);
    close(descriptor);
    return descriptor;
}

int main(void) {
    int before = next_descriptor();
    EXPECT(liveobj_stacks_start(64, 1 << 20) != LIVEOBJ_STACKS_OFF);
    EXPECT(liveobj_unwind_is_loaded());
    EXPECT(next_descriptor() == before);
    int second = open("/dev/null", O_RDONLY);
    EXPECT(next_descriptor() == before + 1);
    close(second);
    return EXPECT_STATUS();
}

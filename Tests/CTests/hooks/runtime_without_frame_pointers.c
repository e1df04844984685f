// A Swift runtime whose `swift_slowAlloc` keeps no frame pointer: the caller of an allocation is
// unknown, so nothing is watched, and the program keeps running.

#define FAKE_RUNTIME_WITHOUT_FRAME_POINTER

#include "CLiveObjects.h"
#include "support/expect.h"
#include "support/fake_runtime.h"
#include "support/live_records.h"

int main(void) {
    struct liveobj_settings settings = liveobj_settings_default();
    settings.hook_mode = LIVEOBJ_HOOKS_GOT;
    settings.stacks = false;
    EXPECT(liveobj_start(&settings) == LIVEOBJ_STATE_BLIND);
    EXPECT(liveobj_status().reason[0] != 0);
    void *object = swift_allocObject(NULL, 48, 7);
    EXPECT(object != NULL && live_records() == 0);
    swift_slowDealloc(object, 48, 7);
    return EXPECT_STATUS();
}

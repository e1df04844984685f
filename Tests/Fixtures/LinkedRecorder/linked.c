// Built by the tests together with the recorder, and linked into a program: starts the recorder
// before `main` and writes a capture at exit to the file that LINKED_RECORDER_OUTPUT names.

#include <CLiveObjects.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static void write_capture(void) {
    int fd = open(getenv("LINKED_RECORDER_OUTPUT"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || liveobj_capture_to_fd(0, LIVEOBJ_CONTENTS_OBJECTS, fd) != 0) {
        _exit(70);
    }
    close(fd);
}

// Linked after the recorder's sources, so that it runs after their constructors.
__attribute__((constructor)) static void start(void) {
    liveobj_start(NULL);
    atexit(write_capture);
}

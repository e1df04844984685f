// Built by the tests together with the recorder, and linked into a program: starts the recorder
// before `main` and writes a capture at exit to the file that LINKED_RECORDER_OUTPUT names.

#include <CLiveObjects.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static bool write_to_file(void *descriptor, const void *bytes, size_t count) {
    return write(*(int *)descriptor, bytes, count) == (ssize_t)count;
}

static void write_capture(void) {
    int file = open(getenv("LINKED_RECORDER_OUTPUT"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || !liveobj_capture(0, LIVEOBJ_CONTENTS_OBJECTS, write_to_file, &file)) {
        _exit(70);
    }
    close(file);
}

// Linked after the recorder's sources, so that it runs after their constructors.
__attribute__((constructor)) static void start(void) {
    liveobj_start(NULL);
    atexit(write_capture);
}

// heap_graph.c - what refers to what, as sections of a capture.
#if defined(__linux__)
#include "../capture.h"

bool liveobj_write_heap_graph(struct liveobj_capture *capture, uintptr_t stack_pointer,
                              const char **failure) {
    (void)capture, (void)stack_pointer;
    *failure = "references are not read yet";
    return false;
}

void liveobj_write_no_heap_graph(struct liveobj_stream *stream, const char *failure) {
    (void)stream, (void)failure;
}
#endif

// capture_memory.c - writes what the process's memory is used for. Owns the numbers that were
// written last, so that a reader sees the growth since then.

#if defined(__linux__)

#include "capture/capture.h"
#include "os/os.h"

static struct {
    uint64_t time; // 0 before the first ones
    uint64_t memory[LIVEOBJ_MEMORY_USES];
} last_memory;

/// Takes `VmHWM:   1234 kB`.
static bool take_peak(void *peak, const char *line) {
    enum { NAME_BYTES = 6, KILOBYTE = 1024 };
    if (!liveobj_os_begins_with(line, "VmHWM:"))
        return true;
    line += NAME_BYTES;
    line += strspn(line, " \t");
    *(uint64_t *)peak = liveobj_os_take_decimal(&line) * KILOBYTE;
    return false;
}

static void count_descriptor(void *count, uint32_t number) {
    (void)number;
    (*(uint64_t *)count)++;
}

/// /proc/self is the main thread: the recorder's own has other descriptors.
static void ask_system(uint64_t memory[LIVEOBJ_MEMORY_USES]) {
    liveobj_os_visit_lines("/proc/self/status", take_peak, &memory[LIVEOBJ_MEMORY_PEAK]);
    liveobj_os_visit_numbers("/proc/self/fd", count_descriptor,
                             &memory[LIVEOBJ_MEMORY_DESCRIPTORS]);
}

void liveobj_write_memory(struct liveobj_stream *stream, uint64_t memory[LIVEOBJ_MEMORY_USES]) {
    struct liveobj_section section;
    if (!memory[LIVEOBJ_MEMORY_ALL] || !liveobj_section_start(&section, stream, "MEMO"))
        return;
    ask_system(memory);
    liveobj_put_u32(&section, LIVEOBJ_MEMORY_USES);
    liveobj_put_u32(&section, 0);
    liveobj_put_u64(&section, last_memory.time);
    liveobj_put(&section, last_memory.memory, sizeof last_memory.memory);
    liveobj_put(&section, memory, sizeof last_memory.memory);
    liveobj_section_finish(&section);
    last_memory.time = liveobj_os_wall_clock();
    memcpy(last_memory.memory, memory, sizeof last_memory.memory);
}

#endif

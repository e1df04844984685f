// report.c - makes the report. Owns nothing after that.
//
// The report is completed in anonymous files and copied to the output at once. So a tool that dies
// leaves no half report, and other processes wait for a copy, not for an analysis.

#include "report/report.h"
#include "CLiveObjects.h"
#include "options.h"
#include "os/deadline.h"
#include "output/descriptor.h"
#include "output/output.h"
#include "recorder/fork.h"
#include "safety/safety.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/// The time that a step may be idle: longer than the time limit for a slow reader of the output.
#define STEP_MILLISECONDS 15000

/// The input and result of a guarded step.
struct work {
    const struct liveobj_options *options;
    uint64_t deadline;
    int capture;     ///< a descriptor; -1 if there is no capture
    const char *why; ///< why there is no capture
    int error;       ///< the errno of that failure; 0 for none
    bool is_abandoned;
};

static enum liveobj_contents wanted_contents(const struct liveobj_options *options) {
    if (options->graph != LIVEOBJ_ON)
        return LIVEOBJ_CONTENTS_OBJECTS;
    return options->memory ? LIVEOBJ_CONTENTS_GRAPH_AND_MEMORY : LIVEOBJ_CONTENTS_GRAPH;
}

/// Whether the memory limits leave room. A capture in memory counts as the program's memory, and at
/// the limit the system kills a process. If it kills the tool alone, the program is not affected.
static bool has_room_for_report(void) {
    // As measured: the bytes for each object, and the bytes without any object.
    enum { CAPTURE_BYTES = 70, CAPTURE_LEAST = 4 << 20, TOOL_BYTES = 250, TOOL_LEAST = 128 << 20 };
    struct liveobj_status status = liveobj_status();
    uint64_t live = status.allocations - status.deallocations;
    return liveobj_os_has_room(CAPTURE_LEAST + live * CAPTURE_BYTES,
                               TOOL_LEAST + live * TOOL_BYTES);
}

static void make_capture(void *context) {
    struct work *work = context;
    if (!has_room_for_report()) {
        work->why = "the memory limit of this process leaves no room for a capture";
        return;
    }
    struct liveobj_destination file = {liveobj_descriptor_make_nameless("liveobjects-capture"), 0};
    if (file.descriptor < 0) {
        work->error = errno;
    } else if (liveobj_capture(0, wanted_contents(work->options), liveobj_destination_write,
                               &file)) {
        work->capture = file.descriptor;
    } else {
        work->error = file.error ? file.error : ENOMEM;
        close(file.descriptor);
    }
}

static void write_capture(void *context) {
    const struct work *work = context;
    struct liveobj_destination output = {liveobj_output_open(), 0};
    if (output.descriptor < 0)
        return;
    if (!liveobj_capture(0, wanted_contents(work->options), liveobj_destination_write, &output) &&
        !output.error)
        liveobj_message("the capture is incomplete: there was no memory for it", NULL);
    liveobj_output_close(output.descriptor, output.error);
}

void liveobj_report_say_unwatched(void) {
    static bool is_said;
    if (!is_said)
        liveobj_message("nothing is watched: ", liveobj_status().reason, NULL);
    is_said = true;
}

/// Says why there is no report, and saves the capture if there is one.
static void replace_report(void *context) {
    const struct work *work = context;
    if (liveobj_status().state == LIVEOBJ_STATE_BLIND)
        liveobj_report_say_unwatched();
    else if (work->capture >= 0)
        liveobj_capture_save(work->capture, liveobj_tool_failure());
    else
        liveobj_message("no report: ", work->why, work->error ? ": " : "",
                        work->error ? strerror(work->error) : "", NULL);
}

static void complain_of(enum liveobj_step_end end) {
    const char *why = end == LIVEOBJ_STEP_REFUSED
                          ? "the system allows no further timer, without which it might hang (see "
                            "ulimit -i)"
                          : "the process ended at a moment when its memory could not be read, or a "
                            "file could not be written";
    liveobj_message("there is no report: ", why, NULL);
}

static bool run_step(void (*step)(void *), struct work *work) {
    enum liveobj_step_end end = liveobj_guard_run(STEP_MILLISECONDS, step, work);
    work->is_abandoned |= end > LIVEOBJ_STEP_REFUSED;
    if (end != LIVEOBJ_STEP_DONE)
        complain_of(end);
    return end == LIVEOBJ_STEP_DONE;
}

// MARK: - Locks

static int ignore_image(struct dl_phdr_info *image, size_t size, void *context) {
    (void)image, (void)size, (void)context;
    return 0;
}

/// Takes the locks that a capture needs: those of malloc (for a size that no cache of the thread
/// has) and of the dynamic linker.
static void take_locks(void *context) {
    enum { UNCACHED_BYTES = 5000 };
    Dl_info self;
    (void)context;
    void *volatile memory = malloc(UNCACHED_BYTES);
    free(memory);
    dl_iterate_phdr(ignore_image, NULL);
    dladdr((const void *)(uintptr_t)take_locks, &self);
}

/// Whether a capture would not wait for a lock that is never released. A signal handler may end the
/// process in the middle of a `malloc` or a hook: of its own thread, or of a thread that waits for
/// this report.
static bool can_take_locks(struct work *work) {
    static const uint64_t nanoseconds = LIVEOBJ_LOCK_MILLISECONDS * UINT64_C(1000000);
    enum liveobj_step_end end = liveobj_recorder_locks_are_free(nanoseconds)
                                    ? liveobj_guard_run(LIVEOBJ_LOCK_MILLISECONDS, take_locks, NULL)
                                    : LIVEOBJ_STEP_STUCK;
    work->is_abandoned |=
        end == LIVEOBJ_STEP_CRASHED; // a lock that was only waited for is not held
    if (end != LIVEOBJ_STEP_DONE)
        complain_of(end);
    return end == LIVEOBJ_STEP_DONE;
}

// MARK: - Other threads

static void step_back(void *own_thread, uint32_t thread) {
    enum { DISTANCE = 10 }; // leaves about a tenth of the processor time
    int priority = getpriority(PRIO_PROCESS, 0) + DISTANCE;
    if (thread != *(uint32_t *)own_thread && getpriority(PRIO_PROCESS, thread) < priority)
        setpriority(PRIO_PROCESS, thread, priority);
}

/// Lowers the priority of the program's other threads. They continue although the program has
/// ended, and the tool must not share the processors with a hundred of them. Not called while a
/// capture is made, which may wait for a lock that they hold.
static void have_others_step_back(void) {
    uint32_t own_thread = (uint32_t)syscall(SYS_gettid);
    liveobj_os_visit_threads(step_back, &own_thread);
}

// MARK: - With the tool

static void write_copy(int report) {
    int output = liveobj_output_open();
    if (output >= 0)
        liveobj_output_close(output, liveobj_descriptor_copy(report, output));
}

static enum liveobj_verdict analyse_capture(const struct work *work) {
    int report = liveobj_tool_path() ? liveobj_descriptor_make_nameless("liveobjects-report") : -1;
    if (report < 0)
        return LIVEOBJ_VERDICT_NONE;
    have_others_step_back();
    enum liveobj_verdict verdict =
        liveobj_tool_report(work->options, work->capture, report, work->deadline);
    if (verdict != LIVEOBJ_VERDICT_NONE)
        write_copy(report);
    close(report);
    return verdict;
}

// MARK: - The report

static enum liveobj_verdict write_report(struct work *work) {
    enum liveobj_verdict verdict = LIVEOBJ_VERDICT_NONE;
    if (!can_take_locks(work))
        return verdict;
    if (work->options->format == LIVEOBJ_FORMAT_CAPTURE) {
        run_step(write_capture, work);
        return verdict;
    }
    if (!run_step(make_capture, work))
        return verdict;
    if (work->capture >= 0)
        verdict = analyse_capture(work);
    if (verdict == LIVEOBJ_VERDICT_NONE && !run_step(replace_report, work))
        liveobj_capture_discard();
    if (work->capture >= 0)
        close(work->capture);
    return verdict;
}

/// Whether the message was already printed at the start, on standard error.
static bool is_said_already(const struct liveobj_options *options) {
    return liveobj_status().state == LIVEOBJ_STATE_BLIND &&
           options->format == LIVEOBJ_FORMAT_TEXT && liveobj_output_is_standard_error();
}

/// Whether there is nowhere to write the report, and it decides nothing.
static bool has_no_reader(const struct liveobj_options *options) {
    return liveobj_output_is_standard_error() && liveobj_message_descriptor() < 0 &&
           options->exitcode == 0;
}

struct liveobj_report_result liveobj_report_write(const struct liveobj_options *options) {
    struct work work = {.options = options,
                        .deadline = liveobj_deadline_in(LIVEOBJ_DEADLINE_SECONDS),
                        .capture = -1,
                        .why = "the capture could not be made"};
    if (is_said_already(options) || has_no_reader(options))
        return (struct liveobj_report_result){false, false};
    enum liveobj_verdict verdict = write_report(&work);
    return (struct liveobj_report_result){verdict == LIVEOBJ_VERDICT_FAILING, work.is_abandoned};
}

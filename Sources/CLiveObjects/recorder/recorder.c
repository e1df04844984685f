// recorder.c - connects the parts of the recorder: prepare, start, stop, status.
//
// Owns the recorder's state. `prepare` runs in a constructor, while the process has one thread,
// because it runs the runtime's hook path as a test. Tracking may start at any later time. Outside
// of hooks, except `liveobj_recorder_status` and `liveobj_recorder_mark`, which take no lock.

#if defined(__linux__)

#include "recorder/recorder.h"
#include "arch/registers.h"
#include "arch/system_call.h"
#include "arch/valgrind_request.h"
#include "capture/capture.h"
#include "capture/test_table.h"
#include "hooks/hooks.h"
#include "metadata/types.h"
#include "metadata/watched_types.h"
#include "os/arena.h"
#include "os/os.h"
#include "recorder/fork.h"
#include "recorder/tests.h"
#include "recorder/write_capture.h"
#include "records/records.h"
#include "records/retain_ledger.h"
#include "records/scopes.h"
#include "records/thread.h"
#include "records/trace_collection.h"
#include "runtime/image.h"
#include "runtime/runtime.h"
#include "runtime/unloads.h"
#include "stacks/sampling.h"
#include "stacks/stacks.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

static struct {
    struct liveobj_lock lock; // held during start and stop
    bool prepared;
    bool started; // at least once: the hooks are installed
    enum liveobj_state state;
    enum liveobj_hook_mode hook_mode;
    enum liveobj_retain_path retain_path;
    enum liveobj_stack_source stacks;
    bool retains;
    bool has_budget;
    bool was_stopped; // atomic; orders nothing
    uint32_t depth;
    const char *reason;
} recorder = {.reason = ""};

static const char *const stripped_reason =
    "the Swift runtime is linked into this program and its symbols were stripped, so it cannot be "
    "watched; build without stripping, or without -static-stdlib";
static const char *const no_hooks_reason =
    "this Swift runtime has neither working hook pointers nor recognizable allocator calls, so it "
    "cannot be watched";
static const char *const no_memory_reason =
    "the limit of this process's memory leaves no room for records (see ulimit -v and -d), so "
    "nothing is watched";

static const char *const tags_reason =
    "the addresses of this process's objects have tags (glibc.mem.tagging), so nothing is watched";
static const char *const valgrind_reason = "valgrind runs this program";
static const char *const no_order_reason =
    "other threads run already, and the kernel refuses membarrier, so hooks cannot be installed";
static const char *const lost_lock_reason =
    "the process was forked while another thread held a lock of the recorder, so nothing is "
    "watched in this child";

static const char *const some_retains_reason =
    "retains by weak and unowned references were not recorded: the Swift runtime is linked into "
    "this program, and is called directly";
static const char *const no_malloc_reason =
    "allocations of C code were not recorded: this program is linked to a fixed address";
static const char *const no_retains_reason = "retains were not recorded: this runtime is watched "
                                             "through its allocator, which does not show them";

struct liveobj_settings liveobj_settings_default(void) {
    return (struct liveobj_settings){
        .hook_mode = LIVEOBJ_HOOKS_NONE,
        .stacks = true,
        .retains = false,
        .depth = 64,
        .max_objects = UINT64_C(1) << 27,
    };
}

// MARK: - Own work

static void hide_registers(struct liveobj_caller_context *entry) {
    for (size_t i = 0; i < sizeof entry->registers / sizeof *entry->registers; i++)
        entry->registers[i] = ~entry->registers[i];
}

/// Records the state of the calling thread at entry into the recorder. Not inlined, and calls
/// nothing: so the program's frames lie above this one, and the program's registers are either
/// unchanged or saved in those frames.
/// \returns false if the thread already does own work. In a hook it does none: a signal handler
/// that interrupted one may end the process.
__attribute__((noinline)) static bool enter_own_work(void) {
    struct liveobj_caller_context *entry = &liveobj_tls.caller;
    bool is_outermost = liveobj_tls.guard < LIVEOBJ_GUARD_OWN_WORK;
    liveobj_tls.guard += LIVEOBJ_GUARD_OWN_WORK;
    if (!is_outermost)
        return false;
    // A function may have its only reference to an object in a register that is saved in one of our
    // frames, below the program's own frames.
    liveobj_registers_save(entry->registers);
    hide_registers(entry);
    entry->stack_pointer = (uintptr_t)__builtin_frame_address(0);
    entry->is_on_signal_stack = false;
    return true;
}

/// Marks what the calling thread does from here on as the recorder's own work. Disables
/// cancellation: a cancelled thread ends where it opens a file, and must not do so while it holds
/// our locks, nor in the snapshot process.
static inline __attribute__((always_inline)) void begin_own_work(void) {
    if (enter_own_work())
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &liveobj_tls.cancel_state);
}

static void end_own_work(void) {
    liveobj_tls.guard -= LIVEOBJ_GUARD_OWN_WORK;
    if (liveobj_tls.guard < LIVEOBJ_GUARD_OWN_WORK)
        pthread_setcancelstate(liveobj_tls.cancel_state, NULL);
}

// MARK: - Prepare

static void prepare_locked(void) {
    if (recorder.prepared)
        return;
    recorder.prepared = true;
    recorder.state = liveobj_runtime_find();
    if (recorder.state == LIVEOBJ_STATE_BLIND)
        recorder.reason = stripped_reason;
    if (recorder.state != LIVEOBJ_STATE_READY)
        return;
    const struct liveobj_runtime *runtime = liveobj_runtime_current();
    bool has_pointers =
        runtime->_swift_allocObject && runtime->_swift_retain &&
        runtime->_swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly;
    recorder.retain_path =
        has_pointers ? liveobj_retain_path_prepare(runtime) : LIVEOBJ_RETAIN_PATH_FAULTY;
}

void liveobj_recorder_prepare(void) {
    begin_own_work();
    if (liveobj_lock_acquire(&recorder.lock)) {
        prepare_locked();
        liveobj_lock_release(&recorder.lock);
    }
    end_own_work();
}

// MARK: - Fork

void liveobj_recorder_visit_locks(liveobj_lock_visit_fn visit, void *context) {
    visit(context, &recorder.lock);
    liveobj_traces_visit_locks(visit, context);
    liveobj_records_visit_locks(visit, context);
    liveobj_stack_depot_visit_locks(visit, context);
    liveobj_unloads_visit_locks(visit, context);
    liveobj_runtime_visit_locks(visit, context);
    liveobj_images_visit_locks(visit, context);
    liveobj_tests_visit_locks(visit, context);
    liveobj_scopes_visit_locks(visit, context);
    liveobj_ledger_visit_locks(visit, context);
}

void liveobj_recorder_lost_lock(void) {
    liveobj_recorder_give_up(lost_lock_reason);
}

// MARK: - Giving up

void liveobj_recorder_give_up(const char *reason) {
    liveobj_hooks_end();
    if (recorder.state == LIVEOBJ_STATE_TRACKING || recorder.state == LIVEOBJ_STATE_READY) {
        recorder.reason = reason;
        // Release: another thread that sees the state sees the reason.
        __atomic_store_n(&recorder.state, LIVEOBJ_STATE_BLIND, __ATOMIC_RELEASE);
    }
}

// MARK: - Unloaded images

static const struct liveobj_unload_listener unload_listener = {liveobj_stacks_code_gone,
                                                               liveobj_watched_types_freeze};

// MARK: - Start

static enum liveobj_state become_blind_locked(const char *reason) {
    liveobj_hooks_pause();
    recorder.reason = reason;
    return recorder.state = LIVEOBJ_STATE_BLIND;
}

static uint32_t clamped_depth(uint32_t depth) {
    enum { MOST = 512 };
    return depth < 1 ? 1 : depth > MOST ? MOST : depth;
}

/// The hook mode that was asked for, or the better one of those that this runtime supports.
static enum liveobj_hook_mode choose_hook_mode(enum liveobj_hook_mode wanted) {
    bool pointers = recorder.retain_path != LIVEOBJ_RETAIN_PATH_FAULTY;
    return wanted == LIVEOBJ_HOOKS_GOT || !pointers ? LIVEOBJ_HOOKS_GOT : LIVEOBJ_HOOKS_POINTERS;
}

/// Half of a budget is for stack traces.
static void set_budget(const struct liveobj_settings *settings, uint64_t max_stack_bytes) {
    static const uint64_t least = 4 << 20;
    uint64_t wanted = settings->budget_bytes < least ? least : settings->budget_bytes;
    uint64_t half = liveobj_os_set_budget(wanted) / 2;
    if (settings->stacks)
        liveobj_stack_depot_start_prepaid(half < max_stack_bytes ? half : max_stack_bytes);
}

/// Why the hooks did not record the objects of their test.
static const char *failed_test_reason(void) {
    void *memory = malloc(1);
    bool has_tag = (uintptr_t)memory >> LIVEOBJ_ADDRESS_BITS;
    free(memory);
    return has_tag                                ? tags_reason
           : liveobj_threads_counts().dropped > 0 ? no_memory_reason
                                                  : no_hooks_reason;
}

static void start_retains_locked(void) {
    liveobj_retain_hooks_install(liveobj_runtime_current());
    if (liveobj_runtime_current()->image.is_main)
        recorder.reason = some_retains_reason;
}

static enum liveobj_state start_first_time_locked(const struct liveobj_settings *settings) {
    if (liveobj_valgrind_is_running())
        return become_blind_locked(valgrind_reason);
    recorder.hook_mode = choose_hook_mode(settings->hook_mode);
    recorder.depth = clamped_depth(settings->depth);
    // In GOT mode the retain path is not hooked, so retains cannot be counted.
    recorder.retains = settings->retains && recorder.hook_mode == LIVEOBJ_HOOKS_POINTERS;
    if (settings->retains && !recorder.retains)
        recorder.reason = no_retains_reason;
    recorder.has_budget = settings->budget_bytes > 0;
    liveobj_os_read_limits();
    uint64_t max_stack_bytes =
        settings->max_stack_bytes ? settings->max_stack_bytes : liveobj_os_memory_share();
    if (recorder.has_budget)
        set_budget(settings, max_stack_bytes);
    if (!liveobj_threads_start() || !liveobj_records_start(settings->max_objects) ||
        (recorder.retains && !liveobj_ledger_start(liveobj_records_limit(), liveobj_records_room(),
                                                   settings->retained_types)))
        return become_blind_locked(no_memory_reason);
    liveobj_sampling_start(settings->sample_bytes);
    if (settings->stacks)
        recorder.stacks = liveobj_stacks_start(recorder.depth, max_stack_bytes);
    liveobj_hooks_set_stacks(recorder.stacks != LIVEOBJ_STACKS_OFF);
    liveobj_fork_add_handlers();
    liveobj_unloads_start(&unload_listener);
    // A thread could see a hook before the original that the hook calls.
    if (!liveobj_order_threads() && !liveobj_os_is_single_threaded())
        return become_blind_locked(no_order_reason);
    recorder.started = true;
    if (!liveobj_hooks_install(liveobj_runtime_current(), recorder.hook_mode) ||
        !liveobj_hooks_test(liveobj_runtime_current(), recorder.hook_mode))
        return become_blind_locked(failed_test_reason());
    if (recorder.retains)
        start_retains_locked();
    if (settings->malloc && !liveobj_malloc_hooks_install())
        recorder.reason = no_malloc_reason;
    return recorder.state = LIVEOBJ_STATE_TRACKING;
}

static enum liveobj_state start_locked(const struct liveobj_settings *settings) {
    prepare_locked();
    if (recorder.state != LIVEOBJ_STATE_READY)
        return recorder.state;
    if (!recorder.started)
        return start_first_time_locked(settings);
    liveobj_hooks_resume();
    return recorder.state = LIVEOBJ_STATE_TRACKING;
}

enum liveobj_state liveobj_recorder_start(const struct liveobj_settings *settings) {
    struct liveobj_settings defaults = liveobj_settings_default();
    begin_own_work();
    if (liveobj_lock_acquire(&recorder.lock)) {
        start_locked(settings ? settings : &defaults);
        liveobj_lock_release(&recorder.lock);
    }
    end_own_work();
    return recorder.state;
}

void liveobj_recorder_stop(void) {
    if (!liveobj_lock_acquire(&recorder.lock))
        return;
    if (recorder.state == LIVEOBJ_STATE_TRACKING) {
        liveobj_hooks_stop();
        __atomic_store_n(&recorder.was_stopped, true, __ATOMIC_RELAXED);
        recorder.state = LIVEOBJ_STATE_READY;
    }
    liveobj_lock_release(&recorder.lock);
}

struct liveobj_status liveobj_recorder_status(void) {
    struct liveobj_counts counts = liveobj_threads_counts();
    // Acquire: before the reason is read.
    enum liveobj_state state = __atomic_load_n(&recorder.state, __ATOMIC_ACQUIRE);
    return (struct liveobj_status){
        .state = state,
        .hook_mode = recorder.started ? recorder.hook_mode : LIVEOBJ_HOOKS_NONE,
        .stacks = recorder.stacks,
        .retains = recorder.retains,
        .depth = recorder.depth,
        .has_budget = recorder.has_budget,
        .was_stopped = __atomic_load_n(&recorder.was_stopped, __ATOMIC_RELAXED),
        .sample_bytes = recorder.stacks == LIVEOBJ_STACKS_OFF ? 0 : liveobj_sample_bytes,
        .dropped_records = counts.dropped,
        .dropped_stacks = recorder.stacks == LIVEOBJ_STACKS_OFF ? 0 : liveobj_stack_depot_dropped(),
        .missed_deallocations = counts.missed_deallocations,
        .allocations = counts.allocations,
        .deallocations = counts.deallocations,
        .reason = recorder.reason,
    };
}

// MARK: - Baselines and scopes

uint64_t liveobj_recorder_mark(void) {
    return liveobj_sequence_mark();
}

uint32_t liveobj_recorder_scope_make(void) {
    return liveobj_scope_open(recorder.started ? liveobj_hooks_current_scope() : 0);
}

void liveobj_recorder_scope_set_key(enum liveobj_scope_owner owner, const void *key) {
    liveobj_hooks_set_scope_key(owner, key);
}

void liveobj_recorder_note_unloads(void) {
    if (recorder.started)
        liveobj_unloads_note();
}

bool liveobj_recorder_declares_type(const char *text) {
    liveobj_recorder_note_unloads();
    return liveobj_type_is_declared(text);
}

// MARK: - Own work, for callers outside of the recorder

void liveobj_recorder_ignore_begin(void) {
    begin_own_work();
}

void liveobj_recorder_ignore_end(void) {
    end_own_work();
}

void liveobj_recorder_note_signal_stack(void) {
    struct liveobj_caller_context *entry = &liveobj_tls.caller;
    stack_t stack;
    entry->is_on_signal_stack = sigaltstack(NULL, &stack) == 0 && !(stack.ss_flags & SS_DISABLE) &&
                                entry->stack_pointer - (uintptr_t)stack.ss_sp < stack.ss_size;
}

// MARK: - Tests

void liveobj_tests_watch(liveobj_write_fn write, void *context) {
    struct liveobj_status status = liveobj_recorder_status();
    liveobj_tests_set_watched(true);
    liveobj_hooks_clear_freed();
    liveobj_traces_end_collections(); // who watches tests knows traces by their ids
    if (write)
        liveobj_journal_start(&status, write, context);
}

uint32_t liveobj_recorder_test_begin(const struct liveobj_test *test) {
    uint32_t number = liveobj_tests_begin(test);
    if (number)
        liveobj_journal_begin(number);
    return number;
}

void liveobj_recorder_test_end(uint32_t test, enum liveobj_test_outcome outcome) {
    liveobj_tests_end(test, outcome);
}

void liveobj_recorder_test_add_finding(uint32_t test, const void *finding, size_t count) {
    struct liveobj_recorded_findings recorded = liveobj_tests_add_finding(test, finding, count);
    if (recorded.count)
        liveobj_journal_section(recorded.bytes, recorded.count);
}

void liveobj_recorder_test_close(uint32_t test, enum liveobj_test_outcome outcome,
                                 bool is_evaluated) {
    if (test == 0 || test > liveobj_tests_count())
        return;
    liveobj_tests_close(test, outcome, is_evaluated);
    liveobj_journal_close(test);
}

void liveobj_recorder_scope_mark_known_issue(uint32_t scope) {
    liveobj_scope_set_known_issue(scope);
}

uint32_t liveobj_recorder_test_current(void) {
    uint32_t scope = recorder.started ? liveobj_hooks_current_scope() : 0;
    uint32_t test = liveobj_tests_of_scope(scope);
    return test ? test : liveobj_tests_running();
}

// MARK: - Budget

void liveobj_recorder_measure_memory(void) {
    if (!recorder.has_budget || recorder.state != LIVEOBJ_STATE_TRACKING)
        return;
    begin_own_work();
    liveobj_os_set_sparse_bytes(liveobj_records_map_bytes());
    end_own_work();
}

// MARK: - Captures

bool liveobj_recorder_capture(uint64_t since, enum liveobj_contents contents,
                              liveobj_write_fn write, void *context) {
    begin_own_work();
    struct liveobj_capture_request request = {.since = since,
                                              .contents = contents,
                                              .write = write,
                                              .context = context,
                                              .caller = &liveobj_tls.caller,
                                              .status = liveobj_recorder_status()};
    bool written = liveobj_capture_write(&request);
    end_own_work();
    return written;
}

bool liveobj_recorder_count(liveobj_write_fn write, void *context, liveobj_visit_counts_fn visit,
                            void *visit_context) {
    begin_own_work();
    struct liveobj_capture_request request = {.contents = LIVEOBJ_CONTENTS_COUNTS,
                                              .write = write,
                                              .context = context,
                                              .status = liveobj_recorder_status(),
                                              .visit_counts = visit,
                                              .visit_context = visit_context};
    bool written = liveobj_capture_write(&request);
    end_own_work();
    return written;
}

enum liveobj_test_check liveobj_recorder_test_capture(uint32_t test,
                                                      const struct liveobj_instance *instances,
                                                      size_t count, liveobj_write_fn write,
                                                      void *context) {
    if (test == 0 || test > liveobj_tests_count())
        return instances ? LIVEOBJ_TEST_INCONCLUSIVE : LIVEOBJ_TEST_CLEAN;
    struct liveobj_survivors survivors = {liveobj_tests_get(test), instances, count};
    begin_own_work();
    struct liveobj_capture_request request = {.contents = LIVEOBJ_CONTENTS_GRAPH_OF_TEST,
                                              .write = write,
                                              .context = context,
                                              .caller = &liveobj_tls.caller,
                                              .status = liveobj_recorder_status()};
    enum liveobj_test_check check = liveobj_survivors_capture(&survivors, &request);
    end_own_work();
    return check;
}

void liveobj_recorder_test_visit_instances(uint32_t test, liveobj_visit_instance_fn visit,
                                           void *context) {
    if (test == 0 || test > liveobj_tests_count())
        return;
    struct liveobj_recorded_test recorded = liveobj_tests_get(test);
    begin_own_work();
    liveobj_test_instances_visit(&recorded, visit, context);
    end_own_work();
}

#endif

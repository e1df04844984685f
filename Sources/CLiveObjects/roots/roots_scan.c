// roots_scan.c - decides which parts of the memory that roots.c has found are read; see
// roots_scan.h. Owns the state of the search.

#if defined(__linux__)

#include "roots/roots_scan.h"
#include "heap/references.h"
#include "os/compiler.h"
#include "os/step.h"
#include "roots/malloc_chunks.h"
#include "runtime/runtime.h"

#include <errno.h>
#include <sys/mman.h>

LIVEOBJ_ANY_MEMORY_BEGIN

// MARK: - Threads' control blocks

/// Whether the block is that of the thread on whose stack it lies, or in other memory, of one that
/// has ended: then the kernel has set its id to 0, and who has joined the thread, to -1.
static bool is_of_thread(const struct liveobj_scan *scan, uintptr_t block) {
    bool is_stack = scan->range.kind == LIVEOBJ_ROOT_STACK;
    if (!scan->layout.id)
        return is_stack;
    uint32_t id = *(const uint32_t *)(block + (uintptr_t)scan->layout.id);
    return is_stack ? id == scan->range.thread : id == 0 || id == UINT32_MAX;
}

/// Finds the control block of the thread whose stack the part is in: the first one above its stack
/// pointer. In other memory, finds the last one of a thread that has ended.
static void find_thread_block(void *context) {
    struct liveobj_scan *scan = context;
    bool is_stack = scan->range.kind == LIVEOBJ_ROOT_STACK;
    enum { ALIGNMENT = LIVEOBJ_THREAD_BLOCK_ALIGNMENT, WORDS = LIVEOBJ_THREAD_BLOCK_WORDS };
    uintptr_t address = liveobj_round_up(scan->range.start, ALIGNMENT);
    for (; address + WORDS * sizeof(uintptr_t) <= scan->range.end; address += ALIGNMENT) {
        if (!liveobj_thread_block_is_at(address) || !is_of_thread(scan, address))
            continue;
        scan->thread_block = address;
        if (is_stack)
            return;
    }
}

// MARK: - Other memory

/// Scans in steps, and continues after a page that cannot be read.
static void scan_part(struct liveobj_scan *scan, uintptr_t start, uintptr_t end) {
    scan->range.start = start;
    scan->range.end = end;
    if (scan->next < start) // otherwise an object extends into it
        scan->next = start;
    while (scan->next < end && !liveobj_snapshot_step(liveobj_scan_range, scan)) {
        liveobj_scan_note(scan, false);
        scan->next = liveobj_scan_end_of_page(scan->next);
    }
}

static struct liveobj_extent extent_of_thread(const struct liveobj_scan *scan) {
    return liveobj_thread_extent(&scan->layout, scan->thread_block,
                                 scan->roots->thread_local_bytes);
}

/// Scans of the stack of a thread that has ended, which the C library keeps for the next one, only
/// the control block: it has the value that the thread returned. What calls have left below it is
/// stale, and so are the thread's variables. Guard pages are not resident, so the part does not
/// reach below the stack.
static void scan_ended_thread(struct liveobj_scan *scan, uintptr_t end) {
    uintptr_t end_of_block = scan->thread_block + scan->layout.end;
    uintptr_t end_of_variables = liveobj_scan_end_of_page(extent_of_thread(scan).end);
    bool has_variables_above = scan->layout.end > 0;
    if (has_variables_above)
        scan_part(scan, scan->thread_block, end_of_block < end ? end_of_block : end);
    scan_part(scan, has_variables_above ? end_of_variables : scan->thread_block, end);
}

/// Leaves out the words that calls have left in memory of the C library: below a thread's stack
/// pointer, and in the stack of a thread that has ended.
static void scan_c_memory(struct liveobj_scan *scan, struct liveobj_extent extent) {
    if (scan->whole.ends_at_stack && extent.end == scan->whole.end)
        return;
    scan->thread_block = 0;
    liveobj_snapshot_step(find_thread_block, scan);
    if (scan->thread_block)
        scan_ended_thread(scan, extent.end);
    else
        scan_part(scan, extent.start, extent.end);
}

static void scan_program_memory(struct liveobj_scan *scan, struct liveobj_extent extent) {
    scan->range.start = extent.start;
    scan->range.end = extent.end;
    if (scan->range.kind == LIVEOBJ_ROOT_C_MEMORY)
        scan_c_memory(scan, extent);
    else
        scan_part(scan, extent.start, extent.end);
}

/// The first mapping of the recorder's that ends behind an address.
struct own_mapping {
    uintptr_t address;
    struct liveobj_extent extent;
};

static void find_own_mapping(void *context, uintptr_t start, uintptr_t end) {
    struct own_mapping *own = context;
    if (end > own->address && start < own->extent.start)
        own->extent = (struct liveobj_extent){start, end};
}

/// Leaves out what the snapshot process has mapped since the ranges were listed: it may lie where
/// the program has unmapped memory, and has the addresses of objects.
static void scan_extent(void *scan, struct liveobj_extent extent) {
    while (extent.start < extent.end) {
        struct own_mapping own = {extent.start, {extent.end, extent.end}};
        liveobj_os_visit_mappings(find_own_mapping, &own);
        if (own.extent.start > extent.start)
            scan_program_memory(scan, (struct liveobj_extent){extent.start, own.extent.start});
        extent.start = own.extent.end;
    }
}

// MARK: - Ranges

/// Scans the memory up to the next heap. Resident pages only: a program may have reserved more
/// memory than the machine has.
static void scan_up_to_heap(struct liveobj_scan *scan, struct liveobj_memory_range range) {
    scan->range = range;
    scan->next = scan->end_of_heap = 0;
    struct liveobj_extent extent = {range.start, scan->next_heap};
    enum liveobj_pages found = liveobj_os_visit_pages(extent, range.is_file, scan_extent, scan);
    // Where the system does not say which pages are a file's, variables are read from all.
    if (found == LIVEOBJ_PAGES_UNKNOWN && range.kind == LIVEOBJ_ROOT_GLOBAL)
        found = liveobj_os_visit_pages(extent, false, scan_extent, scan);
    // What was unmapped since it was listed holds nothing.
    liveobj_scan_note(scan, found != LIVEOBJ_PAGES_UNKNOWN);
}

static void scan_whole(struct liveobj_scan *scan, struct liveobj_memory_range range) {
    scan->whole = range;
    bool may_have_heap = range.kind == LIVEOBJ_ROOT_C_MEMORY && !range.is_file;
    while (range.start < range.end) {
        scan->range = range;
        scan->end_of_heap = 0;
        scan->next_heap = range.end;
        bool is_read = may_have_heap && liveobj_snapshot_step(liveobj_scan_heap, scan);
        bool was_heap = is_read && scan->end_of_heap;
        if (!was_heap)
            scan_up_to_heap(scan, range);
        range.start = was_heap ? scan->end_of_heap : scan->next_heap;
    }
}

static void find_in_extent(void *context, struct liveobj_extent extent) {
    struct liveobj_scan *scan = context;
    scan->range.start = extent.start;
    scan->range.end = extent.end;
    if (!scan->thread_block)
        liveobj_snapshot_step(find_thread_block, scan);
}

/// The end of the stack that the range begins in; the range's end if it is not known.
static uintptr_t end_of_stack(struct liveobj_scan *scan, struct liveobj_memory_range range) {
    scan->range = range;
    scan->thread_block = 0;
    liveobj_os_visit_pages((struct liveobj_extent){range.start, range.end}, false, find_in_extent,
                           scan);
    uintptr_t end = liveobj_scan_end_of_page(extent_of_thread(scan).end);
    return scan->thread_block && end < range.end ? end : range.end;
}

/// Whether the process began on the stack. The system lets it grow, so nothing else is in its
/// mapping.
static bool is_first(const struct liveobj_scan *scan, struct liveobj_memory_range stack) {
    uintptr_t address = scan->roots->first_stack;
    return address >= stack.start && address < stack.end;
}

/// Whether the stack is the one that its thread began on. What lies below its pointer is then its
/// own, down to its guard page. A signal handler or a coroutine may run on any memory of the
/// program, and have used data below.
static bool is_native(struct liveobj_scan *scan, struct liveobj_memory_range stack) {
    const struct liveobj_roots *roots = scan->roots;
    if (stack.thread == roots->own_thread && roots->entry->is_on_signal_stack)
        return false;
    if (is_first(scan, stack))
        return true;
    end_of_stack(scan, stack);
    return scan->thread_block;
}

static void scan_stack(struct liveobj_scan *scan, uint32_t index) {
    struct liveobj_memory_range range = scan->roots->ranges[index], above = range;
    above.ends_at_stack = range.ends_at_stack && is_native(scan, scan->roots->ranges[index + 1]);
    above.start = range.end = end_of_stack(scan, range);
    above.kind = LIVEOBJ_ROOT_C_MEMORY;
    scan->thread_locals = scan->thread_block ? extent_of_thread(scan).start : UINTPTR_MAX;
    if (range.is_idle && scan->thread_block)
        range.start = scan->thread_locals & ~(sizeof(uintptr_t) - 1);
    scan_whole(scan, range);
    scan_whole(scan, above);
}

static void scan_memory(struct liveobj_scan *scan, uint32_t index) {
    struct liveobj_memory_range range = scan->roots->ranges[index];
    if (range.is_inaccessible) // here it belongs to the snapshot process alone
        liveobj_scan_note(scan,
                          mprotect((void *)range.start, range.end - range.start, PROT_READ) == 0 ||
                              errno == ENOMEM); // unmapped since it was listed
    if (range.kind == LIVEOBJ_ROOT_STACK)
        return scan_stack(scan, index);
    range.ends_at_stack = range.ends_at_stack && is_native(scan, scan->roots->ranges[index + 1]);
    bool is_stale = range.ends_at_stack && is_first(scan, scan->roots->ranges[index + 1]);
    if (!is_stale)
        scan_whole(scan, range);
}

// MARK: - Words outside of memory
//
// They are no range of memory: a copy of them could look like a heap, because the numbers that
// programs pass with events, such as descriptors, equal sizes of chunks.

static void visit_copy(const struct liveobj_scan *scan, uintptr_t word, enum liveobj_root_kind kind,
                       uintptr_t address) {
    liveobj_dispatch_note_root(word & LIVEOBJ_REFERENCE_MASK);
    if (liveobj_scan_may_find(scan, word))
        scan->visit(scan->context, &(struct liveobj_root){.kind = kind,
                                                          .target = word & LIVEOBJ_REFERENCE_MASK,
                                                          .word = word,
                                                          .place = address});
}

/// \param offset Of what the words lead to, in bytes from the object.
static void visit_words(const struct liveobj_scan *scan, const void *words, size_t bytes,
                        uintptr_t offset, uint32_t thread) {
    for (size_t i = 0; i < bytes / sizeof(uintptr_t); i++)
        visit_copy(scan, ((const uintptr_t *)words)[i] - offset, LIVEOBJ_ROOT_STACK, thread);
}

static void scan_registers(const struct liveobj_scan *scan,
                           const struct liveobj_stopped_thread *thread) {
    enum { AT_COUNTS = sizeof(uintptr_t) };
    if (thread->state != LIVEOBJ_THREAD_STOPPED || thread->waits_for_work)
        return;
    visit_words(scan, &thread->registers, sizeof thread->registers, 0, thread->id);
    // While the runtime releases an object, a register may have the address of its counts only.
    visit_words(scan, &thread->registers, sizeof thread->registers, AT_COUNTS, thread->id);
    visit_words(scan, thread->vectors, sizeof thread->vectors, 0, thread->id);
}

static void scan_copies(const struct liveobj_scan *scan) {
    const struct liveobj_roots *roots = scan->roots;
    const uintptr_t *registers = roots->entry->registers;
    for (size_t i = 0; i < sizeof roots->entry->registers / sizeof *registers; i++)
        visit_copy(scan, ~registers[i], LIVEOBJ_ROOT_STACK, roots->own_thread);
    for (uint32_t i = 0; i < roots->threads.count; i++)
        scan_registers(scan, &roots->threads.items[i]);
    for (uint32_t i = 0; i < roots->word_count; i++)
        visit_copy(scan, roots->words[i], LIVEOBJ_ROOT_C_MEMORY, 0);
}

// MARK: - Objects of libraries

static void visit_handler(void *context, const struct liveobj_reference *reference) {
    const struct liveobj_scan *scan = context;
    if (reference->target)
        scan->visit(scan->context, &(struct liveobj_root){.kind = LIVEOBJ_ROOT_HANDLER,
                                                          .target = reference->target,
                                                          .place = reference->function,
                                                          .label = reference->label});
}

/// The object is at `next`.
static void visit_library_object(void *context) {
    const struct liveobj_scan *scan = context;
    if (liveobj_core_may_begin_with(*(const uintptr_t *)scan->next))
        liveobj_core_visit_pending(scan->next, visit_handler, context);
    else
        liveobj_dispatch_visit_pending(scan->next, visit_handler, context);
}

/// Visits the handlers of libraries' objects, each in a step of its own, and of the main queue,
/// which is a variable.
static void visit_library_objects(struct liveobj_scan *scan) {
    scan->next = (uintptr_t)liveobj_runtime_current()->_dispatch_main_q;
    if (scan->next)
        liveobj_snapshot_step(visit_library_object, scan);
    for (uint32_t i = 0; i < scan->library_object_count; i++) {
        scan->next = scan->library_objects[i];
        liveobj_snapshot_step(visit_library_object, scan);
    }
    liveobj_os_unmap(scan->library_objects,
                     scan->library_object_capacity * sizeof *scan->library_objects);
}

static struct liveobj_scan start_scan(const struct liveobj_roots *roots,
                                      liveobj_visit_root_fn visit, void *context) {
    return (struct liveobj_scan){.roots = roots,
                                 .visit = visit,
                                 .context = context,
                                 .layout = liveobj_thread_layout_find(roots->own_thread),
                                 .continuations = liveobj_continuations_find(&roots->caches),
                                 .groups = liveobj_dispatch_groups(),
                                 .unread = roots->unread};
}

uint32_t liveobj_roots_scan(const struct liveobj_roots *roots,
                            const struct liveobj_task_memory *tasks,
                            const struct liveobj_suspects *suspects, liveobj_visit_root_fn visit,
                            void *context) {
    // More than the memory of any machine; larger ranges are reserved address space.
    static const uintptr_t most = UINT64_C(1) << 40;
    struct liveobj_scan scan = start_scan(roots, visit, context);
    scan.tasks = tasks;
    scan.suspects = suspects;
    uintptr_t left = most;
    scan_copies(&scan);
    for (uint32_t i = 0; i < roots->count; i++) {
        uintptr_t bytes = roots->ranges[i].end - roots->ranges[i].start;
        bool is_scanned = bytes <= left;
        left -= is_scanned ? bytes : 0;
        liveobj_scan_note(&scan, is_scanned);
        if (is_scanned)
            scan_memory(&scan, i);
    }
    visit_library_objects(&scan);
    liveobj_address_table_end(&scan.continuations);
    return scan.unread;
}

void liveobj_roots_scan_in_use(const struct liveobj_roots *roots, liveobj_visit_root_fn visit,
                               void *context) {
    static const struct liveobj_task_memory no_tasks;
    static struct liveobj_suspects no_suspects;
    struct liveobj_scan scan = start_scan(roots, visit, context);
    scan.tasks = &no_tasks;
    scan.suspects = &no_suspects;
    scan_copies(&scan);
    for (uint32_t i = 0; i < roots->count; i++)
        if (roots->ranges[i].kind != LIVEOBJ_ROOT_C_MEMORY)
            scan_memory(&scan, i);
    liveobj_address_table_end(&scan.continuations);
}

LIVEOBJ_ANY_MEMORY_END

#endif

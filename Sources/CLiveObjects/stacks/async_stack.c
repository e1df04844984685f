// async_stack.c - follows the chain of a task's contexts. Owns the functions that know their
// memory.
//
// A suspended asynchronous function is resumed by the runtime, not by its caller. Its caller is
// found through its context, a block of the task's memory: word 0 is the caller's context, word 1
// the code that resumes the caller.
//
// The function stores the address of its own context in one of two places:
//   frame     in most functions, and in all debug code: in the word below the frame record
//   register  in others: in the context register, which its callees, the recorder's own hook among
//             them, may have saved
// The register may have another value by now. So a context is accepted only if all contexts that
// follow from it, up to the task's first one, are readable memory and look like contexts.
//
// Everything runs in hooks, on the thread that owns the cache.

#if defined(__linux__)

#include "arch/registers.h"
#include "os/os.h"
#include "stacks/stack_walk.h"
#include "stacks/unwind_images.h"
#include "stacks/unwind_rules.h"

#include <string.h>

/// The alignment of the runtime's allocator of task memory.
#define CONTEXT_ALIGNMENT 16

// MARK: - The context register

/// The value of the context register in the frame whose stack pointer is `sp`: the one that called
/// the hook. Steps outwards to it from here, through the recorder's own functions.
__attribute__((noinline)) static uintptr_t register_in_caller_of_hook(uintptr_t sp) {
    enum { OWN_FRAMES = 16 };
    struct liveobj_registers frame;
    uintptr_t context;
    liveobj_registers_read(&frame.pc, &frame.sp, &frame.fp, &context);
    for (int i = 0; i < OWN_FRAMES && frame.sp < sp; i++) {
        struct liveobj_unwind_rule rule = liveobj_unwind_rule_find(frame.pc);
        uintptr_t cfa =
            liveobj_cfa(rule.from_fp, rule.cfa_words, rule.fp_words, frame.sp, frame.fp);
        if (rule.kind != LIVEOBJ_UNWIND_STEP || cfa <= frame.sp || cfa > sp ||
            rule.context_words >= LIVEOBJ_UNWIND_CONTEXT_OWN)
            return 0;
        if (rule.context_words != LIVEOBJ_UNWIND_CONTEXT_SAME)
            context = liveobj_stack_load(cfa - 8 * (uintptr_t)rule.context_words);
        if (rule.fp_words)
            frame.fp = liveobj_stack_load(cfa - 8 * (uintptr_t)rule.fp_words);
        frame.pc = liveobj_code_address(liveobj_stack_load(cfa - 8 * (uintptr_t)rule.return_words));
        frame.sp = cfa;
    }
    return frame.sp == sp ? context : 0;
}

/// The value of the context register in frame 1. Its callees are the frames from 2 on; the first of
/// them that saved the register has the value.
static uintptr_t register_in_task(const struct liveobj_frame *frames, uint32_t count) {
    for (uint32_t i = 2; i < count; i++) {
        uintptr_t words = liveobj_unwind_rule_find(frames[i].registers.pc).context_words;
        uintptr_t address = frames[i - 1].registers.sp - 8 * words;
        if (words >= LIVEOBJ_UNWIND_CONTEXT_OWN || address < frames[i].registers.sp)
            return 0;
        if (words != LIVEOBJ_UNWIND_CONTEXT_SAME)
            return liveobj_stack_load(address);
    }
    return register_in_caller_of_hook(frames[count - 1].registers.sp);
}

// MARK: - Memory

static liveobj_running_task_fn running_task;
static liveobj_task_owns_fn task_owns;

void liveobj_stacks_set_tasks(liveobj_running_task_fn running, liveobj_task_owns_fn owns) {
    running_task = running;
    task_owns = owns;
}

static void forget_pages(struct liveobj_stack_cache *cache) {
    memset(cache->context_pages, 0, sizeof cache->context_pages);
}

/// The task whose function is frame 1; 0 if it is unknown, or was given to another executor.
static uintptr_t task_of(struct liveobj_stack_cache *cache) {
    uintptr_t task = running_task ? running_task() : 0;
    if (running_task && !task)
        forget_pages(cache);
    return task;
}

/// Whether `address` is mapped. Contexts lie close together and often in the same places, so the
/// pages of earlier ones are cached, and nothing is asked again. That is safe for contexts of
/// functions that store them in their frames: these exist while the functions run.
static bool is_mapped_context(struct liveobj_stack_cache *cache, uintptr_t task,
                              uintptr_t address) {
    uintptr_t page = address / LIVEOBJ_PAGE_BYTES;
    uintptr_t *known = &cache->context_pages[page % LIVEOBJ_CONTEXT_PAGES];
    if (page == 0) // the value of an empty entry, and the kernel takes 0 for nothing to read
        return false;
    if (*known == page)
        return true;
    // In this order: the kernel would take most of the time of a trace.
    if (!(task && task_owns(task, address)) && !liveobj_os_is_readable(address))
        return false;
    *known = page;
    return true;
}

// MARK: - Contexts

/// The context of frame 1, the task's function that runs now.
static uintptr_t context_of_task(struct liveobj_stack_cache *cache) {
    const struct liveobj_registers *frame = &cache->frames[1].registers;
    struct liveobj_unwind_rule rule = liveobj_unwind_rule_find(frame->pc);
    if (rule.context_words == LIVEOBJ_UNWIND_CONTEXT_OWN)
        return frame->fp > frame->sp ? liveobj_stack_load(frame->fp - 8) : 0;
    // What the register has now may be the address of memory that was unmapped since.
    forget_pages(cache);
    return register_in_task(cache->frames, cache->count);
}

static bool is_function(uintptr_t address) {
    struct liveobj_unwind_image image;
    switch (liveobj_unwind_rule_find(address + LIVEOBJ_CODE_UNIT).kind) {
    case LIVEOBJ_UNWIND_STEP:
    case LIVEOBJ_UNWIND_OPAQUE: // on aarch64: the return address is still in its register
        return true;
    case LIVEOBJ_UNWIND_GUESS: // code without a table, or no code
        return liveobj_unwind_image_find(address, &image);
    default:
        return false;
    }
}

/// Lists the code that resumes the callers, from `context` on. The task's first context is left
/// out: its code is the runtime's own, which ends the task.
/// \returns Their number; 0 if one is not a context.
static uint32_t list_callers(uintptr_t context, struct liveobj_stack_cache *cache,
                             uintptr_t *callers, uint32_t capacity) {
    uintptr_t task = task_of(cache);
    uint32_t count = 0;
    while (count < capacity) {
        if (context % CONTEXT_ALIGNMENT != 0 || !is_mapped_context(cache, task, context))
            return 0;
        uintptr_t caller = liveobj_stack_load(context);
        uintptr_t resume = liveobj_stack_load(context + 8);
        if (!is_function(resume))
            return 0;
        if (!caller)
            break;
        callers[count++] = resume + LIVEOBJ_CODE_UNIT;
        context = caller;
    }
    return count;
}

LIVEOBJ_HOOK uint32_t liveobj_async_callers(struct liveobj_stack_cache *cache, uintptr_t *callers,
                                            uint32_t capacity) {
    if (cache->count < 2)
        return 0;
    return list_callers(context_of_task(cache), cache, callers, capacity);
}

#endif

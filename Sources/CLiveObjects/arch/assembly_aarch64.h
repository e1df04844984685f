// assembly_aarch64.h - functions in assembly on aarch64. Included by
// assembly.h only.

#pragma once

#define LIVEOBJ_STACK_CALL_ASSEMBLY                                                                \
    ".pushsection .text\n"                                                                         \
    ".hidden liveobj_stack_call\n"                                                                 \
    ".globl liveobj_stack_call\n"                                                                  \
    ".type liveobj_stack_call, @function\n"                                                        \
    "liveobj_stack_call:\n" /* top, function, context, target */                                   \
    ".cfi_startproc\n"                                                                             \
    "stp x29, x30, [sp, #-160]!\n"                                                                 \
    ".cfi_def_cfa_offset 160\n"                                                                    \
    ".cfi_offset x29, -160\n"                                                                      \
    ".cfi_offset x30, -152\n"                                                                      \
    "mov x29, sp\n"                                                                                \
    ".cfi_def_cfa_register x29\n"                                                                  \
    "stp x19, x20, [sp, #16]\n"                                                                    \
    "stp x21, x22, [sp, #32]\n"                                                                    \
    "stp x23, x24, [sp, #48]\n"                                                                    \
    "stp x25, x26, [sp, #64]\n"                                                                    \
    "stp x27, x28, [sp, #80]\n"                                                                    \
    "stp d8, d9, [sp, #96]\n"                                                                      \
    "stp d10, d11, [sp, #112]\n"                                                                   \
    "stp d12, d13, [sp, #128]\n"                                                                   \
    "stp d14, d15, [sp, #144]\n"                                                                   \
    "str x29, [x3]\n"                                                                              \
    "cbz x0, 2f\n"                                                                                 \
    "mov sp, x0\n"                                                                                 \
    "2: mov x0, x2\n"                                                                              \
    "blr x1\n"                                                                                     \
    "mov w0, #1\n"                                                                                 \
    "1: mov sp, x29\n"                                                                             \
    "ldp x19, x20, [sp, #16]\n"                                                                    \
    "ldp x21, x22, [sp, #32]\n"                                                                    \
    "ldp x23, x24, [sp, #48]\n"                                                                    \
    "ldp x25, x26, [sp, #64]\n"                                                                    \
    "ldp x27, x28, [sp, #80]\n"                                                                    \
    "ldp d8, d9, [sp, #96]\n"                                                                      \
    "ldp d10, d11, [sp, #112]\n"                                                                   \
    "ldp d12, d13, [sp, #128]\n"                                                                   \
    "ldp d14, d15, [sp, #144]\n"                                                                   \
    "ldp x29, x30, [sp], #160\n"                                                                   \
    ".cfi_def_cfa sp, 0\n"                                                                         \
    "ret\n"                                                                                        \
    ".cfi_endproc\n"                                                                               \
    ".size liveobj_stack_call, . - liveobj_stack_call\n"                                           \
    ".hidden liveobj_stack_leave\n"                                                                \
    ".globl liveobj_stack_leave\n"                                                                 \
    ".type liveobj_stack_leave, @function\n"                                                       \
    "liveobj_stack_leave:\n" /* target */                                                          \
    "mov x29, x0\n"                                                                                \
    "mov w0, #0\n"                                                                                 \
    "b 1b\n"                                                                                       \
    ".size liveobj_stack_leave, . - liveobj_stack_leave\n"                                         \
    ".popsection\n"

#define LIVEOBJ_SYSCALL_ASSEMBLY                                                                   \
    ".pushsection .text\n"                                                                         \
    ".globl prctl\n"                                                                               \
    ".type prctl, @function\n"                                                                     \
    "prctl:\n"                                                                                     \
    ".cfi_startproc\n"                                                                             \
    "hint #34\n" /* bti c */                                                                       \
    "mov x5, x4\n"                                                                                 \
    "mov x4, x3\n"                                                                                 \
    "mov x3, x2\n"                                                                                 \
    "mov x2, x1\n"                                                                                 \
    "mov w1, w0\n"                                                                                 \
    "mov x0, #.Lprctl\n"                                                                           \
    "b 1f\n"                                                                                       \
    ".cfi_endproc\n"                                                                               \
    ".size prctl, . - prctl\n"                                                                     \
    ".globl syscall\n"                                                                             \
    ".type syscall, @function\n"                                                                   \
    "syscall:\n"                                                                                   \
    ".cfi_startproc\n"                                                                             \
    "hint #34\n" /* bti c */                                                                       \
    "1: cmp x0, #.Lprctl\n"                                                                        \
    "b.ne 2f\n"                                                                                    \
    "cmp w1, #.Lset_seccomp\n"                                                                     \
    "b.eq liveobj_sandbox_call\n"                                                                  \
    "2: cmp x0, #.Lseccomp\n"                                                                      \
    "b.eq liveobj_sandbox_call\n"                                                                  \
    "mov x8, x0\n"                                                                                 \
    "mov x0, x1\n"                                                                                 \
    "mov x1, x2\n"                                                                                 \
    "mov x2, x3\n"                                                                                 \
    "mov x3, x4\n"                                                                                 \
    "mov x4, x5\n"                                                                                 \
    "mov x5, x6\n"                                                                                 \
    "svc #0\n"                                                                                     \
    "cmn x0, #4095\n"                                                                              \
    "b.cs liveobj_sandbox_fail\n"                                                                  \
    "ret\n"                                                                                        \
    ".cfi_endproc\n"                                                                               \
    ".size syscall, . - syscall\n"                                                                 \
    ".popsection\n"

/// Handlers return by the kernel's own code.
#define LIVEOBJ_SIGNAL_RETURN_FLAG 0ul
#define liveobj_guard_return NULL
#define LIVEOBJ_SIGNAL_RETURN_ASSEMBLY ""
